//===- Retries.h - Compare-and-swaps that only try again --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compare-and-swap whose failure only says that another thread has succeeded,
// and whose success leaves its cycle, is lock-free: while others rest, one turn
// finds what is there, and the next one succeeds.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_RETRIES_H
#define GRIDSPAN_ANALYSIS_NVPTX_RETRIES_H

#include "llvm/Analysis/CycleAnalysis.h"

namespace gridspan {

/// Returns true if Swap is a compare-and-swap that is in no inner cycle of C,
/// expects, behind a turn in which it has failed, what was found there since,
/// and leaves C if it succeeds.
bool isRetry(const llvm::Instruction &Swap, const llvm::Cycle &C,
             const llvm::CycleInfo &Cycles);

/// Returns true if Swap is a compare-and-swap that is in no inner cycle of C,
/// and leaves C if it succeeds, whatever it expects.
bool leavesOnSuccess(const llvm::Instruction &Swap, const llvm::Cycle &C,
                     const llvm::CycleInfo &Cycles);

/// Returns the compare-and-swap of which I tells no more than whether it has
/// succeeded, or null.
const llvm::Instruction *swapBehind(const llvm::Value *I);

/// Returns true if Swap, in the function of Cycles, is a retry of its innermost
/// cycle, and nothing but that cycle uses what it finds.
bool isRetryWithin(const llvm::Instruction &Swap,
                   const llvm::CycleInfo &Cycles);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_RETRIES_H
