//===- SavedTimes.h - Histories of launches on disk -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps what was learned from the launches of a program for its next run, so
// that a short program does not begin with the same tries each time. There is
// one file of the cache (CacheFile.h) for each program or library that has
// kernels. Its key names the machine, the devices, Gridspan's version and the
// file that the kernels are in, with its size and the time of its last change:
// kernels that were compiled anew start without times.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_SAVEDTIMES_H
#define GRIDSPAN_RUNTIME_LAUNCH_SAVEDTIMES_H

#include "runtime/plan/SavedHistory.h"
#include <compare>
#include <filesystem>
#include <map>
#include <string>

namespace gridspan {

/// Not thread-safe.
class SavedTimes {
public:
  /// The launches of a class (LaunchClasses.h), in any process.
  struct ClassName {
    std::string Kernel; ///< its mangled name
    uint64_t BlockThreads = 0;
    int Blocks = 0;
    int Work = 0;
    uint64_t Scalars = 0; ///< a hash of those of all launches; 0: any
    auto operator<=>(const ClassName &) const = default;
  };
  using Histories = std::map<ClassName, SavedHistory>;

  /// Machine names the devices and all that their times depend on. NumDevices:
  /// how many there are.
  SavedTimes(std::filesystem::path Directory, std::string Machine,
             unsigned NumDevices)
      : Directory(std::move(Directory)), Machine(std::move(Machine)),
        NumDevices(NumDevices) {}

  /// Returns what was kept of a class. Code is an address in the file that has
  /// the kernel. Reads each file once.
  LaunchHistory find(const void *Code, const ClassName &Class);

  /// Reads the file of the program itself, before a launch waits for it.
  void readProgram();

  /// Keeps a history for later processes, from the next write() on.
  void note(const void *Code, const ClassName &Class,
            const LaunchHistory &History);

  /// Writes the files that something was noted for. Other processes may have
  /// written meanwhile: the last one stays.
  void write();

private:
  struct File {
    Histories Known;
    bool IsKept = false; ///< it has a name on disk
    bool IsNew = false;  ///< something was noted
  };
  File &fileOf(const void *Code);
  File &fileOfName(const std::string &Name);

  const std::filesystem::path Directory;
  const std::string Machine;
  const unsigned NumDevices;
  std::map<std::string, File> Files; ///< by key
  File *Program = nullptr;           ///< that of the program, once it is read
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_SAVEDTIMES_H
