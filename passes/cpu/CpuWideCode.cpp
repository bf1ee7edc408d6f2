//===- CpuWideCode.cpp - Code for processors with AVX2 --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two codes are one IR for two processors, so they differ only in what
// instruction selection and the vectorizer may choose. These keep results as
// they are, but for products and sums that may be contracted: with llvm.fmuladd
// and the flag contract, whether one is rounded depends on the processor. Both
// are taken away, so that no product is. Functions that are not inlined are
// there twice as well; those called by their addresses stay those of the
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

/// Marks the copies until their processor is set.
static constexpr StringLiteral WideMark = "gridspan-wide";

bool gridspan::mayHaveWideCode(const Module &Host) {
  if (Triple(Host.getTargetTriple()).getArch() != Triple::x86_64)
    return false;
  for (const Function &F : Host)
    if (!F.isDeclaration() && F.hasFnAttribute("target-features"))
      return !F.getFnAttribute("target-features")
                  .getValueAsString()
                  .contains("+avx2");
  return false;
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

/// Returns F's code for AVX2, and of all that it calls.
static Function *wideVersion(Function &F, const Twine &Name) {
  const std::string Known = Name.str();
  if (Function *Made = F.getParent()->getFunction(Known))
    return Made;
  ValueToValueMapTy Map;
  Function *Wide = CloneFunction(&F, Map);
  Wide->setName(Known);
  Wide->setLinkage(GlobalValue::InternalLinkage);
  Wide->addFnAttr(WideMark);
  for (Instruction &I : instructions(*Wide)) {
    auto *Call = dyn_cast<CallInst>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (Callee && !Callee->isDeclaration() &&
        !Callee->hasFnAttribute(Attribute::OptimizeNone))
      Call->setCalledFunction(
          wideVersion(*Callee, Callee->getName() + ".wide"));
  }
  return Wide;
}

Function *gridspan::chooseByProcessor(Function &Run) {
  Module &M = *Run.getParent();
  const std::string Name = Run.getName().str();
  auto *Chooser = Function::Create(Run.getFunctionType(), Run.getLinkage(),
                                   Run.getAddressSpace(), "", &M);
  Chooser->setAttributes(Run.getAttributes());
  Run.setName(Name + ".base");
  Run.setLinkage(GlobalValue::InternalLinkage);
  Chooser->setName(Name);
  Function *Wide = wideVersion(Run, Name + ".wide");

  LLVMContext &Context = M.getContext();
  BasicBlock *Entry = BasicBlock::Create(Context, "", Chooser);
  IRBuilder<> B(Entry);
  FunctionCallee IsWide = M.getOrInsertFunction(
      "__gridspan_cpu_wide", FunctionType::get(B.getInt32Ty(), false));
  cast<Function>(IsWide.getCallee())->setDoesNotThrow();
  Value *Which = B.CreateIsNotNull(B.CreateCall(IsWide));
  BasicBlock *Blocks[] = {BasicBlock::Create(Context, "wide", Chooser),
                          BasicBlock::Create(Context, "base", Chooser)};
  B.CreateCondBr(Which, Blocks[0], Blocks[1]);
  SmallVector<Value *> Args(make_pointer_range(Chooser->args()));
  Function *const Callees[] = {Wide, &Run};
  for (auto [Block, Callee] : zip(Blocks, Callees)) {
    B.SetInsertPoint(Block);
    B.CreateCall(Callee, Args)->setTailCall();
    B.CreateRetVoid();
  }
  return Chooser;
}

void gridspan::targetWideCode(Module &M) {
  for (Function &F : M) {
    if (!F.hasFnAttribute(WideMark))
      continue;
    F.removeFnAttr(WideMark);
    F.removeFnAttr("target-features");
    F.removeFnAttr("tune-cpu");
    F.addFnAttr("target-cpu", "x86-64-v3");
  }
}
