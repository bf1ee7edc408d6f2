//===- UntrackedWork.cpp - Calls that the runtime does not see ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work that a program gives to a stream behind the runtime's back is still in
// order as long as every split launch waits for the stream itself. A runtime
// that sees all work may wait for less (runtime/stream/ProgramStream.h); so it
// is told when it does not.
//
//===----------------------------------------------------------------------===//

#include "passes/host/UntrackedWork.h"
#include "passes/common/UntrackedCudaCalls.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

bool gridspan::declareUntrackedWork(Module &M) {
  const Function *Untracked = nullptr;
  for (const Function &F : M)
    if (F.isDeclaration() && !F.use_empty() &&
        mayGiveUntrackedWork(F.getName())) {
      Untracked = &F;
      break;
    }
  if (!Untracked)
    return false;
  Type *Void = Type::getVoidTy(M.getContext());
  auto *Ctor = Function::Create(FunctionType::get(Void, false),
                                GlobalValue::InternalLinkage,
                                "__gridspan_unseen_ctor", M);
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", Ctor));
  FunctionCallee Tell =
      M.getOrInsertFunction("__gridspan_unseen_work", Void, B.getPtrTy());
  B.CreateCall(Tell, {B.CreateGlobalString(Untracked->getName())});
  B.CreateRetVoid();
  // Before any constructor of the program may launch.
  appendToGlobalCtors(M, Ctor, 101);
  return true;
}
