//===- RunProfile.h - What a run showed of kernels --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the file that GRIDSPAN_PROFILE has a program write, and says of each
// kernel how it was launched, how long that took, and what was recorded.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_RUNPROFILE_H
#define GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_RUNPROFILE_H

#include "tools/gridspan-advice/AdviceReader.h"
#include <memory>

namespace gridspan {

/// What is to be said of the run as a whole.
struct RunSummary {
  bool IsOnGpus = true;
  std::vector<std::string> Devices; ///< their names
  double Seconds = 0;               ///< of all launches, about
  uint64_t Launches = 0;
  /// Kernels that there is no advice on, as those of libraries.
  std::vector<std::string> NotAdvised;
};

/// Throws std::runtime_error with a message for the user.
class RunProfile {
public:
  explicit RunProfile(const std::string &Path);
  ~RunProfile();

  /// Returns the advice files and folders that the program was compiled with.
  std::vector<std::string> advice() const;

  /// Fills in what the run says of kernels. A kernel of another build of the
  /// program is an error.
  RunSummary apply(std::vector<Kernel> &Kernels) const;

private:
  struct Contents;
  std::unique_ptr<Contents> All;
};

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_RUNPROFILE_H
