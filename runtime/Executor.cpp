//===- Executor.cpp - Carry out a plan ------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why a good replica is right: versions are counted up after a write has been
// enqueued and read before a replica is filled, and the copy that fills it
// waits for everything that any stream holds at that time. So a replica that is
// marked with the present version was copied behind all writes that it counts.
//
//===----------------------------------------------------------------------===//

#include "Executor.h"
#include "ForeignCode.h"
#include "LaunchArguments.h"
#include "Tracing.h"
#include <chrono>
#include <thread>

namespace gridspan {

/// How long devices are given to become idle before pages are moved. A program
/// whose streams wait for the host would wait forever.
static constexpr auto IdlePatience = std::chrono::milliseconds(500);

//===--- Replicas -------------------------------------------------------===//

bool Executor::good(const Replica &R, const Allocation &A) const {
  return Trusted && A.kind() != AllocationKind::Managed &&
         R.Version == A.version() && R.AnyWrites == AnyWrites;
}

std::vector<bool> Executor::goodReplicas(const Allocation &A) {
  std::unique_lock Guard(ReplicaLock);
  std::vector<bool> Out;
  for (const std::unique_ptr<Replica> &R : A.Replicas)
    Out.push_back(R && good(*R, A));
  return Out;
}

/// Later work of S on Device waits for all that the other streams hold now.
cudaError_t Executor::waitForOthers(ProgramStream &S, int Device) {
  for (const std::shared_ptr<ProgramStream> &Other : Streams.all()) {
    if (Other.get() == &S || B.isCapturing(Other->main()) ||
        B.query(Other->main()) == cudaSuccess)
      continue;
    std::unique_ptr<Event> End;
    if (cudaError_t Error = B.createEvent(0, cudaEventDisableTiming, End))
      return Error;
    if (cudaError_t Error = B.record(*End, Other->main()))
      return Error;
    if (cudaError_t Error = B.wait(S.on(Device), *End))
      return Error;
  }
  return cudaSuccess;
}

cudaError_t Executor::fill(Replica &R, Allocation &A, ProgramStream &S) {
  TraceScope Scope(Activity::Replica);
  const uint64_t Version = A.version(), Writes = AnyWrites;
  if (cudaError_t Error = waitForOthers(S, R.Device))
    return Error;
  Stream &On = S.on(R.Device);
  for (const HomeMap::Run &Run : A.Homes.runs(0, A.bytes())) {
    if (cudaError_t Error =
            B.copy(On, R.Base + Run.Lo, A.base() + Run.Lo, Run.Hi - Run.Lo))
      return Error;
    if (Run.Where != R.Device)
      Out.Replicas.count(Run.Hi - Run.Lo);
  }
  if (cudaError_t Error = B.record(*R.Ready, On))
    return Error;
  R.Version = Version;
  R.AnyWrites = Writes;
  return cudaSuccess;
}

/// A replica of A that is good for work enqueued next on S's part on Device;
/// null when there is no room or it cannot be filled: A itself will do.
Replica *Executor::refresh(Allocation &A, int Device, ProgramStream &S) {
  A.Replicas.resize(B.system().numDevices());
  std::unique_ptr<Replica> &R = A.Replicas[Device];
  if (!R && Memory.createReplica(A, Device, R))
    return nullptr;
  if (Trusted && foreignDeviceCode())
    Trusted = false;
  if (good(*R, A))
    return B.wait(S.on(Device), *R->Ready) ? nullptr : R.get();
  R->Version = 0;
  return fill(*R, A, S) ? nullptr : R.get();
}

//===--- Launching ------------------------------------------------------===//

cudaError_t Executor::launchTiles(const Decision &D, const LaunchTarget &Target,
                                  const LaunchShape &Shape, void *const *Args,
                                  ProgramStream &S) {
  const std::vector<TilePlan> &Tiles = D.What.Tiles;
  if (cudaError_t Error =
          S.forkParts(Tiles.back().Device + 1U, Trusted && seesAllWork()))
    return Error;
  cudaError_t First = cudaSuccess;
  // Device 0 last: what it holds of the stream then waits for the others.
  for (size_t I = Tiles.size(); I-- > 0;) {
    const TilePlan &Tile = Tiles[I];
    LaunchArguments TileArgs(*Target.Kernel, Args);
    for (unsigned A : Tile.Replicas) {
      Allocation &Original = *D.Allocations[A];
      if (const Replica *R = refresh(Original, Tile.Device, S))
        TileArgs.redirect(D.Pointers, A, R->Base - Original.base());
    }
    LaunchShape Part = Shape;
    Part.Grid = {Tile.Count[0], Tile.Count[1], Tile.Count[2]};
    const GridspanTile Where = {{Tile.Lo[0], Tile.Lo[1], Tile.Lo[2]},
                                {Shape.Grid.x, Shape.Grid.y, Shape.Grid.z}};
    cudaError_t Error =
        B.launch(S.on(Tile.Device), Target, Part, TileArgs.get(), &Where);
    First = First ? First : Error;
    Error = S.endPart(Tile.Device);
    First = First ? First : Error;
  }
  const cudaError_t Error = S.joinParts();
  return First ? First : Error;
}

static bool usesReplicas(const Plan &P) {
  for (const TilePlan &Tile : P.Tiles)
    if (!Tile.Replicas.empty())
      return true;
  return false;
}

cudaError_t Executor::launch(const Decision &D, const LaunchTarget &Target,
                             const LaunchShape &Shape, void *const *Args,
                             ProgramStream &S) {
  const Plan &P = D.What;
  cudaError_t Error;
  if (!P.split()) {
    // Not between the parts of a split launch that another thread enqueues.
    std::unique_lock Order(S.lock(), std::defer_lock);
    if (Several)
      Order.lock();
    Error = B.launch(S.main(), Target, Shape, Args, nullptr);
    S.operated();
  } else {
    std::unique_lock Replicas(ReplicaLock, std::defer_lock);
    if (usesReplicas(P))
      Replicas.lock();
    std::unique_lock Order(S.lock());
    Error = launchTiles(D, Target, Shape, Args, S);
  }
  for (size_t A = 0; A < P.Effects.size(); ++A) {
    if (!D.Allocations[A])
      continue;
    if (P.Effects[A].Written)
      D.Allocations[A]->written();
    if (P.Effects[A].Misplaced > 0)
      D.Allocations[A]->addMisplaced(P.Effects[A].Misplaced);
  }
  if (P.WritesAnywhere)
    anythingWritten();
  if (!Error && D.Counters)
    D.Counters->count(P.Tiles.size(), D.LocalBytes, D.RemoteBytes);
  return Error;
}

//===--- Moving ---------------------------------------------------------===//

bool Executor::becomeIdle() {
  const auto Deadline = std::chrono::steady_clock::now() + IdlePatience;
  for (const std::shared_ptr<ProgramStream> &S : Streams.all()) {
    auto Pause = std::chrono::microseconds(10);
    if (B.isCapturing(S->main()))
      return false;
    while (B.query(S->main()) == cudaErrorNotReady) {
      if (std::chrono::steady_clock::now() >= Deadline)
        return false;
      std::this_thread::sleep_for(Pause);
      Pause = std::min(2 * Pause, std::chrono::microseconds(1000));
    }
  }
  // What the program's streams do not know of: libraries' own streams.
  for (unsigned D = 0; D < B.system().numDevices(); ++D)
    if (B.synchronizeDevice(static_cast<int>(D)))
      return false;
  return true;
}

void Executor::move(const Decision &D, Stream &Via) {
  // Without a queue: a thread that holds the placement may be waiting for us.
  std::unique_lock Guard(Memory.placement(), std::try_to_lock);
  if (!Guard || Memory.epoch() != D.Epoch)
    return;
  const bool Idle = becomeIdle();
  for (const MovePlan &M : D.What.Moves) {
    Allocation &A = *D.Allocations[M.Allocation];
    if (Idle && Memory.move(A, M.Lo, M.Hi, M.To, Via) == cudaSuccess)
      Out.Moves.count(M.Hi - M.Lo);
  }
  // Also when nothing moved: or every launch would try again.
  for (const MovePlan &M : D.What.Moves)
    D.Allocations[M.Allocation]->resetMisplaced();
  for (size_t A = 0; A < D.Allocations.size(); ++A)
    if (D.Allocations[A] && D.What.Effects[A].Misplaced > 0)
      ++D.Allocations[A]->Moves;
}

} // namespace gridspan
