//===- RegionSteps.h - Loops that threads take together ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that walks through planes of an array touches memory far apart in
// each turn of its loop, where its neighbours touch the bytes beside. On a CPU
// all threads of a row should take a turn before any takes the next one, as on
// a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_REGIONS_REGIONSTEPS_H
#define GRIDSPAN_PASSES_CPU_REGIONS_REGIONSTEPS_H

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Puts a barrier into the loops of a kernel with thread parameters that are
/// better taken together. Returns true if there are any. It is for the caller
/// to see whether all threads get to these barriers (CpuRegions.h).
bool insertSteps(llvm::Function &Kernel);

/// The same for loops in steps of a block only (StridedLoop.h), to whose
/// barriers more threads get.
bool insertStridedSteps(llvm::Function &Kernel);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_REGIONSTEPS_H
