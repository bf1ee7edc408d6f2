//===- Findings.h - Advice of a whole build, ranked -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list of what advice files and the report of a run say: what costs most
// first.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_FINDINGS_H
#define GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_FINDINGS_H

#include "tools/gridspan-advice/AdviceReader.h"
#include "tools/gridspan-advice/SharedLayouts.h"

namespace gridspan {

struct Findings {
  std::vector<Kernel> Kernels;           ///< those that take longest first
  std::vector<Finding> List;             ///< by the expected gain
  std::vector<SharedLayout> Layouts;     ///< of types of several kernels
  std::vector<Assumption> Assumptions;   ///< as in AdviceData
  unsigned NumSites = 0, NumUnknown = 0; ///< accesses looked at, and not known
  bool HasReport = false;
  bool HasSeveralTargets = false; ///< so that findings have to say theirs

  const Kernel &kernelOf(const Finding &F) const { return Kernels[F.Kernel]; }
  /// Returns the kernel's name, with its architecture if findings differ in it.
  std::string kernelName(const Kernel &K) const;
  /// Returns the seconds saved in all launches that are looked at.
  double saved(const Finding &F) const {
    return F.SavedSeconds * static_cast<double>(kernelOf(F).Launches);
  }
  /// Units too many in them.
  double excess(const Finding &F) const {
    return (F.Units - F.IdealUnits) * static_cast<double>(kernelOf(F).Launches);
  }
};

/// Throws std::runtime_error with a message for the user. See readAdvice();
/// Report may be empty. With a report, kernels that did not run are left out.
/// Remarks that repeat each other about one array are one finding, with the
/// others below the one that gains most.
Findings readFindings(const std::vector<std::string> &Paths,
                      const std::string &Report, const std::string &Target);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_FINDINGS_H
