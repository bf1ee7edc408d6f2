//===- AccessTrace.h - Writes what kernels touch ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_CPU_ACCESSTRACE_H
#define GRIDSPAN_RUNTIME_CPU_ACCESSTRACE_H

#include "cpu/TraceFormat.h"
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>

namespace gridspan {

/// The file of GRIDSPAN_TRACE_ACCESS. Thread-safe; records of one launch may be
/// between those of others.
class AccessTraceFile {
public:
  /// Creates or truncates the file; null, with errno set, when that fails.
  static std::unique_ptr<AccessTraceFile> create(const std::string &Path);
  ~AccessTraceFile();

  /// Writes a launch and returns the number that its requests carry.
  uint32_t beginLaunch(TracedLaunch Launch);
  void append(const std::string &Records);
  /// Whether everything could be written so far.
  bool good() const { return !Failed; }

private:
  explicit AccessTraceFile(FILE *File) : File(File) {}

  FILE *File;
  std::mutex Lock;
  std::atomic<uint32_t> NextLaunch = 0;
  std::atomic<bool> Failed = false;
};

/// Collects the accesses of one block in the order in which its threads make
/// them, and writes them as requests at its end. Not thread-safe: a block runs
/// on one host thread.
class BlockTrace {
public:
  BlockTrace(AccessTraceFile &File, uint32_t Launch,
             std::array<uint32_t, 3> Block, uint32_t Threads);

  /// Thread is the linear index in the block, x fastest.
  void record(uint32_t Thread, uint32_t Site, uint32_t Mode, uint64_t Address,
              uint64_t Bytes);
  void finish();

private:
  struct Event {
    uint32_t Site, Warp, Occurrence, Mode, Bytes, Lane;
    uint64_t Address;
  };

  AccessTraceFile &File;
  uint32_t Launch;
  std::array<uint32_t, 3> Block;
  std::vector<Event> Events;
  /// Executions of each site so far, by site and mode (a block copy reads and
  /// writes) and thread.
  std::vector<std::pair<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>>>
      Counts;
  uint32_t Threads;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_CPU_ACCESSTRACE_H
