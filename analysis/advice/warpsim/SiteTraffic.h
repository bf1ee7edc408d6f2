//===- SiteTraffic.h - Requests of one memory site --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the address of a memory site through the warps of a launch and adds up
// what its requests cost (WarpRequest.h).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_SITETRAFFIC_H
#define GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_SITETRAFFIC_H

#include "analysis/advice/sites/MemorySites.h"
#include "analysis/expr/ConcreteEval.h"
#include "analysis/expr/WarpEval.h"
#include <optional>

namespace gridspan {

/// Bounds of the work, and the assumed alignment.
struct TrafficOptions {
  /// Requests evaluated for a site at most, about: a launch with more is
  /// sampled.
  unsigned MaxRequests = 4096;
  /// The base address modulo 256: cudaMalloc gives 0.
  unsigned BaseAlignment = 0;
};

/// Sums over the requests of a site, one for each machine instruction that a
/// warp executes with an active lane. Units are 32-byte sectors for global
/// memory and passes over the banks for shared memory. Fractions come from
/// weights of sampled requests.
struct TrafficSums {
  double Requests = 0, Lanes = 0, Units = 0, Ideal = 0;
  /// Units if the base address were the worst that the access size allows.
  double WorstUnits = 0;
  unsigned MinUnits = 0, MaxUnits = 0; ///< of one request
};

struct SiteTraffic {
  /// The launch's sums; nothing if an address is unknown.
  std::optional<TrafficSums> Sums;
  std::string Why; ///< why there are none
  /// All requests were evaluated, and everything below is known: the sums are
  /// those of the launch.
  bool IsExact = false;
  bool IsSampled = false;         ///< some requests stand for others
  bool AreGuardsKnown = true;     ///< else lanes may be fewer
  bool AreTripCountsKnown = true; ///< else the sums are of a few iterations
  /// Lanes of a warp leave a loop one after the other: where the compiler
  /// unrolls it, they no longer meet in the same requests.
  bool DoLoopsDiverge = false;
  /// Bytes from one lane to the next, where that is the same in every request
  /// with all lanes active.
  std::optional<int64_t> LaneStride;
  /// All active lanes of every request have one address.
  bool IsBroadcast = false;
};

/// The memo is that of the graph and the launch.
SiteTraffic evaluateTraffic(const ExprGraph &Graph, const MemorySite &Site,
                            const LaunchValues &Launch,
                            const TrafficOptions &Options = {},
                            LaunchMemo *Memo = nullptr);

/// The same with the site's OpenOffset in place of its offset, and open values
/// as they are in a try (WarpEval::setTry). It is never exact.
SiteTraffic tryTraffic(const ExprGraph &Graph, const MemorySite &Site,
                       const LaunchValues &Launch,
                       const TrafficOptions &Options, unsigned Try,
                       LaunchMemo *Memo = nullptr);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_SITETRAFFIC_H
