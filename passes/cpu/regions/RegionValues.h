//===- RegionValues.h - Values that live across barriers --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes all that a thread keeps across a barrier explicit: variables, which the
// caller can put where the other threads' are.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_REGIONS_REGIONVALUES_H
#define GRIDSPAN_PASSES_CPU_REGIONS_REGIONVALUES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

namespace gridspan {

/// A variable that a thread keeps across a barrier.
struct RegionVariable {
  llvm::AllocaInst *Variable = nullptr;
  /// True if all threads that have not ended have the same value in it.
  bool IsUniform = false;
  /// True if its address is used, false if it is only loaded and stored whole.
  bool IsMemory = false;
};

/// Rewrites a function with thread parameters such that nothing but variables
/// and parameters lives across a barrier, and returns these variables. What is
/// cheap to compute again is computed again. Entries are the blocks behind the
/// barriers, each of which is entered from one barrier only.
llvm::SmallVector<RegionVariable>
spillValues(llvm::Function &F, llvm::ArrayRef<llvm::BasicBlock *> Entries);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_REGIONVALUES_H
