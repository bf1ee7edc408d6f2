//===- MeasuredSites.h - What a run has shown of accesses -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses whose addresses, or how often they are executed, follow from data: a
// run has recorded a sample of their requests. Numbers are those of a launch.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_SITES_MEASUREDSITES_H
#define GRIDSPAN_ANALYSIS_ADVICE_SITES_MEASUREDSITES_H

#include "analysis/advice/sites/MemorySites.h"
#include <map>
#include <string>

namespace gridspan {

/// Sums over the requests of a launch, estimated from those of the sample.
struct MeasuredSite {
  double Requests = 0, Lanes = 0;
  /// Of 32 and 128 bytes, and different addresses, each of one request.
  double Sectors = 0, Lines = 0, Addresses = 0;
  double IdealSectors = 0; ///< if the lanes' bytes lay side by side
  /// The share of Sectors that the warp had not asked for before.
  double FreshShare = 1;
  double ArrayBytes = 0; ///< of the allocation that it touches; 0: not known
};

/// By number of the access.
using MeasuredKernel = std::map<uint32_t, MeasuredSite>;

/// By symbol name of the kernel.
using MeasuredKernels = std::map<std::string, MeasuredKernel>;

/// Finds what was measured, in forms of a kernel that the compiler has changed.
class MeasuredSites {
public:
  /// Of the kernel as written, whose accesses have the numbers. Both outlive
  /// it.
  MeasuredSites(const MeasuredKernel &Of, const KernelSites &Written);

  bool empty() const { return Of.empty(); }
  /// Returns what was measured of an access of any form, or null. One that was
  /// joined from several is as the one of them that touched most.
  const MeasuredSite *of(const MemorySite &Site) const;

private:
  using Place = std::pair<std::string, SiteKind>;
  const MeasuredKernel &Of;
  std::map<Place, const MeasuredSite *> ByPlace;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_SITES_MEASUREDSITES_H
