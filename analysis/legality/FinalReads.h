//===- FinalReads.h - Reads that no block can change --------------*- C++
//-*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who looks for a place in a hash table, or for a number in a list, reads on
// purpose what others may have written, but waits for none of them: what has
// been found stays so, or is looked at once.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_LEGALITY_FINALREADS_H
#define GRIDSPAN_ANALYSIS_LEGALITY_FINALREADS_H

#include "llvm/Analysis/CycleAnalysis.h"

namespace gridspan {

/// Returns true if I is a read in C of which another turn cannot find anything
/// else by what other blocks of the launch do. Errs on the side of false.
bool isFinalRead(const llvm::Instruction &I, const llvm::Cycle &C,
                 const llvm::CycleInfo &Cycles);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_LEGALITY_FINALREADS_H
