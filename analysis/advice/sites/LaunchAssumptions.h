//===- LaunchAssumptions.h - The launch that advice is about ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Combines what the user says of launches with typical numbers for the rest.
// The user may speak of all kernels or of single ones by name.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_SITES_LAUNCHASSUMPTIONS_H
#define GRIDSPAN_ANALYSIS_ADVICE_SITES_LAUNCHASSUMPTIONS_H

#include "analysis/advice/sites/MeasuredSites.h"
#include "analysis/expr/ConcreteEval.h"
#include "analysis/expr/LaunchDefaults.h"
#include <optional>
#include <set>

namespace gridspan {

/// Names that say more of a kernel than those before: none, for every kernel;
/// as in the source, without parameters; mangled.
std::array<std::string, 3> kernelNames(const std::string &Mangled);

/// Something by kernel name, as in kernelNames().
template <class T> struct OfKernels {
  std::map<std::string, T> ByName;

  /// Returns what is said of the kernel, or null.
  const T *find(const std::string &Mangled) const {
    const T *Found = nullptr;
    for (const std::string &Name : kernelNames(Mangled))
      if (auto It = ByName.find(Name); It != ByName.end())
        Found = &It->second;
    return Found;
  }
};

/// The known numbers of the launches to look at; the rest is assumed.
struct LaunchAssumptions {
  OfKernels<std::array<uint32_t, 3>> Block, Grid;
  /// Bytes of dynamic shared memory of a block.
  OfKernels<uint64_t> DynamicShared;
  /// Values by parameter and byte offset in it.
  std::map<std::pair<unsigned, unsigned>, OfKernels<int64_t>> Params;
  /// Those of Params that nobody has said, by the kernel's mangled name.
  std::map<std::string, std::set<std::pair<unsigned, unsigned>>> AssumedParams;
  /// The same of pointers: base addresses modulo 256. Others are as
  /// TrafficOptions say.
  std::map<std::pair<unsigned, unsigned>, OfKernels<unsigned>> Bases;
  /// What a run has recorded in such launches.
  MeasuredKernels Measured;

  /// Returns what is said of the parameter, or null.
  const int64_t *param(const std::string &Mangled,
                       std::pair<unsigned, unsigned> Param) const;
  /// Returns true if somebody has said what the parameter is.
  bool isGiven(const std::string &Mangled,
               std::pair<unsigned, unsigned> Param) const;
};

/// Returns the launch with what is known of it, and typical numbers otherwise:
/// 256 threads along the axes that the kernel uses, integer parameters of 1024,
/// a grid that covers as many along each axis, no dynamic shared memory.
LaunchValues assumedLaunch(const KernelSites &Kernel,
                           const LaunchAssumptions &Known);

/// Returns Known with all of Launch as what is known of the kernel, parameters
/// that are Assumed in it included.
LaunchAssumptions
withLaunch(LaunchAssumptions Known, const std::string &Kernel,
           const LaunchValues &Launch,
           const std::set<std::pair<unsigned, unsigned>> &Assumed);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_SITES_LAUNCHASSUMPTIONS_H
