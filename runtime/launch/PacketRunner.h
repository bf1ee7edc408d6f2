//===- PacketRunner.h - Hand out the packets of launches --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a launch in packets of blocks that go to whichever device is free, on
// streams and threads of the runtime's own.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_PACKETRUNNER_H
#define GRIDSPAN_RUNTIME_LAUNCH_PACKETRUNNER_H

#include "runtime/backend/Backend.h"
#include "runtime/plan/LaunchArguments.h"
#include "runtime/plan/PacketQueue.h"
#include "runtime/report/Tracing.h"
#include "runtime/support/Expected.h"
#include "runtime/support/TaskThreads.h"
#include "runtime/support/ThreadSafety.h"
#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <vector>

namespace gridspan {

/// A launch that is handed out. It owns its arguments.
struct PacketLaunch {
  LaunchTarget Target;
  LaunchShape Shape; ///< its grid is that of no packet
  /// The box of all blocks, and the grid that they are of.
  std::array<uint32_t, 3> Lo = {0, 0, 0};
  std::array<uint32_t, 3> Count = {1, 1, 1};
  std::array<uint32_t, 3> Grid = {1, 1, 1};
  unsigned Axis = 0;
  std::vector<LaunchArguments> Arguments; ///< by device
  /// Counts the packets; null: nobody does.
  std::atomic<uint64_t> *NumPackets = nullptr;
};

/// A launch while it is handed out. Thread-safe.
class PacketRun {
public:
  PacketRun(Backend &B, PacketLaunch Launch, PacketQueue Queue,
            std::vector<std::unique_ptr<Stream>> Streams)
      : B(B), Launch(std::move(Launch)), Streams(std::move(Streams)),
        Running(static_cast<unsigned>(this->Streams.size())),
        Queue(std::move(Queue)) {}

  /// Returns the stream that a device runs its packets in.
  Stream &on(unsigned Device) { return *Streams[Device]; }
  /// Blocks until all packets are done. Calls no backend.
  void wait();

private:
  friend class PacketRunner;
  using Events = std::array<std::unique_ptr<Event>, 2>;

  cudaError_t begin();
  void work(unsigned Device);
  bool isLast();
  void finish();
  std::optional<Packet> claim(unsigned Device);
  cudaError_t enqueue(unsigned Device, const Packet &P);
  void enqueueSomewhere(unsigned Device, const Packet &P);

  Backend &B;
  const PacketLaunch Launch;
  std::vector<std::unique_ptr<Stream>> Streams; ///< by device
  std::vector<Events> Done; ///< by device: behind every second packet
  const TraceContext Context = TraceContext::current();

  Mutex Lock;
  std::condition_variable Finished;
  unsigned Running GUARDED_BY(Lock); ///< devices
  bool IsDone GUARDED_BY(Lock) = false;
  PacketQueue Queue GUARDED_BY(Lock);
};

/// Thread-safe. It outlives what it runs, and is destroyed before the backend.
class PacketRunner {
public:
  explicit PacketRunner(Backend &B) : B(B) {}

  /// Prepares a launch on as many devices as it has arguments for. What it is
  /// to be behind may then be put in its streams.
  Expected<std::shared_ptr<PacketRun>> prepare(PacketLaunch Launch,
                                               PacketQueue Queue);
  /// Enqueues the first packet of each device, whose errors it returns, and
  /// leaves the others to threads. After an error all devices are idle.
  cudaError_t start(const std::shared_ptr<PacketRun> &Run);

private:
  void giveBack(PacketRun &Run);

  Backend &B;
  Mutex Lock;
  /// Streams that no launch uses, by device.
  std::vector<std::vector<std::unique_ptr<Stream>>> Free GUARDED_BY(Lock);
  TaskThreads Threads; ///< the last member: its tasks use the others
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_PACKETRUNNER_H
