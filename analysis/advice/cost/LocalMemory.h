//===- LocalMemory.h - What arrays of threads cost --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays of a thread that are indexed at run time are in local memory, which is
// cached in L1 as global memory is.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_COST_LOCALMEMORY_H
#define GRIDSPAN_ANALYSIS_ADVICE_COST_LOCALMEMORY_H

#include "analysis/advice/cost/BackendCode.h"
#include "analysis/advice/warpsim/KernelWalk.h"

namespace gridspan {

/// Of the whole launch.
struct LocalTraffic {
  double MissShare = 0; ///< requests that L1 has to fetch, or to make room for
  double LoadUnitCycles = 0;
  double L1Sectors = 0; ///< asked of L1 by loads
  double L2ReadSectors = 0, L2WriteSectors = 0;
};

/// ResidentWarps: those of a multiprocessor; L1Bytes: what L1 has.
LocalTraffic localTraffic(const BackendKernel &Code, const LaunchCounts &Counts,
                          double ResidentWarps, uint64_t L1Bytes,
                          const MachineModel &Machine);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_COST_LOCALMEMORY_H
