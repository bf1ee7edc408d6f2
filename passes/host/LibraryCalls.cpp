//===- LibraryCalls.cpp - Calls of libraries that launch kernels ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a declaration f of such a library, calls of f become calls of a function
// of the same type that tells the runtime, calls f and tells it again. The
// program's results do not depend on it: the runtime only decides where pages
// are (runtime/launch/LibraryCalls.h). Uses of f's address keep it, so that
// they compare equal in all modules; such calls are not announced.
//
//===----------------------------------------------------------------------===//

#include "passes/host/LibraryCalls.h"
#include "passes/common/UntrackedCudaCalls.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static bool isPointer(const Argument &A) {
  // Structures passed in memory are the host's.
  return A.getType()->isPointerTy() && !A.hasByValAttr() &&
         !A.hasStructRetAttr();
}

static bool isAnnounced(const Function &F) {
  return F.isDeclaration() && !F.isVarArg() &&
         gridspan::mayLaunchKernels(F.getName()) && any_of(F.args(), isPointer);
}

static SmallVector<CallBase *> directCalls(Function &F) {
  SmallVector<CallBase *> Calls;
  for (Use &U : F.uses())
    if (auto *Call = dyn_cast<CallBase>(U.getUser()))
      if (Call->isCallee(&U) &&
          Call->getFunctionType() == F.getFunctionType() &&
          !Call->isMustTailCall())
        Calls.push_back(Call);
  return Calls;
}

/// Returns the function that announces, and calls F.
static Function *makeAnnouncer(Function &F) {
  Module &M = *F.getParent();
  LLVMContext &C = M.getContext();
  auto *Announcer =
      Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage,
                       "__gridspan_call_" + F.getName(), M);
  Announcer->setCallingConv(F.getCallingConv());
  // Of F's function attributes some (memory effects) would be wrong here.
  Announcer->setAttributes(AttributeList::get(
      C, AttributeSet(), F.getAttributes().getRetAttrs(),
      SmallVector<AttributeSet>(map_range(F.args(), [&](const Argument &A) {
        return F.getAttributes().getParamAttrs(A.getArgNo());
      }))));
  IRBuilder<> B(BasicBlock::Create(C, "entry", Announcer));
  SmallVector<Value *> Args, Pointers;
  for (Argument &A : Announcer->args()) {
    Args.push_back(&A);
    if (isPointer(A))
      Pointers.push_back(&A);
  }
  Type *Ptr = B.getPtrTy();
  auto *Row = ArrayType::get(Ptr, Pointers.size());
  Value *List = B.CreateAlloca(Row);
  for (unsigned I = 0, E = Pointers.size(); I != E; ++I)
    B.CreateStore(Pointers[I], B.CreateConstInBoundsGEP2_32(Row, List, 0, I));
  FunctionCallee Before = M.getOrInsertFunction(
      "__gridspan_before_library_call", B.getVoidTy(), Ptr, B.getInt32Ty());
  FunctionCallee After =
      M.getOrInsertFunction("__gridspan_after_library_call", B.getVoidTy());
  B.CreateCall(Before, {List, B.getInt32(Pointers.size())});
  CallInst *Result = B.CreateCall(&F, Args);
  Result->setCallingConv(F.getCallingConv());
  Result->setAttributes(F.getAttributes());
  B.CreateCall(After);
  if (Result->getType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Result);
  return Announcer;
}

bool gridspan::announceLibraryCalls(Module &M) {
  SmallVector<Function *> Announced;
  for (Function &F : M)
    if (isAnnounced(F))
      Announced.push_back(&F);
  bool Changed = false;
  for (Function *F : Announced) {
    SmallVector<CallBase *> Calls = directCalls(*F);
    if (Calls.empty())
      continue;
    Function *Announcer = makeAnnouncer(*F);
    for (CallBase *Call : Calls)
      Call->setCalledFunction(Announcer);
    Changed = true;
  }
  return Changed;
}
