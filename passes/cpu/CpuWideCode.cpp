//===- CpuWideCode.cpp - Code for wider vectors ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The codes are one IR for several processors, so they differ only in what
// instruction selection and the vectorizer may choose. These keep results as
// they are, but for products and sums that may be contracted: with llvm.fmuladd
// and the flag contract, whether one is rounded depends on the processor. Both
// are taken away, so that no product is. Functions that are not inlined are
// there for each as well; those called by their addresses stay those of the
// program's own processors, which is right and only slower.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuWideCode.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace gridspan;

namespace {
/// What is known of a level above the program's own.
struct LevelCode {
  StringLiteral Suffix;    ///< of the names of its functions
  StringLiteral Feature;   ///< that its processors have and lower ones do not
  StringLiteral Processor; ///< LLVM's name
};
} // namespace

static const LevelCode &codeOf(VectorLevel Level) {
  static constexpr LevelCode Avx2 = {".avx2", "+avx2", "x86-64-v3"};
  static constexpr LevelCode Avx512 = {".avx512", "+avx512f", "x86-64-v4"};
  assert(Level != VectorLevel::Program && "has the program's own code");
  return Level == VectorLevel::Avx2 ? Avx2 : Avx512;
}

/// Marks the copies with their processor until it is set.
static constexpr StringLiteral WideMark = "gridspan-wide";

SmallVector<VectorLevel, 2> gridspan::wideLevels(const Module &Host,
                                                 VectorLevel Most) {
  SmallVector<VectorLevel, 2> Levels;
  if (Triple(Host.getTargetTriple()).getArch() != Triple::x86_64)
    return Levels;
  const auto Model = find_if(Host, [](const Function &F) {
    return !F.isDeclaration() && F.hasFnAttribute("target-features");
  });
  if (Model == Host.end())
    return Levels;
  const StringRef Features =
      Model->getFnAttribute("target-features").getValueAsString();
  for (const VectorLevel Level : {VectorLevel::Avx2, VectorLevel::Avx512})
    if (Level <= Most && !Features.contains(codeOf(Level).Feature))
      Levels.push_back(Level);
  return Levels;
}

bool gridspan::profitsFromWideCode(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *Call = dyn_cast<IntrinsicInst>(&I);
    return (isa<BinaryOperator>(I) && I.getType()->isFPOrFPVectorTy()) ||
           (Call && Call->getIntrinsicID() == Intrinsic::fma);
  });
}

void gridspan::forbidContraction(Module &M) {
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      if (!isa<FPMathOperator>(I))
        continue;
      I.setHasAllowContract(false);
      auto *Call = dyn_cast<IntrinsicInst>(&I);
      if (!Call || Call->getIntrinsicID() != Intrinsic::fmuladd)
        continue;
      IRBuilder<> B(Call);
      B.setFastMathFlags(Call->getFastMathFlags());
      Value *Sum = B.CreateFAdd(
          B.CreateFMul(Call->getArgOperand(0), Call->getArgOperand(1)),
          Call->getArgOperand(2));
      Call->replaceAllUsesWith(Sum);
      Call->eraseFromParent();
    }
}

/// Returns F's code for Level, with that of all that it calls.
static Function *wideVersion(Function &F, StringRef Name, VectorLevel Level) {
  const std::string Known = (Name + codeOf(Level).Suffix).str();
  if (Function *Made = F.getParent()->getFunction(Known))
    return Made;
  ValueToValueMapTy Map;
  Function *Wide = CloneFunction(&F, Map);
  Wide->setName(Known);
  Wide->setLinkage(GlobalValue::InternalLinkage);
  Wide->addFnAttr(WideMark, codeOf(Level).Processor);
  for (Instruction &I : instructions(*Wide)) {
    auto *Call = dyn_cast<CallInst>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (Callee && !Callee->isDeclaration() &&
        !Callee->hasFnAttribute(Attribute::OptimizeNone))
      Call->setCalledFunction(wideVersion(*Callee, Callee->getName(), Level));
  }
  return Wide;
}

Function *gridspan::chooseByProcessor(Function &Run,
                                      ArrayRef<VectorLevel> Levels) {
  Module &M = *Run.getParent();
  const std::string Name = Run.getName().str();
  auto *Chooser = Function::Create(Run.getFunctionType(), Run.getLinkage(),
                                   Run.getAddressSpace(), "", &M);
  Chooser->setAttributes(Run.getAttributes());
  Run.setName(Name + ".base");
  Run.setLinkage(GlobalValue::InternalLinkage);
  Chooser->setName(Name);

  LLVMContext &Context = M.getContext();
  IRBuilder<> B(BasicBlock::Create(Context, "", Chooser));
  FunctionCallee Used = M.getOrInsertFunction(
      "__gridspan_cpu_wide", FunctionType::get(B.getInt32Ty(), false));
  cast<Function>(Used.getCallee())->setDoesNotThrow();
  Value *Most = B.CreateCall(Used);
  SmallVector<Value *> Args(make_pointer_range(Chooser->args()));
  auto CallAndReturn = [&](Function *Code) {
    B.CreateCall(Code, Args)->setTailCall();
    B.CreateRetVoid();
  };
  for (const VectorLevel Level : reverse(Levels)) {
    BasicBlock *Wide = BasicBlock::Create(Context, "wide", Chooser);
    BasicBlock *Less = BasicBlock::Create(Context, "less", Chooser);
    B.CreateCondBr(
        B.CreateICmpUGE(Most, B.getInt32(static_cast<uint32_t>(Level))), Wide,
        Less);
    B.SetInsertPoint(Wide);
    CallAndReturn(wideVersion(Run, Name, Level));
    B.SetInsertPoint(Less);
  }
  CallAndReturn(&Run);
  return Chooser;
}

void gridspan::targetWideCode(Module &M) {
  for (Function &F : M) {
    if (!F.hasFnAttribute(WideMark))
      continue;
    const StringRef Processor = F.getFnAttribute(WideMark).getValueAsString();
    F.removeFnAttr(WideMark);
    F.removeFnAttr("target-features");
    F.removeFnAttr("tune-cpu");
    F.addFnAttr("target-cpu", Processor);
    // LLVM keeps to 256 bits on such processors, for older ones of which are
    // slower for a while after they have used more.
    if (Processor == codeOf(VectorLevel::Avx512).Processor)
      F.addFnAttr("prefer-vector-width", "512");
  }
}
