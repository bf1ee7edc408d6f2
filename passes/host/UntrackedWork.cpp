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
// A launch that is captured while it is split is several nodes of the graph. A
// program that looks at nodes expects one, and may give it other arguments; so
// the runtime is told of such programs as well.
//
//===----------------------------------------------------------------------===//

#include "passes/host/UntrackedWork.h"
#include "passes/common/UntrackedCudaCalls.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

/// Returns the first function that the module uses of which Is(name) holds;
/// null if there is none. WasRedirected: the names are those of CUDA's
/// functions that calls have been redirected from.
template <typename Predicate>
static const Function *firstUsed(const Module &M, bool WasRedirected,
                                 Predicate Is) {
  for (const Function &F : M) {
    StringRef Name = F.getName();
    if (WasRedirected)
      Name.consume_front("__gridspan_");
    if (F.isDeclaration() && !F.use_empty() && Is(Name))
      return &F;
  }
  return nullptr;
}

/// Makes the module call Callee(name of F) before any constructor of the
/// program may launch.
static void tell(Module &M, StringRef Callee, StringRef Constructor,
                 const Function &F) {
  Type *Void = Type::getVoidTy(M.getContext());
  auto *Ctor = Function::Create(FunctionType::get(Void, false),
                                GlobalValue::InternalLinkage, Constructor, M);
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", Ctor));
  FunctionCallee Tell = M.getOrInsertFunction(Callee, Void, B.getPtrTy());
  B.CreateCall(Tell, {B.CreateGlobalString(F.getName())});
  B.CreateRetVoid();
  appendToGlobalCtors(M, Ctor, 101);
}

bool gridspan::declareUntrackedWork(Module &M) {
  // Work of the driver tells the runtime most.
  const Function *Untracked = firstUsed(M, false, givesDriverWork);
  if (!Untracked)
    Untracked = firstUsed(M, false, mayGiveUntrackedWork);
  const Function *Graphs = firstUsed(M, true, looksIntoGraphs);
  if (Untracked)
    tell(M, "__gridspan_unseen_work", "__gridspan_unseen_ctor", *Untracked);
  if (Graphs)
    tell(M, "__gridspan_looks_into_graphs", "__gridspan_graphs_ctor", *Graphs);
  return Untracked || Graphs;
}
