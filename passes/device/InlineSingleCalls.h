//===- InlineSingleCalls.h - Inline what only a kernel calls ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing is known of the addresses that a function accesses unless it is
// inlined into its kernel. clang leaves large functions alone, also those with
// a single call, as they may be called from elsewhere: functions of the device
// have external linkage. nvcc inlines them. Inlining such a function costs no
// code, since what is left of it is never called.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_INLINESINGLECALLS_H
#define GRIDSPAN_PASSES_DEVICE_INLINESINGLECALLS_H

#include "llvm/IR/PassManager.h"

namespace gridspan {

/// Inlines into the kernels of a device module the functions with memory
/// accesses that nothing else calls, and runs Simplify on these kernels.
/// Changes no other module.
class InlineSingleCallsPass
    : public llvm::PassInfoMixin<InlineSingleCallsPass> {
public:
  explicit InlineSingleCallsPass(llvm::FunctionPassManager Simplify)
      : Simplify(std::move(Simplify)) {}

  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);

private:
  llvm::FunctionPassManager Simplify;
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_INLINESINGLECALLS_H
