//===- OtherLaunches.h - Launches that get to a site ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that depends on a mode or on a size is not executed in the launch that
// is assumed, where nobody has said what that is. This looks for a launch that
// executes it and differs in the value of one assumed parameter.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_COALESCING_OTHERLAUNCHES_H
#define GRIDSPAN_ANALYSIS_ADVICE_COALESCING_OTHERLAUNCHES_H

#include "analysis/advice/sites/LaunchAssumptions.h"
#include "analysis/advice/sites/MemorySites.h"
#include "analysis/advice/warpsim/SiteTraffic.h"
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace gridspan {

/// A parameter and a value of it.
struct ParameterValue {
  unsigned Param = 0, ByteOffset = 0;
  int64_t Value = 0;
};

class OtherLaunches {
public:
  /// All must outlive it. Launch is the one that is assumed.
  OtherLaunches(const KernelSites &Kernel, const LaunchAssumptions &Known,
                const LaunchValues &Launch, const TrafficOptions &Options);

  /// Returns a value of a parameter nobody gives with which threads get to the
  /// site, which they do not without; or nothing.
  std::optional<ParameterValue> executing(const MemorySite &Site);

  /// Returns the launch with that value.
  LaunchValues with(const ParameterValue &Changed) const;
  /// Returns what is known of that launch.
  LaunchMemo &memoOf(const ParameterValue &Changed);

private:
  /// The conditions and loops of a site.
  using Way = std::vector<ExprId>;

  std::vector<ParameterValue> valuesFor(const Way &Path) const;
  bool isExecuted(const MemorySite &Site, const ParameterValue &Changed);

  const KernelSites &Kernel;
  const LaunchAssumptions &Known;
  const LaunchValues &Launch;
  TrafficOptions Options;
  std::map<Way, std::optional<ParameterValue>> Found;
  std::map<std::tuple<unsigned, unsigned, int64_t>, LaunchMemo> Memos;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_COALESCING_OTHERLAUNCHES_H
