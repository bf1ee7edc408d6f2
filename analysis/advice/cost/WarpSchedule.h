//===- WarpSchedule.h - Cycles of a warp that runs alone --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycles that a warp takes for each block of PTX while no other warp is there,
// and the loads that are under way meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_COST_WARPSCHEDULE_H
#define GRIDSPAN_ANALYSIS_ADVICE_COST_WARPSCHEDULE_H

#include "analysis/machine/MachineModel.h"
#include "analysis/machine/PtxCode.h"

namespace gridspan {

/// Cycles until the result of a memory instruction is there, by PTX block and
/// position in it; what is no load means nothing.
using LoadLatencies = std::vector<std::vector<double>>;

struct WarpSchedule {
  /// Cycles of an execution of each PTX block, in a loop those of one iteration
  /// among others; and where ptxas joins iterations, of one that is left over.
  std::vector<double> Cycles, LeftOver;
  /// Cycles in which loads of global memory were under way, one by one, and in
  /// which at least one was.
  std::vector<double> LoadCycles, WaitCycles;
};

WarpSchedule scheduleWarp(const PtxKernel &Kernel, const LoadLatencies &Loads,
                          const MachineModel &Machine);

/// Returns the cycles of a warp that executes the blocks of the IR so often.
/// BlockOf: of each block of the PTX, the one of the IR.
double cyclesOf(const PtxKernel &Kernel, llvm::ArrayRef<unsigned> BlockOf,
                const WarpSchedule &Schedule,
                llvm::ArrayRef<double> Executions);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_COST_WARPSCHEDULE_H
