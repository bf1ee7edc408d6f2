//===- Counters.h - Exits that a counter gets to ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A queue of work, while ((I = atomicAdd(Next, 1)) < N), reads on purpose what
// other blocks write, but waits for none of them: while they rest, the counter
// comes nearer to its bound by what the cycle itself does. It gets there if it
// cannot step over the bound, by a wrap or by an addition that is too large.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_LEGALITY_COUNTERS_H
#define GRIDSPAN_ANALYSIS_LEGALITY_COUNTERS_H

#include "llvm/Analysis/CycleAnalysis.h"
#include <optional>

namespace gridspan {

/// The way in which a value gets to the exit that it decides.
enum class Course { Any, Up, Down };

/// A condition by which a cycle is left: when Up is large or Down is small.
struct BoundedExit {
  const llvm::Value *Up, *Down;
  bool IsSigned, IsStrict; ///< how they are compared
};

/// Returns the condition at the end of Exiting, a block of C, if it compares
/// the order of two integers.
std::optional<BoundedExit> boundedExit(const llvm::BasicBlock &Exiting,
                                       const llvm::Cycle &C);

/// Returns the counter of C, if the exit is taken after a number of turns that
/// nothing but it and what comes from outside decides; null otherwise.
const llvm::PHINode *counterOfExit(const llvm::BasicBlock &Exiting,
                                   const llvm::Cycle &C);

/// Returns true if a turn of C may come to none of the blocks.
bool mayPassBy(const llvm::Cycle &C, llvm::ArrayRef<llvm::BasicBlock *> Blocks);

/// Returns true if I is an atomic addition that brings its place further on the
/// course each time, and nothing else in C writes there.
bool isTaking(const llvm::Instruction &I, Course Way, const llvm::Cycle &C);

/// Returns the operand of I that I follows on the course, if it does so and the
/// others are the same in all turns of C; null otherwise.
const llvm::Value *followedBy(const llvm::Instruction &I, const llvm::Cycle &C);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_LEGALITY_COUNTERS_H
