//===- ModuleBuild.cpp - What a build of device code is known by ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MD5 over the functions as text, one instruction after the other, without
// metadata. Values are named by their number in the function, since their names
// depend on an option (-fno-discard-value-names), and constants by their text.
//
//===----------------------------------------------------------------------===//

#include "passes/common/ModuleBuild.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gridspan {

static constexpr StringLiteral AdviceMetadata = "gridspan.advice";

namespace {
/// Writes a function's code.
class CodeText {
public:
  explicit CodeText(raw_ostream &OS) : OS(OS) {}
  void write(const Function &F);

private:
  void write(const Instruction &I);
  void write(const Value &V);

  raw_ostream &OS;
  DenseMap<const Value *, unsigned> Numbers;
};
} // namespace

void CodeText::write(const Value &V) {
  if (auto It = Numbers.find(&V); It != Numbers.end())
    OS << '%' << It->second;
  else if (const auto *Int = dyn_cast<ConstantInt>(&V))
    OS << 'i' << Int->getBitWidth() << ' ' << Int->getValue();
  else if (const auto *Float = dyn_cast<ConstantFP>(&V))
    OS << 'f' << Float->getValueAPF().bitcastToAPInt();
  else if (isa<Constant>(V))
    V.printAsOperand(OS, /*PrintType=*/true);
  else
    OS << '?'; // metadata as an argument
}

void CodeText::write(const Instruction &I) {
  OS << I.getOpcodeName() << ' ' << I.getRawSubclassOptionalData() << ' ';
  I.getType()->print(OS, /*IsForDebug=*/false, /*NoDetails=*/true);
  if (const auto *Compare = dyn_cast<CmpInst>(&I))
    OS << ' ' << Compare->getPredicate();
  if (const auto *Address = dyn_cast<GEPOperator>(&I)) {
    OS << ' ';
    Address->getSourceElementType()->print(OS, false, true);
  }
  if (const auto *Update = dyn_cast<AtomicRMWInst>(&I))
    OS << ' ' << Update->getOperation();
  if (const auto *Slot = dyn_cast<AllocaInst>(&I)) {
    OS << ' ';
    Slot->getAllocatedType()->print(OS, false, true);
  }
  for (const Value *Operand : I.operand_values()) {
    OS << ' ';
    write(*Operand);
  }
  if (const auto *Phi = dyn_cast<PHINode>(&I))
    for (const BasicBlock *Block : Phi->blocks()) {
      OS << ' ';
      write(*Block);
    }
  OS << '\n';
}

void CodeText::write(const Function &F) {
  Numbers.clear();
  unsigned Next = 0;
  for (const Argument &A : F.args())
    Numbers[&A] = Next++;
  for (const BasicBlock &Block : F) {
    Numbers[&Block] = Next++;
    for (const Instruction &I : Block)
      if (!I.isDebugOrPseudoInst())
        Numbers[&I] = Next++;
  }
  OS << F.getName() << '\n';
  for (const Instruction &I : instructions(F))
    if (!I.isDebugOrPseudoInst())
      write(I);
}

std::string moduleBuild(const Module &M) {
  std::string Text;
  raw_string_ostream OS(Text);
  for (const GlobalVariable &G : M.globals())
    OS << G.getName() << '\n';
  CodeText Code(OS);
  for (const Function &F : M)
    if (!F.isDeclaration())
      Code.write(F);
  MD5 Hash;
  Hash.update(OS.str());
  MD5::MD5Result Result;
  Hash.final(Result);
  return Result.digest().str().str();
}

void setAdvicePath(Module &M, StringRef Path) {
  NamedMDNode *Node = M.getOrInsertNamedMetadata(AdviceMetadata);
  Node->clearOperands();
  Node->addOperand(
      MDNode::get(M.getContext(), MDString::get(M.getContext(), Path)));
}

std::string advicePath(const Module &M) {
  const NamedMDNode *Node = M.getNamedMetadata(AdviceMetadata);
  if (!Node || Node->getNumOperands() == 0 ||
      Node->getOperand(0)->getNumOperands() == 0)
    return "";
  const auto *Text = dyn_cast<MDString>(Node->getOperand(0)->getOperand(0));
  return Text ? Text->getString().str() : "";
}

} // namespace gridspan
