//===- PureVirtuals.cpp - What stands for pure virtual functions ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of such a function is undefined behaviour, so that any definition will
// do: these end the kernel, as nvcc's do. They are internal: each module that
// is linked brings its own.
//
// Source: Itanium C++ ABI, 2.5.4 and 3.2.6.
//
//===----------------------------------------------------------------------===//

#include "passes/device/PureVirtuals.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace gridspan;

PreservedAnalyses PureVirtualsPass::run(Module &M, ModuleAnalysisManager &) {
  if (!Triple(M.getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  bool Changed = false;
  for (StringRef Name : {"__cxa_pure_virtual", "__cxa_deleted_virtual"}) {
    Function *F = M.getFunction(Name);
    if (!F || !F->isDeclaration())
      continue;
    F->setLinkage(GlobalValue::InternalLinkage);
    F->setVisibility(GlobalValue::DefaultVisibility);
    F->setDSOLocal(true);
    IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", F));
    B.CreateIntrinsic(Intrinsic::trap, {}, {});
    B.CreateUnreachable();
    Changed = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
