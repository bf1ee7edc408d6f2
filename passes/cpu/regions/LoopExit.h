//===- LoopExit.h - What follows loops that may have no turn ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a loop's result is stored behind it, that is done only by threads that
// have had a turn: LLVM stores in the loop's exit, and the guard in front of
// the loop passes over both. Here the exit becomes one that all threads get to:
//
//     if (c) { loop; A }   becomes   if (c) loop; if (c) A
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_REGIONS_LOOPEXIT_H
#define GRIDSPAN_PASSES_CPU_REGIONS_LOOPEXIT_H

namespace llvm {
class DominatorTree;
class Loop;
} // namespace llvm

namespace gridspan {

/// Gives L, which a guard asks for its first turn, an exit that the guard goes
/// to as well. Returns false, and changes nothing, if it has one or is another
/// loop. Analyses of the function are no longer valid if it does.
bool joinExitWithGuard(const llvm::Loop &L, const llvm::DominatorTree &Tree);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_LOOPEXIT_H
