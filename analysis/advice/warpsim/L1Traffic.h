//===- L1Traffic.h - Requests of sites that leave L1 ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the work of a multiprocessor's load unit and L1 cache for the requests
// of each site. Reuse is found by running the requests through a model of the
// cache: by other lanes, warps and iterations, and by blocks that are there
// together.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_L1TRAFFIC_H
#define GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_L1TRAFFIC_H

#include "analysis/advice/warpsim/KernelWalk.h"
#include "analysis/machine/MachineModel.h"

namespace gridspan {

/// Means over the requests of a site that were looked at.
struct L1Rates {
  double Requests = 0; ///< for each execution of its block by a warp
  double Lanes = 0;    ///< active in a request, and so on
  double Units = 0;    ///< sectors, or passes over the banks
  double Lines = 0;
  double Passes = 0;
  double Cycles = 0; ///< of the load unit, if it hits; of global memory
  double Addresses = 0;
  double MissedSectors = 0; ///< of loads: fetched from L2
  /// Of these, as far as their bytes are used while they are in L1, by any
  /// site.
  double UsedSectors = 0;
  double MissedLines = 0;  ///< lines that lack a sector
  double WaitShare = 0;    ///< requests that have to wait for L2
  bool IsKnown = true;     ///< else addresses were assumed to be random
  bool IsMeasured = false; ///< or a run has recorded some
  double ArrayBytes = 0;   ///< of the array, if that is known
};

/// L1Bytes: what is left of the cache beside shared memory. Resident: blocks on
/// a multiprocessor together.
std::vector<L1Rates> l1RatesOf(const KernelSites &Kernel, KernelWalk &Walk,
                               const MachineModel &Machine, uint64_t L1Bytes,
                               unsigned Resident);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_L1TRAFFIC_H
