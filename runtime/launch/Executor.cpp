//===- Executor.cpp - Carry out a plan ------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles are enqueued in the streams of their devices, between the fork of the
// program's stream and the join behind them, with what they read from replicas
// brought there before (ExecutorCopies.cpp).
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/Executor.h"
#include "runtime/backend/KernelTraits.h"
#include "runtime/launch/PrivateReductions.h"
#include "runtime/support/UntrackedCode.h"
#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <thread>

namespace gridspan {

/// The time that devices are given to become idle before pages are moved. A
/// program whose streams wait for the host would wait forever.
static constexpr auto IdlePatience = std::chrono::milliseconds(500);
/// Tiles of which a launch knows the arguments without asking for memory.
static constexpr size_t FewTiles = 8;

//===--- Launching ------------------------------------------------------===//

/// Lets the tile read from its replicas.
void Executor::useReplicas(const Decision &D, const TilePlan &Tile,
                           LaunchArguments &Args, ProgramStream &S) {
  for (unsigned A : Tile.Replicas) {
    Allocation &Original = *D.Allocations[A];
    if (const Replica *Copy = refresh(Original, Tile.Device, S))
      Args.redirect(D.Pointers, A, Copy->Base - Original.base());
  }
}

/// Passes the device's own handles for the textures that the launch reads.
cudaError_t Executor::useTextures(const TextureTable::Found &Read, int Device,
                                  LaunchArguments &Args,
                                  ProgramStream &S) NO_THREAD_SAFETY_ANALYSIS {
  const GridspanKernel &Kernel = Args.kernel();
  const ArrayContents Now = {Trusted && seesAllWork() && !untrackedDeviceCode(),
                             AnyWrites};
  for (size_t I = 0; Device != 0 && I != Read.size(); ++I) {
    if (!Read[I])
      continue;
    const Expected<cudaTextureObject_t> Own = Textures.bring(
        *Read[I], S.on(Device), Now,
        [&]() NO_THREAD_SAFETY_ANALYSIS { return waitForOthers(S, Device); });
    if (!Own)
      return Own.error();
    Args.replace(Kernel.Textures[I], *Own);
  }
  return cudaSuccess;
}

static bool usesTileCopies(const Plan &P) {
  return std::any_of(P.Tiles.begin(), P.Tiles.end(),
                     [](const TilePlan &Tile) { return !Tile.Copies.empty(); });
}

/// Launches the kernel itself, on one device.
cudaError_t Executor::launchWhole(const LaunchRequest &R) {
  const int Device = R.Device.value_or(0);
  if (Device == 0)
    return B.launch(R.Stream.main(), R.Target, R.Shape, R.Arguments, nullptr);
  if (cudaError_t Error = R.Stream.fork(static_cast<unsigned>(Device) + 1))
    return Error;
  const cudaError_t Error =
      B.launch(R.Stream.on(Device), R.Target, R.Shape, R.Arguments, nullptr);
  const cudaError_t Joining = R.Stream.join(Device);
  return Error ? Error : Joining;
}

/// Launches the clone for records in other forms. IsTimed: FormTimer::begin()
/// said so.
cudaError_t Executor::launchFormed(const LaunchRequest &R, FormedLaunch &L,
                                   bool IsTimed) {
  Stream &S = R.Stream.main();
  boost::container::small_vector<void *, 16> Arguments(
      R.Arguments, R.Arguments + R.kernel().NumParams);
  Arguments.push_back(L.Forms.data());
  const cudaError_t Error =
      B.launch(S, L.Target, R.Shape, Arguments.data(), nullptr);
  if (IsTimed)
    Forms.timer().end(S, Error != cudaSuccess);
  // What failed may have written all the same.
  const cudaError_t Ending = Forms.end(L, S);
  return Error ? Error : Ending;
}

/// Launches each tile on its device. Precondition: the plan is split.
cudaError_t
Executor::launchTiles(const Decision &D, const LaunchRequest &R,
                      const TextureTable::Found &Read,
                      LaunchTimer::Timing *T) NO_THREAD_SAFETY_ANALYSIS {
  // The analysis cannot follow a lock that is taken under a condition.
  const std::vector<TilePlan> &Tiles = D.LaunchPlan.Tiles;
  const bool HasCopies = usesTileCopies(D.LaunchPlan);
  const bool Stays = HasCopies && mayLeaveAway();
  LaunchCopies Copies;
  MutexLock Takes(Memory.owned().users().lock(), std::defer_lock);
  if (HasCopies) {
    Takes.lock();
    Copies.MayClose = Memory.owned().users().isSole();
    if (!Copies.MayClose)
      Takes.unlock();
  }
  if (cudaError_t Error = planCopies(D, R.Stream, Stays, Copies))
    return Error;
  // After a capture nothing is trusted: events of the last launch, which are
  // outside of the graph, are not waited for.
  if (cudaError_t Error = R.Stream.forkTiles(Tiles.back().Device + 1U,
                                             Trusted && seesAllWork()))
    return Error;
  PrivateReductions Privates(B, Memory, Out, D);
  cudaError_t First = cudaSuccess;
  // Before any tile is launched, for which its replica is ready behind it: else
  // the tile that reads a seam there would wait for that tile.
  boost::container::small_vector<LaunchArguments, FewTiles> Arguments;
  boost::container::small_vector<cudaError_t, FewTiles> CopyErrors;
  for (size_t I = 0; I != Tiles.size(); ++I) {
    Arguments.emplace_back(R.kernel(), R.Arguments);
    CopyErrors.push_back(copyIn(D, I, Copies, Arguments.back(), R.Stream));
  }
  // Behind that: what tiles get from home is not what home is given, and need
  // not wait for it.
  const cudaError_t Fetching = fetchHome(D, Copies, R.Stream);
  First = First ? First : Fetching;
  // Device 0 last: what it holds of the stream then waits for the others.
  for (size_t I = Tiles.size(); I-- > 0;) {
    const TilePlan &Tile = Tiles[I];
    LaunchArguments &TileArgs = Arguments[I];
    useReplicas(D, Tile, TileArgs, R.Stream);
    Privates.begin(Tile, TileArgs, R.Stream);
    cudaError_t Error = Fetching ? Fetching : CopyErrors[I];
    if (!Error)
      Error = useTextures(Read, Tile.Device, TileArgs, R.Stream);
    LaunchShape Part = R.Shape;
    Part.Grid = {Tile.Count[0], Tile.Count[1], Tile.Count[2]};
    const GridspanTile Where = {
        {Tile.Lo[0], Tile.Lo[1], Tile.Lo[2]},
        {D.LaunchPlan.Grid[0], D.LaunchPlan.Grid[1], D.LaunchPlan.Grid[2]}};
    if (!Error) {
      Stream &On = R.Stream.on(Tile.Device);
      Timer.beginTile(T, Tile.Device, On);
      Error = B.launch(On, R.Target, Part, TileArgs.get(), &Where);
      Timer.endTile(T, Tile.Device, On);
    }
    if (mayWriteHome(D.LaunchPlan, Tile, Copies))
      R.Stream.noteWritesHome();
    if (!Error)
      Error = copyOut(D, Tile, Copies, R.Stream);
    First = First ? First : Error;
    Error = R.Stream.endTile(Tile.Device);
    First = First ? First : Error;
  }
  const cudaError_t Error = R.Stream.joinTiles();
  First = First ? First : Error;
  if (!First && Privates.any()) {
    First = Privates.combine(R.Stream);
    if (!First && D.Counters)
      D.Counters->PrivateLaunches.fetch_add(1, std::memory_order_relaxed);
  }
  // The program goes on as if nothing of it ran, and may write managed memory.
  for (const TilePlan &Tile : Tiles)
    if (First)
      (void)B.synchronizeDevice(Tile.Device);
  if (!First)
    noteCopies(D, Copies);
  return First;
}

/// Returns true if it uses memory that the lock of replicas guards.
static bool usesReplicas(const Plan &P) {
  return std::any_of(P.Tiles.begin(), P.Tiles.end(), [](const TilePlan &Tile) {
    return !Tile.Replicas.empty() || !Tile.Copies.empty() ||
           !Tile.Privates.empty();
  });
}

/// Hands the launch's blocks out. Precondition: the plan says so.
cudaError_t Executor::launchPackets(const Decision &D, const LaunchRequest &R,
                                    const TextureTable::Found &Read) {
  const Plan &P = D.LaunchPlan;
  if (cudaError_t Error = R.Stream.forkTiles(P.Tiles.back().Device + 1U,
                                             Trusted && seesAllWork()))
    return Error;
  PacketLaunch L;
  L.Target = R.Target;
  L.Shape = R.Shape;
  L.Lo = P.Tiles.front().Lo;
  L.Count = P.Tiles.front().Count;
  L.Grid = P.Grid;
  L.Axis = P.Axis;
  std::vector<uint32_t> Bounds;
  cudaError_t First = cudaSuccess;
  for (const TilePlan &Tile : P.Tiles) {
    Bounds.push_back(Tile.Lo[P.Axis]);
    L.Parts.push_back({&R.Stream.on(Tile.Device), {R.kernel(), R.Arguments}});
    LaunchArguments &Args = L.Parts.back().Arguments;
    useReplicas(D, Tile, Args, R.Stream);
    if (!First)
      First = useTextures(Read, Tile.Device, Args, R.Stream);
  }
  Bounds.push_back(P.Tiles.back().Lo[P.Axis] + P.Tiles.back().Count[P.Axis]);
  PacketRunner Packets(
      B, L, PacketQueue(Bounds, P.Packets->StaticShare, P.Packets->LeastBlocks),
      Patience);
  if (!First)
    First = Packets.run();
  if (D.Counters)
    D.Counters->Packets.fetch_add(Packets.packets(), std::memory_order_relaxed);
  for (const TilePlan &Tile : P.Tiles) {
    const cudaError_t Error = R.Stream.endTile(Tile.Device);
    First = First ? First : Error;
  }
  const cudaError_t Error = R.Stream.joinTiles();
  First = First ? First : Error;
  // As after tiles.
  for (const TilePlan &Tile : P.Tiles)
    if (First)
      (void)B.synchronizeDevice(Tile.Device);
  return First;
}

/// Returns true if a launch may wait for what its stream holds: nothing that
/// may wait for the program.
bool Executor::mayWaitIn(ProgramStream &S) {
  if (S.holdsNoWaits())
    return true;
  if (B.query(S.main()))
    return false;
  S.noteNoWaits();
  return true;
}

cudaError_t Executor::launch(const Decision &D, const LaunchRequest &Asked)
    NO_THREAD_SAFETY_ANALYSIS {
  // The analysis cannot follow locks that are taken under a condition.
  LaunchRequest R = Asked;
  R.Target.NoAlias = D.NoAlias;
  const Plan &P = D.LaunchPlan;
  Memory.owned().noteUser();
  // What a graph touches is brought home when it is launched.
  const bool BringsHome =
      Memory.owned().any() && !B.isCapturing(R.Stream.main());
  const bool MayBeFormed =
      Forms.isFormable(R) && D.Counters && !B.isCapturing(R.Stream.main());
  MutexLock Replicas(Memory.owned().lock(), std::defer_lock);
  if (usesReplicas(P) || BringsHome || MayBeFormed)
    Replicas.lock();
  MutexLock UsesTextures(Textures.lock(), std::defer_lock);
  TextureTable::Found Read;
  LaunchReason WhyUnsplit = LaunchReason::None;
  if (P.isSplit() && R.kernel().NumTextures) {
    UsesTextures.lock();
    WhyUnsplit = Textures.find(R.kernel(), R.Arguments, Read);
    if (WhyUnsplit == LaunchReason::None)
      WhyUnsplit = Textures.makeCopies(Read, P.Tiles);
  }
  if (usesTileCopies(P) && !hasRoomForCopies(D))
    WhyUnsplit = LaunchReason::NoRoomForCopies;
  const bool IsUnsplit = !P.isSplit() || WhyUnsplit != LaunchReason::None;
  const uint64_t Copied = Out.Replicas.Count;
  bool HandsOut = false;
  std::optional<FormedLaunch> Formed;
  FormTiming FormTimed;
  MutexLock Takes(Memory.owned().users().lock(), std::defer_lock);
  bool IsMade = false;
  cudaError_t Error;
  {
    // Not between the parts of a split launch that another thread enqueues.
    MutexLock Order(R.Stream.lock(), std::defer_lock);
    if (HasPeers || MayBeFormed)
      Order.lock();
    if (MayBeFormed && IsUnsplit) {
      Takes.lock();
      if (Memory.owned().users().isSole())
        Formed = beginFormed(D, R, FormTimed);
      else
        D.Counters->WhyNotFormed = LaunchReason::FormMayWait;
    }
    Error = BringsHome
                ? bringHome(D, IsUnsplit, R.Stream, Formed ? &*Formed : nullptr)
                : cudaSuccess;
    HandsOut = !IsUnsplit && P.Packets && mayWaitIn(R.Stream);
    LaunchTimer::Timing *T = Timer.begin(D, R.Target, R.Stream.main());
    const bool IsFormTimed =
        Forms.timer().begin(std::move(FormTimed), R.Stream.main());
    IsMade = !Error;
    if (!Error)
      Error = Formed      ? launchFormed(R, *Formed, IsFormTimed)
              : IsUnsplit ? launchWhole(R)
              : HandsOut  ? launchPackets(D, R, Read)
                          : launchTiles(D, R, Read, T);
    if (IsFormTimed && !(Formed && IsMade))
      Forms.timer().end(R.Stream.main(), Error != cudaSuccess);
    Timer.end(T, R.Stream.main(),
              Error || IsUnsplit == P.isSplit() ||
                  HandsOut != P.Packets.has_value());
    if (IsUnsplit)
      ProgramStream::operated(maySplit(R.kernel())
                                  ? ProgramStream::Work::EndsByItself
                                  : ProgramStream::Work::MayWait);
  }
  for (unsigned A = 0; A < P.Effects.size(); ++A) {
    if (!D.Allocations[A])
      continue;
    // What failed may have written it all the same.
    if (P.Effects[A].Written && (IsUnsplit || Error || !P.Effects[A].AtHome))
      D.Allocations[A]->written();
    if (const double Contented = P.Effects[A].Contented;
        Contented > 0 && D.Allocations[A]->misplaced() > 0)
      D.Allocations[A]->addMisplaced(-Contented);
    // What is read elsewhere is meant to be there.
    if (P.Effects[A].Misplaced > 0 && !R.Device)
      D.Allocations[A]->addMisplaced(Out.Replicas.Count == Copied
                                         ? P.Effects[A].MisplacedAgain
                                         : P.Effects[A].Misplaced);
  }
  if (P.WritesAnywhere)
    anythingWritten();
  if (Formed && IsMade)
    Forms.noteWritten(*Formed,
                      [this](const Allocation &A) { return versionOf(A); });
  if (Error || !D.Counters)
    return Error;
  if (IsUnsplit && P.isSplit())
    D.Counters->WhyUnsplit = WhyUnsplit;
  if (Formed)
    D.Counters->FormedLaunches.fetch_add(1, std::memory_order_relaxed);
  else if (D.NoAlias)
    D.Counters->NoAliasLaunches.fetch_add(1, std::memory_order_relaxed);
  if (HandsOut)
    D.Counters->DynamicLaunches.fetch_add(1, std::memory_order_relaxed);
  else if (P.Packets && !IsUnsplit)
    D.Counters->WhyStatic = LaunchReason::PacketsWouldWait;
  D.Counters->count(IsUnsplit ? 1 : P.Tiles.size(), D.LocalBytes,
                    D.RemoteBytes);
  return Error;
}

//===--- Moving ---------------------------------------------------------===//

bool Executor::isIdle() {
  const std::vector<std::shared_ptr<ProgramStream>> All = Streams.all();
  // A query may end a capture of another stream.
  if (std::any_of(All.begin(), All.end(),
                  [&](const auto &S) { return B.isCapturing(S->main()); }))
    return false;
  return std::all_of(All.begin(), All.end(), [&](const auto &S) {
    return B.query(S->main()) != cudaErrorNotReady;
  });
}

bool Executor::becomeIdle(std::chrono::milliseconds Patience) {
  const auto Deadline = std::chrono::steady_clock::now() + Patience;
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
  // Libraries have streams of their own.
  for (unsigned D = 0; D < B.system().numDevices(); ++D)
    if (B.synchronizeDevice(static_cast<int>(D)))
      return false;
  return Memory.owned().bringNow(Memory.all()) == cudaSuccess;
}

/// The number of threads inside libraries. What those enqueue is not known, so
/// that there is no waiting for it.
static std::atomic<int> InLibraries{0};

void Executor::enterLibrary(MemoryManager *Memory) {
  InLibraries.fetch_add(1);
  // A move that began before is seen out; those that begin later see us.
  if (Memory)
    PlacementReader Placement(Memory->placementLock());
}

void Executor::leaveLibrary() { InLibraries.fetch_sub(1); }

void Executor::move(const Decision &D, Stream &Via) {
  // Without a queue: a thread that holds the placement may be waiting for us.
  PlacementWriter Placement(Memory.placementLock(), std::defer_lock);
  if (!Placement.tryLock())
    return;
  if (Memory.epoch() != D.Epoch || InLibraries.load() != 0)
    return;
  const bool Idle = becomeIdle(IdlePatience);
  const auto Begin = std::chrono::steady_clock::now();
  for (const MovePlan &M : D.LaunchPlan.Moves) {
    Allocation &A = *D.Allocations[M.Allocation];
    if (Idle && Memory.move(A, M.Lo, M.Hi, M.To, Via) == cudaSuccess)
      Out.Moves.count(M.Hi - M.Lo);
  }
  if (D.Class)
    D.Class->addMove(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - Begin)
            .count());
  // Also when nothing moved: or every launch would try again.
  for (const MovePlan &M : D.LaunchPlan.Moves)
    D.Allocations[M.Allocation]->resetMisplaced();
  for (size_t A = 0; A < D.Allocations.size(); ++A)
    if (D.Allocations[A] && D.LaunchPlan.Effects[A].Misplaced > 0)
      ++D.Allocations[A]->Moves;
}

} // namespace gridspan
