//===- Findings.h - Advice of a whole build, ranked -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads advice files (docs/advice-schema.md) and, if there is one, the report
// of a run, and makes one list of them: what costs most first.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ADVICE_FINDINGS_H
#define GRIDSPAN_ADVICE_FINDINGS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gridspan {

/// One place in the source, or a kernel as a whole, and what to do there.
struct Finding {
  std::string Kernel, Rule, Message, Advice;
  /// What was compiled, and the architecture that it was compiled for.
  std::string Source, Target;
  std::string File; ///< empty: not known
  unsigned Line = 0, Column = 0;
  bool IsExact = true;
  /// Of one launch, over all machine instructions of the place.
  double Units = 0, IdealUnits = 0;
  /// Predicted: what a launch would take less, and how many times as fast it
  /// would be; Gain is 0 where only the access is known.
  double SavedSeconds = 0, Gain = 0;
  /// Launches in the report; 1 without a report.
  uint64_t Launches = 1;

  /// The expected gain in all launches: the order of the list.
  double saved() const { return SavedSeconds * static_cast<double>(Launches); }
  /// Units too many in all launches, for those of equal gain.
  double excess() const {
    return (Units - IdealUnits) * static_cast<double>(Launches);
  }
};

struct Findings {
  std::vector<Finding> List;
  unsigned NumSites = 0, NumUnknown = 0; ///< accesses looked at, and not known
  bool HasReport = false;
  bool HasSeveralTargets = false; ///< so that findings have to say theirs
};

/// Throws std::runtime_error with a message for the user. Of a folder, every
/// advice file in it counts. Report may be empty. The same kernel of one source
/// for one architecture counts once. With a report, kernels that did not run
/// have no findings.
Findings readFindings(const std::vector<std::string> &Files,
                      const std::string &Report);

} // namespace gridspan

#endif // GRIDSPAN_ADVICE_FINDINGS_H
