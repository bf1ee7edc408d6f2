//===- HostPass.cpp - The host side of a CUDA file ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the parts together, each of which has its own file.
//
//===----------------------------------------------------------------------===//

#include "gridspan/Passes/HostPass.h"
#include "gridspan/Passes/ApiRedirect.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace gridspan;

PreservedAnalyses HostPass::run(Module &M, ModuleAnalysisManager &) {
  if (Triple(M.getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  if (!redirectCudaApi(M))
    return PreservedAnalyses::all();
  return PreservedAnalyses::none();
}
