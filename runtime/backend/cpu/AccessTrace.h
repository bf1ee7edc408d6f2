//===- AccessTrace.h - Writes the accesses of kernels -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the accesses of threads into requests of warps and writes them to a
// file (gridspan/AccessTraceFormat.h).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_ACCESSTRACE_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_ACCESSTRACE_H

#include "gridspan/AccessTraceFormat.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <cstdio>
#include <memory>

namespace gridspan {

/// The file of GRIDSPAN_TRACE_ACCESS. Thread-safe; records of launches may
/// alternate.
class AccessTraceFile {
public:
  /// Creates or truncates the file. Returns null and sets errno on an error.
  static std::unique_ptr<AccessTraceFile> create(const std::string &Path);
  ~AccessTraceFile();

  /// Writes a launch and returns the number that its requests carry.
  uint32_t beginLaunch(TracedLaunch Launch);
  void append(const std::string &Records);
  /// Returns true if everything could be written so far.
  bool good() const { return !Failed; }

private:
  explicit AccessTraceFile(FILE *File) : File(File) {}

  Mutex Lock;
  FILE *File GUARDED_BY(Lock);
  std::atomic<uint32_t> NextLaunch = 0;
  std::atomic<bool> Failed = false;
};

/// Collects the accesses of one block in the order in which its threads make
/// them, and writes them as requests at its end. Not thread-safe: a block runs
/// on one host thread.
class BlockTrace {
public:
  BlockTrace(AccessTraceFile &File, uint32_t Launch,
             std::array<uint32_t, 3> Block);

  /// Notes an access. Thread is the linear index in the block, x fastest.
  /// Iterations numbers the iterations of the loops around the site, later ones
  /// by larger numbers.
  void record(uint32_t Thread, uint32_t Site, uint32_t Mode, uint64_t Address,
              uint64_t Bytes, uint64_t Iterations);
  void finish();

private:
  struct Event {
    uint32_t Site, Warp, Mode, Bytes, Lane;
    uint64_t Iterations;
    uint64_t Order; ///< of the recording
    /// Number of earlier events of this site, mode, lane and Iterations.
    uint32_t Repetition;
    uint64_t Address;
  };

  void countRepetitions();

  AccessTraceFile &File;
  uint32_t Launch;
  std::array<uint32_t, 3> Block;
  std::vector<Event> Events;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_ACCESSTRACE_H
