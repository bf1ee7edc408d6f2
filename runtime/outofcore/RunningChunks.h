//===- RunningChunks.h - Chunks that devices were given ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The chunks of an out-of-core launch that devices were given and that nobody
// has waited for, in order. Bytes count as moved when their chunk has ended,
// and the line of progress is redrawn while one is waited for: a launch may be
// a single long chunk.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_RUNNINGCHUNKS_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_RUNNINGCHUNKS_H

#include "runtime/backend/Backend.h"
#include "runtime/report/Progress.h"
#include <deque>

namespace gridspan {

/// Not thread-safe.
class RunningChunks {
public:
  RunningChunks(Backend &B, Progress &Line, size_t Devices)
      : B(B), Line(Line), Given(Devices) {}

  /// Notes that Device was given a chunk for which Bytes bytes move. Done is
  /// recorded behind it, and lives until the chunk was waited for.
  void add(int Device, Event &Done, uint64_t Bytes) {
    Given[Device].push_back({&Done, Bytes});
  }
  size_t countOn(int Device) const { return Given[Device].size(); }
  /// Waits for the first of the device's chunks, of which there is one.
  cudaError_t waitForNext(int Device);
  /// Waits for all; at once, if that is not to be seen: the caller then waits
  /// for the streams.
  cudaError_t waitForAll();

private:
  struct Chunk {
    Event *Done;
    uint64_t Bytes;
  };
  Backend &B;
  Progress &Line;
  std::vector<std::deque<Chunk>> Given; ///< by device
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_RUNNINGCHUNKS_H
