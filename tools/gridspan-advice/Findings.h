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
#include "tools/gridspan-advice/RunProfile.h"
#include "tools/gridspan-advice/SharedLayouts.h"

namespace gridspan {

struct Findings {
  std::vector<Kernel> Kernels;           ///< those that take longest first
  std::vector<Finding> List;             ///< by the expected gain
  std::vector<SharedLayout> Layouts;     ///< of types of several kernels
  std::vector<Assumption> Assumptions;   ///< as in AdviceData
  unsigned NumSites = 0, NumUnknown = 0; ///< accesses looked at, and not known
  unsigned NumSmall = 0;  ///< findings that are not in List: see LeastGain
  bool HasReport = false; ///< or a profile
  std::optional<RunSummary> Run; ///< of the profile
  /// Why launches of the run could not be looked at, a line each.
  std::vector<std::string> Warnings;
  bool HasSeveralTargets = false; ///< so that findings have to say theirs

  const Kernel &kernelOf(const Finding &F) const { return Kernels[F.Kernel]; }
  /// Returns the kernel's name, with its architecture if findings differ in it.
  std::string kernelName(const Kernel &K) const;
  /// Returns the seconds saved in all launches that are looked at.
  double saved(const Finding &F) const {
    const Kernel &K = kernelOf(F);
    return F.SavedSeconds * static_cast<double>(K.Launches) * K.scale();
  }
  /// Units too many in them.
  double excess(const Finding &F) const {
    return (F.Units - F.IdealUnits) * static_cast<double>(kernelOf(F).Launches);
  }
};

/// The files to read, and how.
struct FindingsRequest {
  std::vector<std::string> Paths; ///< advice files, and folders of them
  std::string Report;             ///< of a run, or empty
  std::string Profile;            ///< of a run, or empty; with no report
  std::string Target;             ///< only of this architecture; empty: of all
  /// Keep what the compiler wrote, even where kernels ran in another way.
  bool AsCompiled = false;
  bool All = false; ///< also findings that gain less than LeastGain
};

/// How many times as fast a finding has to make the program, by all launches of
/// the run, or without a report a launch of its kernel. What gains less is not
/// worth a change of the source.
constexpr double LeastGain = 1.05;

/// Throws std::runtime_error with a message for the user. With a report,
/// kernels that did not run are left out, and advice is for the launches that
/// most of a kernel's were. Remarks that repeat each other about one array are
/// one finding, with the others below the one that gains most.
Findings readFindings(const FindingsRequest &Request);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_FINDINGS_H
