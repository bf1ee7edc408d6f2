//===- Executor.h - Carry out a plan ----------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches the tiles of a plan on their devices, behind what the program's
// stream holds and before what follows it, with replicas brought up to date
// first. What tiles write to replicas stays there where it may.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_EXECUTOR_H
#define GRIDSPAN_RUNTIME_LAUNCH_EXECUTOR_H

#include "runtime/forms/FormedLaunches.h"
#include "runtime/launch/LaunchCache.h"
#include "runtime/launch/LaunchClasses.h"
#include "runtime/launch/LaunchTimer.h"
#include "runtime/launch/PacketRunner.h"
#include "runtime/launch/TextureTable.h"
#include "runtime/memory/MemoryManager.h"
#include "runtime/plan/LaunchArguments.h"
#include "runtime/stream/LaunchRequest.h"
#include "runtime/stream/StreamTable.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <chrono>

namespace gridspan {

class Executor {
public:
  /// Patience: the longest that a launch waits for a part of itself.
  Executor(Backend &B, MemoryManager &Memory, StreamTable &Streams, Report &Out,
           std::chrono::milliseconds Patience)
      : B(B), Memory(Memory), Streams(Streams), Out(Out),
        HasPeers(B.system().numDevices() > 1), Patience(Patience), Timer(B),
        Textures(B, Memory, Streams, Out), Forms(B, Memory) {}

  /// Enqueues the launch as D says.
  cudaError_t launch(const Decision &D, const LaunchRequest &R)
      REQUIRES_SHARED(PlacementLock::Held);

  /// Carries out the moves of a decision once all devices are idle. Gives up if
  /// they do not become so soon, or if pages have moved since D was made.
  void move(const Decision &D, Stream &Via) EXCLUDES(PlacementLock::Held);

  /// Keeps pages from moving while a thread calls a library that may launch
  /// kernels of its own. Memory may be null.
  static void enterLibrary(MemoryManager *Memory);
  /// Ends that: the thread has come back.
  static void leaveLibrary();

  /// Marks all replicas as stale: something may have written anything.
  void anythingWritten() { AnyWrites.fetch_add(1); }
  uint64_t anyWrites() const { return AnyWrites; }

  /// Returns true if the program's streams are empty and none is captured.
  bool isIdle();
  /// Waits until all that was enqueued is done, and all bytes are at home.
  /// Returns false if that takes longer than Patience, or fails.
  bool becomeIdle(std::chrono::milliseconds Patience)
      REQUIRES(PlacementLock::Held);

  /// Makes replicas good for one launch only from here on: code that Gridspan
  /// does not see may write the program's buffers.
  void distrustReplicas() { Trusted = false; }
  bool trustsReplicas() const { return Trusted; }

  LaunchTimer &timer() { return Timer; }
  FormedLaunches &forms() { return Forms; }
  TextureTable &textures() { return Textures; }
  const TextureTable &textures() const { return Textures; }

  /// Says in Placed which places have which bytes of A.
  void describe(const Allocation &A, PlacedAllocation &Placed);
  /// Returns for each device if A has a replica there that is good.
  std::vector<bool> goodReplicas(const Allocation &A);
  /// Notes that the replica of A on Device holds nothing, or all of A at the
  /// given version.
  void noteEmptied(Allocation &A, int Device);
  void noteFilled(Allocation &A, int Device, const ContentsVersion &Of);
  ContentsVersion versionOf(const Allocation &A) const {
    return {A.version(), AnyWrites};
  }

private:
  cudaError_t launchWhole(const LaunchRequest &R) REQUIRES(R.Stream.lock());
  cudaError_t launchFormed(const LaunchRequest &R, FormedLaunch &L,
                           bool IsTimed) REQUIRES(R.Stream.lock());
  cudaError_t launchTiles(const Decision &D, const LaunchRequest &R,
                          const TextureTable::Found &Read,
                          LaunchTimer::Timing *T) REQUIRES(R.Stream.lock());
  cudaError_t launchPackets(const Decision &D, const LaunchRequest &R,
                            const TextureTable::Found &Read)
      REQUIRES(R.Stream.lock());
  bool mayWaitIn(ProgramStream &S) REQUIRES(S.lock());
  void useReplicas(const Decision &D, const TilePlan &Tile,
                   LaunchArguments &Args, ProgramStream &S) REQUIRES(S.lock());
  cudaError_t useTextures(const TextureTable::Found &Read, int Device,
                          LaunchArguments &Args, ProgramStream &S)
      REQUIRES(S.lock());
  Replica *refresh(Allocation &A, int Device, ProgramStream &S)
      REQUIRES(S.lock());
  Replica *find(Allocation &A, int Device);
  CopyDirectory present(const Allocation &A) const;
  cudaError_t fetch(Allocation &A, Place To, std::span<const LackedBytes> Bytes,
                    ProgramStream &S) REQUIRES(S.lock());
  cudaError_t waitForOthers(ProgramStream &S, int Device, bool *Waits = nullptr)
      REQUIRES(S.lock());

  /// The steps of the allocations that tiles have copies of, by index; null for
  /// others.
  struct LaunchCopies {
    std::vector<std::shared_ptr<const CopyStep>> Steps;
    std::vector<ContentsVersion> Of;
    /// True if gaps between rows may be closed.
    bool MayClose = false;
  };
  cudaError_t bringHome(Allocation &A, ProgramStream &S) REQUIRES(S.lock());
  cudaError_t bringHome(const Decision &D, bool IsUnsplit, ProgramStream &S,
                        const FormedLaunch *Formed) REQUIRES(S.lock());
  std::optional<FormedLaunch>
  beginFormed(const Decision &D, const LaunchRequest &R, FormTiming &Timed)
      REQUIRES(R.Stream.lock());
  bool comesToRest();
  bool mayLeaveAway();
  static bool mayWriteHome(const Plan &P, const TilePlan &Tile,
                           const LaunchCopies &Copies);
  cudaError_t planCopies(const Decision &D, ProgramStream &S, bool Stays,
                         LaunchCopies &Copies) REQUIRES(S.lock());
  cudaError_t fetchHome(const Decision &D, const LaunchCopies &Copies,
                        ProgramStream &S) REQUIRES(S.lock());
  cudaError_t copyIn(const Decision &D, size_t Tile, const LaunchCopies &Copies,
                     LaunchArguments &Args, ProgramStream &S)
      REQUIRES(S.lock());
  cudaError_t copyOut(const Decision &D, const TilePlan &Tile,
                      const LaunchCopies &Copies, ProgramStream &S)
      REQUIRES(S.lock());
  bool hasRoomForCopies(const Decision &D);
  void noteCopies(const Decision &D, const LaunchCopies &Copies);

  Backend &B;
  MemoryManager &Memory;
  StreamTable &Streams;
  Report &Out;
  /// True if there are several devices; else no launch is split.
  const bool HasPeers;
  const std::chrono::milliseconds Patience;
  LaunchTimer Timer;
  std::atomic<uint64_t> AnyWrites{1};
  /// ProgramStream::waits() when all streams were empty; guarded by the lock of
  /// replicas.
  uint64_t WaitsAtRest = 0;
  std::atomic<bool> Trusted{true};
  TextureTable Textures;
  FormedLaunches Forms;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_EXECUTOR_H
