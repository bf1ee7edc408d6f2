//===- Executor.h - Carry out a plan ----------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches the tiles of a plan on their devices, behind what the program's
// stream holds and before what follows it, with replicas brought up to date
// first.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_EXECUTOR_H
#define GRIDSPAN_RUNTIME_LAUNCH_EXECUTOR_H

#include "runtime/launch/LaunchCache.h"
#include "runtime/memory/MemoryManager.h"
#include "runtime/plan/LaunchArguments.h"
#include "runtime/stream/StreamTable.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <chrono>

namespace gridspan {

class Executor {
public:
  Executor(Backend &B, MemoryManager &Memory, StreamTable &Streams, Report &Out)
      : B(B), Memory(Memory), Streams(Streams), Out(Out),
        Several(B.system().numDevices() > 1) {}

  /// Enqueues the launch.
  cudaError_t launch(const Decision &D, LaunchTarget Target,
                     const LaunchShape &Shape, void *const *Args,
                     ProgramStream &S) REQUIRES_SHARED(PlacementLock::Held);

  /// Carries out the moves of a decision, whose epoch must still be the
  /// placement's, once all devices are idle; gives up when they do not become
  /// so soon.
  void move(const Decision &D, Stream &Via) EXCLUDES(PlacementLock::Held);

  /// A thread is about to call a library that may launch kernels of its own,
  /// and has come back. Meanwhile no pages move. Memory may be null.
  static void enterLibrary(MemoryManager *Memory);
  static void leaveLibrary();

  /// Something may have written anything: no replica is good any more.
  void anythingWritten() { AnyWrites.fetch_add(1); }
  uint64_t anyWrites() const { return AnyWrites; }

  /// Waits until all that was enqueued is done, but not longer than Patience:
  /// false.
  bool becomeIdle(std::chrono::milliseconds Patience)
      REQUIRES(PlacementLock::Held);

  /// Code that Gridspan does not see may write the program's buffers: replicas
  /// are only good for one launch.
  void distrustReplicas() { Trusted = false; }
  bool trustsReplicas() const { return Trusted; }

  /// By device, whether A has a replica there that is good.
  std::vector<bool> goodReplicas(const Allocation &A);

private:
  cudaError_t launchTiles(const Decision &D, const LaunchTarget &Target,
                          const LaunchShape &Shape, void *const *Args,
                          ProgramStream &S) REQUIRES(S.lock());
  Replica *refresh(Allocation &A, int Device, ProgramStream &S)
      REQUIRES(S.lock());
  Replica *find(Allocation &A, int Device);
  cudaError_t bring(Replica &R, Allocation &A,
                    const std::vector<ByteSpan> &Spans, ProgramStream &S)
      REQUIRES(S.lock());
  cudaError_t stageIn(const Decision &D, const TilePlan &Tile,
                      LaunchArguments &Args, ProgramStream &S)
      REQUIRES(S.lock());
  cudaError_t stageOut(const Decision &D, const TilePlan &Tile,
                       ProgramStream &S) REQUIRES(S.lock());
  bool hasRoomToStage(const Decision &D);
  void noteWrites(const Decision &D, unsigned Allocation);
  cudaError_t waitForOthers(ProgramStream &S, int Device) REQUIRES(S.lock());
  bool good(const Replica &R, const Allocation &A) const;

  Backend &B;
  MemoryManager &Memory;
  StreamTable &Streams;
  Report &Out;
  const bool Several; ///< else no launch is split
  /// Guards all replicas, and is held while a launch that uses some is
  /// enqueued: what fills a replica again waits for launches by their place in
  /// streams.
  Mutex ReplicaLock;
  std::atomic<uint64_t> AnyWrites{1};
  std::atomic<bool> Trusted{true};
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_EXECUTOR_H
