//===- Waits.h - Cycles that wait for another block -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of an ordinary launch are not promised to run at the same time, but on
// one device those that run do make progress, and kernels rely on it: flags,
// locks, tickets. Blocks on other devices may start later, or after these.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_LEGALITY_WAITS_H
#define GRIDSPAN_ANALYSIS_LEGALITY_WAITS_H

#include "llvm/Analysis/CycleAnalysis.h"

namespace gridspan {

/// Returns an instruction that reads, on purpose, what another block may have
/// written, and on which it depends whether one of Cycles is left; null if no
/// cycle waits so. Errs on the side of finding one.
const llvm::Instruction *findWait(const llvm::CycleInfo &Cycles);

/// Returns such a read of F, or of what it calls, if F may call itself; null if
/// there is none.
const llvm::Instruction *findRecursiveWait(const llvm::Function &F);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_LEGALITY_WAITS_H
