//===- Reconvergence.h - Where threads that part meet again -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks that no way from a branch to one of some targets goes around: whoever
// leaves the branch for a target comes there, whichever way it takes.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_REGIONS_RECONVERGENCE_H
#define GRIDSPAN_PASSES_CPU_REGIONS_RECONVERGENCE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/BasicBlock.h"

namespace gridspan {

/// Returns the blocks that each way from the end of From to the beginning of a
/// target passes before it gets there, or ends at, the nearest first. Targets
/// are passed by no way. Returns nothing if no target is reached.
llvm::SmallVector<const llvm::BasicBlock *> reconvergencePoints(
    const llvm::BasicBlock &From,
    llvm::function_ref<bool(const llvm::BasicBlock &)> IsTarget);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_RECONVERGENCE_H
