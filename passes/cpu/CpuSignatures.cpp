//===- CpuSignatures.cpp - Thread parameters for device code --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function's type cannot be changed in place, so that each body moves into a
// new function. Attributes of memory and synchronization cease to be true when
// intrinsics become calls of the runtime; the host's pipeline infers them anew.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuSignatures.h"
#include "gridspan/ABI.h"
#include "passes/cpu/CpuContext.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace gridspan;

/// Function attributes that stay.
static bool isKept(Attribute A) {
  if (A.isStringAttribute())
    return A.getKindAsString().ends_with("-fp-math");
  switch (A.getKindAsEnum()) {
  case Attribute::NoInline:
  case Attribute::AlwaysInline:
  case Attribute::OptimizeNone:
  case Attribute::InlineHint:
  case Attribute::NoReturn:
    return true;
  default:
    return false;
  }
}

static AttributeSet keptAttributes(LLVMContext &Context, AttributeSet All) {
  AttrBuilder Kept(Context);
  for (Attribute A : All)
    if (isKept(A))
      Kept.addAttribute(A);
  Kept.addAttribute(Attribute::NoUnwind);
  return AttributeSet::get(Context, Kept);
}

/// Parameter attributes, moved behind the thread's parameters.
static AttributeList shiftAttributes(LLVMContext &Context, AttributeList Old,
                                     unsigned NumArgs, AttributeSet Fn) {
  SmallVector<AttributeSet, 8> Params(NumCpuParams);
  // The verifier wants sret on the first two parameters only; among internal
  // functions it says nothing.
  for (unsigned I = 0; I != NumArgs; ++I)
    Params.push_back(
        Old.getParamAttrs(I).removeAttribute(Context, Attribute::StructRet));
  return AttributeList::get(Context, Fn, Old.getRetAttrs(), Params);
}

static void describeThreadParameters(Function &F) {
  LLVMContext &Context = F.getContext();
  constexpr unsigned MaxThreads[] = {1024, 1024, 64};
  F.getArg(0)->setName("block");
  AttrBuilder Block(Context);
  Block.addAttribute(Attribute::NoUndef);
  Block.addDereferenceableAttr(sizeof(GridspanCpuBlock));
  Block.addAlignmentAttr(alignof(GridspanCpuBlock));
  F.addParamAttrs(0, Block);
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    AttrBuilder B(Context);
    B.addAttribute(Attribute::NoUndef);
    B.addRangeAttr(ConstantRange(APInt(32, 0), APInt(32, MaxThreads[Axis])));
    F.addParamAttrs(1 + Axis, B);
    F.getArg(1 + Axis)->setName(Twine("tid.") + Twine(char('x' + Axis)));
  }
}

static FunctionType *withThreadParameters(FunctionType *Old) {
  LLVMContext &Context = Old->getContext();
  SmallVector<Type *, 8> Params = {PointerType::get(Context, 0)};
  Params.append(3, Type::getInt32Ty(Context));
  Params.append(Old->param_begin(), Old->param_end());
  return FunctionType::get(Old->getReturnType(), Params, Old->isVarArg());
}

static Function *moveBody(Function &Old) {
  LLVMContext &Context = Old.getContext();
  auto *New =
      Function::Create(withThreadParameters(Old.getFunctionType()),
                       GlobalValue::InternalLinkage, "", Old.getParent());
  New->setName(CpuPrefix + Old.getName());
  New->setAttributes(shiftAttributes(
      Context, Old.getAttributes(), Old.arg_size(),
      keptAttributes(Context, Old.getAttributes().getFnAttrs())));
  New->setAlignment(MaybeAlign());
  New->splice(New->begin(), &Old);
  for (unsigned I = 0, E = Old.arg_size(); I != E; ++I) {
    Old.getArg(I)->replaceAllUsesWith(New->getArg(I + NumCpuParams));
    New->getArg(I + NumCpuParams)->takeName(Old.getArg(I));
  }
  New->setSubprogram(Old.getSubprogram());
  Old.setSubprogram(nullptr);
  describeThreadParameters(*New);
  return New;
}

CallInst *gridspan::callWithThread(CallInst &Call, Value *Callee) {
  LLVMContext &Context = Call.getContext();
  Function *Caller = Call.getFunction();
  SmallVector<Value *, 8> Args;
  for (unsigned I = 0; I != NumCpuParams; ++I)
    Args.push_back(Caller->getArg(I));
  Args.append(Call.arg_begin(), Call.arg_end());
  auto *New = CallInst::Create(withThreadParameters(Call.getFunctionType()),
                               Callee, Args, "", Call.getIterator());
  AttrBuilder Fn(Context);
  if (Call.hasFnAttr(Attribute::NoReturn))
    Fn.addAttribute(Attribute::NoReturn);
  New->setAttributes(shiftAttributes(Context, Call.getAttributes(),
                                     Call.arg_size(),
                                     AttributeSet::get(Context, Fn)));
  New->setDebugLoc(Call.getDebugLoc());
  New->takeName(&Call);
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
  return New;
}

/// True if a call goes to device code, which has the thread's parameters.
static bool callsDeviceCode(CallInst &Call,
                            const DenseMap<Function *, Function *> &New) {
  if (Call.isInlineAsm())
    return false;
  auto *Callee =
      dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
  return !Callee || New.contains(Callee);
}

SmallVector<Function *>
gridspan::addThreadParameters(Module &M, ArrayRef<Function *> Kernels) {
  SmallVector<Function *> Old;
  for (Function &F : M)
    if (!F.isDeclaration())
      Old.push_back(&F);
  DenseMap<Function *, Function *> New;
  for (Function *F : Old)
    New[F] = moveBody(*F);

  for (Function *F : Old) {
    SmallVector<CallInst *> Calls;
    for (Instruction &I : instructions(New[F]))
      if (auto *Call = dyn_cast<CallInst>(&I))
        if (callsDeviceCode(*Call, New))
          Calls.push_back(Call);
    for (CallInst *Call : Calls) {
      auto *Callee =
          dyn_cast<Function>(Call->getCalledOperand()->stripPointerCasts());
      callWithThread(*Call, Callee ? New[Callee] : Call->getCalledOperand());
    }
  }

  SmallVector<Function *> NewKernels;
  for (Function *K : Kernels)
    NewKernels.push_back(New[K]);
  for (Function *F : Old)
    F->replaceAllUsesWith(New[F]);
  for (Function *F : Old)
    F->eraseFromParent();
  return NewKernels;
}
