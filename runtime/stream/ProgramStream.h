//===- ProgramStream.h - A stream as the program knows it -------*- C++ -*-===//
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
// That is two waits between devices for each launch, one behind the other. A
// split launch that directly follows another one in its stream does with one:
// its parts wait for all parts of that launch, which is all that the stream
// holds. "Directly" is known by a count of all operations on all streams, since
// streams wait for each other without being told to (the legacy default
// stream); and it is only relied on when the runtime sees every operation
// (UntrackedCode.h).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_STREAM_PROGRAMSTREAM_H
#define GRIDSPAN_RUNTIME_STREAM_PROGRAMSTREAM_H

#include "runtime/backend/Backend.h"
#include "runtime/support/ThreadSafety.h"
#include <array>
#include <atomic>
#include <memory>
#include <vector>

namespace gridspan {

class ProgramStream {
public:
  ProgramStream(Backend &B, std::unique_ptr<Stream> Main);

  Stream &main() { return *Main; }

  /// Held while operations are enqueued that nothing may come between.
  Mutex &lock() RETURN_CAPABILITY(Lock) { return Lock; }

  /// Makes companions of devices 1 .. Devices - 1 wait for what the stream
  /// holds. The lock is held from here to the join.
  cudaError_t fork(unsigned Devices) REQUIRES(Lock);
  /// Makes the stream wait for what the companion of Device holds.
  cudaError_t join(int Device) REQUIRES(Lock);

  /// The same for the parts of a launch on devices 0 .. Devices - 1: what comes
  /// next on each device waits for what the stream holds.
  cudaError_t forkTiles(unsigned Devices, bool SeesAllWork) REQUIRES(Lock);
  /// Returns an event behind which is all that was written on device 0 before
  /// the parts that are being enqueued; null if only the stream itself is.
  Event *writtenAtHome() REQUIRES(Lock);
  /// A part on another device may write on device 0, in place or by giving
  /// back.
  void noteWritesHome() REQUIRES(Lock) { Present.WritesHome = true; }
  /// The part on Device has been enqueued.
  cudaError_t endTile(int Device) REQUIRES(Lock);
  /// Makes the stream wait for all parts.
  cudaError_t joinTiles() REQUIRES(Lock);

  /// Notes that the stream holds nothing that may wait for the program.
  void noteNoWaits() REQUIRES(Lock) {
    WaitsBefore = Waits.load(std::memory_order_relaxed);
  }
  /// Returns true if nothing that may wait for the program has been enqueued in
  /// any stream since.
  bool holdsNoWaits() const REQUIRES(Lock) {
    return WaitsBefore == Waits.load(std::memory_order_relaxed);
  }

  /// Returns the stream itself for device 0, else the companion that fork()
  /// made.
  Stream &on(int Device) REQUIRES(Lock) {
    return Device == 0 ? *Main : *Companions[Device - 1].Queue;
  }

  /// It was given a launch that works on paged memory in place, and nobody has
  /// waited for it. See ProgressWait.h.
  std::atomic<bool> LaunchedInPlace{false};

  /// What is enqueued: work that ends by itself, or that may wait for what the
  /// program does next.
  enum class Work { EndsByItself, MayWait };
  /// Counts an operation. Called when something other than a part has been
  /// enqueued in any stream.
  static void operated(Work Which = Work::MayWait) {
    if (Which == Work::MayWait)
      Waits.fetch_add(1, std::memory_order_relaxed);
    Operations.fetch_add(1, std::memory_order_relaxed);
  }

  /// Returns a count of the work that may wait for the program, of all streams.
  static uint64_t waits() { return Waits.load(std::memory_order_relaxed); }

private:
  struct Companion {
    std::unique_ptr<Stream> Queue;
    std::unique_ptr<Event> Done;
  };
  /// SplitLaunch of a launch and of the one before it: two events for each
  /// device.
  using TileEvents = std::array<std::unique_ptr<Event>, 2>;
  /// A split launch.
  struct SplitLaunch {
    unsigned Devices = 0;    ///< 0: none
    unsigned Which = 0;      ///< of each device's events
    bool Marked = false;     ///< device 0's event is recorded as well
    bool WritesHome = false; ///< parts on other devices may write on device 0
    /// Its parts wait for those of the launch before, of which device 0's is
    /// behind all that was written there.
    bool FollowsHome = false;
    /// Operations when it began, its own counted.
    uint64_t Began = 0;
  };

  cudaError_t makeCompanions(unsigned Devices) REQUIRES(Lock);
  cudaError_t makeTileEvents(unsigned Devices) REQUIRES(Lock);
  cudaError_t waitForTiles(const SplitLaunch &Before, unsigned Devices)
      REQUIRES(Lock);

  Backend &B;
  std::unique_ptr<Stream> Main;
  std::unique_ptr<Event> Forked;
  std::vector<Companion> Companions; ///< of device 1 and so on
  std::vector<TileEvents> TilesDone; ///< by device
  SplitLaunch Last;                  ///< what the stream ends with, if it does
  SplitLaunch Present;
  /// Waits at noteNoWaits(). A new stream holds nothing.
  uint64_t WaitsBefore = Waits.load(std::memory_order_relaxed);
  Mutex Lock;

  static inline std::atomic<uint64_t> Operations{0};
  static inline std::atomic<uint64_t> Waits{0};
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_STREAM_PROGRAMSTREAM_H
