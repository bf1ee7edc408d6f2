//===- CpuUnsupported.cpp - Instructions that have no rule ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text names the instruction as a CUDA programmer knows it, and its
// location if the device module has line tables.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuUnsupported.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "passes/cpu/CpuContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;
using namespace gridspan;

/// Returns inline assembly in one line, and the name of anything else.
static std::string nameOf(const CallInst &Call) {
  auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand());
  if (!Asm) {
    const Function *Callee = Call.getCalledFunction();
    return ("'" + Callee->getName() + "'").str();
  }
  std::string Text;
  for (char Character : Asm->getAsmString()) {
    bool Space = isSpace(Character);
    if (Space && (Text.empty() || Text.back() == ' '))
      continue;
    Text += Space ? ' ' : Character;
  }
  return "inline assembly '" + StringRef(Text).rtrim().str() + "'";
}

static std::string placeOf(const Instruction &I) {
  const DebugLoc &Where = I.getDebugLoc();
  if (!Where)
    return "";
  return (" at " + Where->getFilename() + ":" + Twine(Where.getLine()) + ":" +
          Twine(Where.getCol()))
      .str();
}

void UnsupportedInstructions::add(Instruction &I, const std::string &What) {
  Function *F = I.getFunction();
  std::string Text = What + placeOf(I) + " is not supported";
  bool IsFirst = First.insert({F, Text}).second;
  if (!IsFirst)
    return;
  F->getContext().diagnose(DiagnosticInfoUnsupported(
      *F, What + placeOf(I) + " is not supported on the CPU device",
      I.getDebugLoc(), DS_Warning));
}

void UnsupportedInstructions::add(CallInst &Call) { add(Call, nameOf(Call)); }

/// clang declares these without ever reading them: their fields are properties.
/// At -O0 their addresses are still passed around.
static bool isBuiltinVariable(StringRef Name) {
  return Name == "threadIdx" || Name == "blockIdx" || Name == "blockDim" ||
         Name == "gridDim";
}

void UnsupportedInstructions::addExternalVariables(Module &M) {
  SmallVector<Constant *> External;
  for (GlobalVariable &G : M.globals())
    if (G.isDeclaration() && G.getAddressSpace() != SharedSpace)
      External.push_back(&G);
  convertUsersOfConstantsToInstructions(External);
  for (Constant *G : External) {
    for (User *U : G->users())
      if (auto *I = dyn_cast<Instruction>(U);
          I && !isBuiltinVariable(G->getName()))
        add(*I, ("variable '" + G->getName() + "' of another file").str());
    G->replaceAllUsesWith(Constant::getNullValue(G->getType()));
    cast<GlobalVariable>(G)->eraseFromParent();
  }
}

std::string UnsupportedInstructions::message(Function &F) const {
  auto It = First.find(&F);
  return It == First.end() ? "" : It->second;
}
