//===- RunCommand.h - Runs a program for its profile ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gridspan-advice run PROGRAM ARGUMENTS.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_RUNCOMMAND_H
#define GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_RUNCOMMAND_H

#include <string>
#include <vector>

namespace gridspan {

/// Runs the command with GRIDSPAN_PROFILE=Profile and waits for it. Returns a
/// warning if it failed and has written a profile all the same, or an empty
/// text. Throws std::runtime_error with a message for the user if there is no
/// profile.
std::string runForProfile(const std::vector<std::string> &Command,
                          const std::string &Profile);

/// Makes a folder of its own, which goes with the object.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  std::string file(const std::string &Name) const { return Path + "/" + Name; }

private:
  std::string Path;
};

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_RUNCOMMAND_H
