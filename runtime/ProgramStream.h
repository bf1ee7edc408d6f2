//===- ProgramStream.h - A stream as the program knows it ----- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program's stream is a stream of device 0, plus one companion on each
// other device that has had a part of one of its launches. The companions wait
// for the stream before such a part and the stream waits for them behind it, so
// every question of order is answered by device 0's stream alone.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PROGRAMSTREAM_H
#define GRIDSPAN_RUNTIME_PROGRAMSTREAM_H

#include "Backend.h"
#include <memory>
#include <mutex>
#include <vector>

namespace gridspan {

class ProgramStream {
public:
  ProgramStream(Backend &B, std::unique_ptr<Stream> Main);

  Stream &main() { return *Main; }

  /// Held while operations are enqueued that nothing may come between.
  std::mutex &lock() { return Lock; }

  /// Makes companions of devices 1 .. Devices - 1 wait for what the stream
  /// holds. The lock is held from here to the join.
  cudaError_t fork(unsigned Devices);
  /// Makes the stream wait for what the companion of Device holds.
  cudaError_t join(int Device);
  /// The stream itself for device 0. Precondition: forked to Device.
  Stream &on(int Device) {
    return Device == 0 ? *Main : *Companions[Device - 1].Queue;
  }

private:
  struct Companion {
    std::unique_ptr<Stream> Queue;
    std::unique_ptr<Event> Done;
  };

  Backend &B;
  std::unique_ptr<Stream> Main;
  std::unique_ptr<Event> Forked;
  std::vector<Companion> Companions; ///< of device 1 and so on
  std::mutex Lock;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PROGRAMSTREAM_H
