//===- RunningChunks.cpp - Chunks that devices were given -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device runs its chunks in order, so that one queue for each device is
// enough. While the line of progress is shown, the thread polls the events;
// else it waits for the streams.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/RunningChunks.h"
#include <chrono>
#include <thread>

namespace gridspan {

/// Interval of looks at what is waited for, while the user looks too. Devices
/// have chunks ahead.
static constexpr auto Glance = std::chrono::milliseconds(1);

cudaError_t RunningChunks::waitForNext(int Device) {
  const Chunk First = Given[Device].front();
  Given[Device].pop_front();
  if (Line.silent())
    return B.synchronize(*First.Done);
  cudaError_t Error;
  while ((Error = B.query(*First.Done)) == cudaErrorNotReady) {
    Line.redraw();
    std::this_thread::sleep_for(Glance);
  }
  Line.advance(First.Bytes);
  return Error;
}

cudaError_t RunningChunks::waitForAll() {
  if (Line.silent())
    return cudaSuccess;
  // Devices' chunks take turns.
  for (bool Any = true; Any;) {
    Any = false;
    for (size_t D = 0; D < Given.size(); ++D) {
      if (Given[D].empty())
        continue;
      Any = true;
      if (cudaError_t Error = waitForNext(static_cast<int>(D)))
        return Error;
    }
  }
  return cudaSuccess;
}

} // namespace gridspan
