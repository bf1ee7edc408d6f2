//===- RepairDominance.h - Values behind new ways --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transformation that adds ways through a function may leave uses that some
// ways get to without the definition, where the use does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_REGIONS_REPAIRDOMINANCE_H
#define GRIDSPAN_PASSES_CPU_REGIONS_REPAIRDOMINANCE_H

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Makes all definitions of F dominate their uses; a use that is reached
/// without its definition gets 0.
void repairDominance(llvm::Function &F);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_REPAIRDOMINANCE_H
