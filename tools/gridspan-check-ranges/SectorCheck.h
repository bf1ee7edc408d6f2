//===- SectorCheck.h - Compare predicted sectors with a trace ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The coalescing analysis on the device code that a program carries, with the
// arguments of the launches in a trace: where it claims to be exact, requests,
// lanes and sectors must be those of the traced addresses.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPAN_CHECK_RANGES_SECTORCHECK_H
#define GRIDSPAN_TOOLS_GRIDSPAN_CHECK_RANGES_SECTORCHECK_H

#include "analysis/advice/sites/MemorySites.h"
#include "tools/gridspan-check-ranges/RangeCheck.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace gridspan {

/// Added up over launches and sites that are executed.
struct SectorStatistics {
  unsigned Sites = 0;
  unsigned Unknown = 0; ///< of these: no number
  unsigned Exact = 0;   ///< of these: claimed to be exact
  double Sectors = 0;   ///< traced, at the exact ones
  std::vector<Violation> Violations;
};

class SectorCheck {
public:
  /// Takes the kernels of a bitcode payload in.
  llvm::Error add(llvm::StringRef Bitcode);

  /// Compares a launch that ran on one device.
  void check(const KernelSummary &Kernel, const TracedLaunch &Launch,
             const std::vector<TracedRequest> &Requests,
             SectorStatistics &Out) const;

private:
  std::map<std::string, KernelSites> Kernels; ///< by the function's name
};

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPAN_CHECK_RANGES_SECTORCHECK_H
