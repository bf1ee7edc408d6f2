//===- LoadWaits.h - How long a warp waits for loads ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From what the accesses of a kernel find in the caches, the cycles until the
// result of each load and atomic is there.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_COST_LOADWAITS_H
#define GRIDSPAN_ANALYSIS_ADVICE_COST_LOADWAITS_H

#include "analysis/advice/cost/BackendCode.h"
#include "analysis/advice/cost/LocalMemory.h"
#include "analysis/advice/cost/WarpSchedule.h"
#include "analysis/advice/warpsim/L1Traffic.h"

namespace gridspan {

/// The instructions of a try of isExchangeLoop(): load, sum, exchange,
/// comparison, branch.
constexpr double ExchangeInstructions = 6;

/// Returns true for an atomic of shared memory that the hardware has not, as of
/// floating-point numbers: ptxas makes a loop of it that loads, computes, and
/// exchanges if nobody was faster. Lanes on one address take turns.
bool isExchangeLoop(const MemorySite &Site);

/// Returns the warps of a block that are in such a loop for one address: all
/// where it is the same in all threads, else one.
double warpsInTurn(const KernelSites &Kernel, const MemorySite &Site,
                   unsigned WarpsPerBlock);

/// Returns for each instruction of a block how many loads come before it one
/// after the other: a load waits together with those of its own turn.
std::vector<unsigned> turnsOf(const PtxBlock &Block);

/// Returns the cycles for each PTX instruction that needs memory. Miss: those
/// of a request that misses L1.
LoadLatencies loadWaits(const BackendKernel &Code,
                        llvm::ArrayRef<L1Rates> Rates,
                        const LocalTraffic &Local, double Miss,
                        unsigned WarpsPerBlock, const MachineModel &Machine);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_COST_LOADWAITS_H
