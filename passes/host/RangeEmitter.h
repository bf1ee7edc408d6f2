//===- RangeEmitter.h - Range and work functions of a kernel ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the expressions of a summary into functions that a launch calls:
// bytes that a box of blocks accesses, and its work.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_HOST_RANGEEMITTER_H
#define GRIDSPAN_PASSES_HOST_RANGEEMITTER_H

#include "analysis/summary/KernelSummary.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace gridspan {

/// Adds to M the GridspanRangeFn of the kernel; null if it has no accesses.
llvm::Function *emitRangeFunction(llvm::Module &M, const KernelSummary &Kernel);

/// Adds to M the GridspanWorkFn of the kernel; null if nothing is known.
llvm::Function *emitWorkFunction(llvm::Module &M, const KernelSummary &Kernel);

/// Adds to M the GridspanAtomicsFn of the kernel; null if it has no atomics on
/// global memory.
llvm::Function *emitAtomicsFunction(llvm::Module &M,
                                    const KernelSummary &Kernel);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_HOST_RANGEEMITTER_H
