//===- PacketRunner.h - Hand out the packets of a launch --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a launch in packets of blocks that go to whichever device is free.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_PACKETRUNNER_H
#define GRIDSPAN_RUNTIME_LAUNCH_PACKETRUNNER_H

#include "runtime/backend/Backend.h"
#include "runtime/plan/LaunchArguments.h"
#include "runtime/plan/PacketQueue.h"
#include <array>
#include <chrono>
#include <memory>
#include <vector>

namespace gridspan {

/// A launch that is handed out.
struct PacketLaunch {
  /// The device's stream, which waits for what the launch is behind, and what
  /// the kernel gets there.
  struct Part {
    Stream *On;
    LaunchArguments Arguments;
  };
  LaunchTarget Target;
  LaunchShape Shape; ///< its grid is that of no packet
  /// The box of all blocks, and the grid that they are of.
  std::array<uint32_t, 3> Lo = {0, 0, 0};
  std::array<uint32_t, 3> Count = {1, 1, 1};
  std::array<uint32_t, 3> Grid = {1, 1, 1};
  unsigned Axis = 0;
  std::vector<Part> Parts; ///< by device
};

/// Used once, by one thread.
class PacketRunner {
public:
  /// L lives longer than this. Patience: the longest that a packet is waited
  /// for.
  PacketRunner(Backend &B, const PacketLaunch &L, PacketQueue Queue,
               std::chrono::milliseconds Patience)
      : B(B), L(L), Queue(std::move(Queue)), Patience(Patience) {}

  /// Enqueues all packets. Returns an error if no device takes one of them.
  cudaError_t run();
  /// The packets that were enqueued.
  uint64_t packets() const { return NumPackets; }

private:
  /// The packets of a device that may not have ended, two at most: events
  /// behind them, the earlier one first.
  struct Ahead {
    std::array<std::unique_ptr<Event>, 2> Ends;
    unsigned Count = 0;
  };

  bool patient() const;
  cudaError_t fill(unsigned Device);
  cudaError_t enqueue(unsigned Device, const Packet &P);
  cudaError_t enqueueSomewhere(unsigned Device, const Packet &P);
  bool anyEnded();
  void waitForAny();

  Backend &B;
  const PacketLaunch &L;
  PacketQueue Queue;
  const std::chrono::milliseconds Patience;
  std::chrono::steady_clock::time_point LastEnd;
  std::vector<Ahead> Devices;
  uint64_t NumPackets = 0;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_PACKETRUNNER_H
