//===- ExecutorCopies.cpp - Replicas and copies for tiles -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of Executor that keeps replicas up to date.
//
// What the directory calls good was copied, or written, behind all writes that
// its version counts. Versions are counted up after a write has been enqueued
// and read before a replica is filled. The copy that fills it from the home
// waits for everything that any stream holds at that time; a copy from another
// replica waits for the launches that wrote it.
//
// A copy for a tile is a replica of which only a part need be good. What its
// tile writes stays there, owned by the replica, if all streams surely come to
// their ends without the program's help; OwnedBytes.cpp says why that is
// enough. Else what launches left away comes home before, and what the tile
// writes is written back in the tile's own stream, before the program's stream
// is joined.
//
// Gaps between many rows are closed (closeGaps) only while one thread uses
// memory at all: another one might be between asking for a part at home and
// writing that, and what it writes would be lost.
//
// Copies before a launch and the directory behind it follow from the directory
// before it and from the plan. So they are remembered with the decision
// (CopyStep), and a launch that finds a state again compares no ranges.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/Executor.h"
#include "runtime/launch/LaunchLimits.h"
#include "runtime/plan/SplitCandidate.h"
#include "runtime/report/Tracing.h"
#include "runtime/support/UntrackedCode.h"
#include <algorithm>

namespace gridspan {

/// The steps that a decision remembers for an allocation.
static constexpr size_t MaxSteps = 4;

//===--- The directory --------------------------------------------------===//

/// Returns the directory of what is good now.
CopyDirectory Executor::present(const Allocation &A) const {
  CopyDirectory Out = A.Copies;
  if (!Trusted || A.kind() == AllocationKind::Managed || A.IsShared)
    Out.keepOwners();
  Out.see(versionOf(A));
  return Out;
}

static std::vector<bool> whoHasAll(const Allocation &A,
                                   const CopyDirectory &Present) {
  std::vector<bool> Out;
  for (size_t Device = 0; Device != A.Replicas.size(); ++Device)
    Out.push_back(A.Replicas[Device] &&
                  Present.holdsAll(Place::replicaOn(static_cast<int>(Device)),
                                   A.bytes()));
  return Out;
}

std::vector<bool> Executor::goodReplicas(const Allocation &A) {
  MutexLock Guard(Memory.owned().lock());
  return whoHasAll(A, present(A));
}

void Executor::describe(const Allocation &A, PlacedAllocation &Placed) {
  Placed.Tracked =
      Trusted && A.kind() != AllocationKind::Managed && !A.IsShared;
  Placed.Stays =
      Placed.Tracked && !A.Paged && !Memory.pager().any() && seesAllWork();
  MutexLock Guard(Memory.owned().lock());
  Placed.Copies = present(A);
  Placed.HasReplica = whoHasAll(A, Placed.Copies);
  Placed.GoesHome = A.GoesHome;
}

void Executor::noteEmptied(Allocation &A, int Device) {
  MutexLock Guard(Memory.owned().lock());
  A.Copies.forget(Place::replicaOn(Device));
}

void Executor::noteFilled(Allocation &A, int Device,
                          const ContentsVersion &Of) {
  MutexLock Guard(Memory.owned().lock());
  A.Copies.see(Of);
  const LackedBytes All = {0, A.bytes(), Place::home()};
  A.Copies.fetched(Place::replicaOn(Device), {&All, 1});
}

//===--- Replicas -------------------------------------------------------===//

/// Makes later work of S on Device wait for all that the other streams hold
/// now. Waits, if not null, is set if they hold anything.
cudaError_t Executor::waitForOthers(ProgramStream &S, int Device, bool *Waits) {
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
    if (Waits)
      *Waits = true;
  }
  return cudaSuccess;
}

/// Returns the replica of A on Device, made if there is none; null without
/// room.
Replica *Executor::find(Allocation &A, int Device) {
  A.Replicas.resize(B.system().numDevices());
  std::unique_ptr<Replica> &R = A.Replicas[Device];
  if (!R)
    if (Expected<std::unique_ptr<Replica>> New =
            Memory.createReplica(A, Device))
      R = std::move(*New);
  return R.get();
}

/// Copies Bytes of A to the replica To, for work enqueued next on S's part on
/// its device, which may use it behind that.
cudaError_t Executor::fetch(Allocation &A, Place To,
                            std::span<const LackedBytes> Bytes,
                            ProgramStream &S) NO_THREAD_SAFETY_ANALYSIS {
  Stream &On = S.on(To.device());
  // Behind what others have brought: Ready will stand for that as well.
  if (cudaError_t Error = B.wait(On, *A.Replicas[To.device()]->Ready))
    return Error;
  if (Bytes.empty())
    return cudaSuccess;
  const TraceScope Scope(Activity::Replica);
  bool WaitsForOthers = false;
  if (std::any_of(Bytes.begin(), Bytes.end(),
                  [](const LackedBytes &L) { return L.From.isHome(); })) {
    if (cudaError_t Error = waitForOthers(S, To.device(), &WaitsForOthers))
      return Error;
    if (cudaError_t Error = Memory.owned().awaitHome(A, On))
      return Error;
  }
  const bool MayBeginEarly = !WaitsForOthers && !B.system().allReachAll();
  const Expected<uint64_t> Copied = Memory.owned().copy(
      On, A, To, Bytes, MayBeginEarly ? S.writtenAtHome() : nullptr);
  if (!Copied)
    return Copied.error();
  if (*Copied)
    Out.Replicas.count(*Copied);
  return cudaSuccess;
}

/// Returns a replica of A that is good for work enqueued next on S's part on
/// Device; null if there is no room or it cannot be filled. A itself will do.
Replica *Executor::refresh(Allocation &A, int Device, ProgramStream &S) {
  if (Trusted && untrackedDeviceCode())
    Trusted = false;
  Replica *R = find(A, Device);
  if (!R)
    return nullptr;
  A.Copies = present(A);
  const Place To = Place::replicaOn(Device);
  const ByteSpan All = {0, A.bytes()};
  const std::vector<LackedBytes> Lacked = A.Copies.lackedBy(To, {&All, 1});
  if (fetch(A, To, Lacked, S) ||
      (!Lacked.empty() && B.record(*R->Ready, S.on(Device))))
    return nullptr;
  A.Copies.fetched(To, Lacked);
  return R;
}

//===--- Copies for tiles -----------------------------------------------===//

/// Returns true if every tile can have the copies that it must have.
bool Executor::hasRoomForCopies(const Decision &D) {
  for (const TilePlan &Tile : D.LaunchPlan.Tiles)
    for (const TileCopy &Part : Tile.Copies)
      if (!find(*D.Allocations[Part.Allocation], Tile.Device))
        return false;
  return true;
}

/// Lets what comes next in S find all of A at home.
cudaError_t Executor::bringHome(Allocation &A,
                                ProgramStream &S) NO_THREAD_SAFETY_ANALYSIS {
  if (!A.IsAway)
    return cudaSuccess;
  const cudaError_t Error =
      Memory.owned().bringLocked(A, 0, A.bytes(), S.main());
  if (!Error)
    ProgramStream::operated(ProgramStream::Work::EndsByItself);
  return Error;
}

/// Lets the launch find at home what it touches there.
cudaError_t
Executor::bringHome(const Decision &D, bool IsUnsplit, ProgramStream &S,
                    const FormedLaunch *Formed) NO_THREAD_SAFETY_ANALYSIS {
  const std::vector<std::shared_ptr<Allocation>> All =
      D.LaunchPlan.TouchesAnywhere ? Memory.all() : D.Allocations;
  for (size_t I = 0; I != All.size(); ++I) {
    Allocation *A = All[I].get();
    const bool HasCopies = !IsUnsplit && !D.LaunchPlan.TouchesAnywhere &&
                           D.LaunchPlan.Effects[I].AtHome;
    if (!A || HasCopies || (Formed && Formed->has(*A)))
      continue;
    if (cudaError_t Error = bringHome(*A, S))
      return Error;
  }
  return cudaSuccess;
}

/// Lets what comes next in the stream be the launch of the kernel's clone for
/// records in other forms, and returns it, if it is to run that. Timed: what
/// the time of either is for.
std::optional<FormedLaunch>
Executor::beginFormed(const Decision &D, const LaunchRequest &R,
                      FormTiming &Timed) NO_THREAD_SAFETY_ANALYSIS {
  const auto Present = [this](const Allocation &A) { return versionOf(A); };
  std::optional<FormedLaunch> Out(std::in_place);
  Forms.timer().collect();
  if (Trusted && untrackedDeviceCode())
    Trusted = false;
  LaunchReason Why =
      Forms.plan({D.LaunchPlan, D.Allocations, D.Pointers}, R, Present, *Out);
  if (Why == LaunchReason::FormDoesNotPay)
    Forms.noteKept(*Out);
  // Others may gain by what this one loses.
  if (Why == LaunchReason::FormDoesNotPay ||
      Why == LaunchReason::FormDoesNotGain)
    Timed = Forms.timing(*Out, R, RecordOrder::AsMade);
  if (Why == LaunchReason::None && Out->Target.NoAlias &&
      !takesBlocks(B, Out->Target, R.Shape))
    Out->Target.NoAlias = false;
  if (Why == LaunchReason::None && !takesBlocks(B, Out->Target, R.Shape))
    Why = LaunchReason::CloneNeedsMoreRegisters;
  // What it writes stays in the other form.
  if (Why == LaunchReason::None && !mayLeaveAway())
    Why = LaunchReason::FormMayWait;
  if (Why == LaunchReason::None &&
      Forms.begin(*Out, R, Present, [&]() NO_THREAD_SAFETY_ANALYSIS {
        return waitForOthers(R.Stream, 0);
      }))
    Why = LaunchReason::FormGivenUp;
  if (Why == LaunchReason::None) {
    Timed = Forms.timing(*Out, R, RecordOrder::ByFields);
    return Out;
  }
  D.Counters->WhyNotFormed = Why;
  return std::nullopt;
}

/// Returns true if no stream holds anything that may wait for the program.
bool Executor::comesToRest() {
  const uint64_t Waits = ProgramStream::waits();
  if (Waits == WaitsAtRest)
    return true;
  if (!isIdle())
    return false;
  WaitsAtRest = Waits;
  return true;
}

/// Returns true if what a launch writes may stay where it is written: Gridspan
/// sees whoever asks for it, and all that it waits for ends by itself.
bool Executor::mayLeaveAway() {
  return Trusted && seesAllWork() && !Memory.pager().any() && comesToRest();
}

/// Sets D.Copies and D.ClosedCopies.
static void setUses(const Decision &D) {
  const Plan &P = D.LaunchPlan;
  std::vector<PlannedCopies> Out(P.Effects.size());
  for (const TilePlan &Tile : P.Tiles)
    for (const TileCopy &Part : Tile.Copies)
      Out[Part.Allocation].Uses.push_back(
          {Place::replicaOn(Tile.Device), Part.In, Part.Out});
  for (size_t A = 0; A != Out.size(); ++A) {
    if (P.Effects[A].AtHome)
      Out[A].Uses.push_back({Place::home(), P.Effects[A].AtHome->Reads,
                             P.Effects[A].AtHome->Writes});
    Out[A].Rows = rowsWritten(Out[A].Uses);
  }
  D.ClosedCopies.resize(Out.size());
  for (size_t A = 0; A != Out.size(); ++A)
    if (std::optional<std::vector<PlaceUse>> Closed = closeGaps(Out[A].Uses)) {
      D.ClosedCopies[A].Rows = rowsWritten(*Closed);
      D.ClosedCopies[A].Uses = std::move(*Closed);
    }
  D.Copies = std::move(Out);
}

/// Returns the step from Present on. Remembers it if the launch is repeated.
static std::shared_ptr<const CopyStep>
nextStep(PlannedCopies &Of, const CopyDirectory &Present, bool Stays) {
  for (const std::shared_ptr<const CopyStep> &Known : Of.Steps)
    if (Known->Before == Present.state() && Known->Stays == Stays)
      return Known;
  auto New = std::make_shared<CopyStep>(stepOf(Present, Of.Uses, Stays));
  if (!std::exchange(Of.Repeats, true))
    return New;
  // A state that was there before is known by its address.
  for (const std::shared_ptr<const CopyStep> &Known : Of.Steps)
    for (const auto &Old : {Known->Before, Known->After})
      if (Old && New->After && *Old == *New->After)
        New->After = Old;
  if (Of.Steps.size() == MaxSteps)
    Of.Steps.erase(Of.Steps.begin());
  Of.Steps.push_back(New);
  return New;
}

/// Finds out what is to be copied for the launch. If what it writes may not
/// stay away, all that it touches comes home first.
cudaError_t
Executor::planCopies(const Decision &D, ProgramStream &S, bool Stays,
                     LaunchCopies &Copies) NO_THREAD_SAFETY_ANALYSIS {
  const Plan &P = D.LaunchPlan;
  if (std::none_of(P.Effects.begin(), P.Effects.end(),
                   [](const AllocationEffect &E) { return E.AtHome; }))
    return cudaSuccess;
  if (Trusted && untrackedDeviceCode())
    Trusted = false;
  // What is written back behind this launch may wait for the program, and with
  // it whatever goes the same way between two devices: so nothing is left that
  // would have to.
  if (!Stays)
    for (const std::shared_ptr<Allocation> &A : Memory.all())
      if (cudaError_t Error = bringHome(*A, S))
        return Error;
  if (D.Copies.empty())
    setUses(D);
  Copies.Steps.resize(P.Effects.size());
  Copies.Of.resize(P.Effects.size());
  for (size_t I = 0; I != P.Effects.size(); ++I) {
    if (!P.Effects[I].AtHome)
      continue;
    Allocation &A = *D.Allocations[I];
    const bool MayStay =
        Stays && !A.IsShared && A.kind() != AllocationKind::Managed;
    const bool Closes =
        MayStay && Copies.MayClose && !D.ClosedCopies[I].Uses.empty();
    PlannedCopies &Planned = Closes ? D.ClosedCopies[I] : D.Copies[I];
    const bool ItStays = MayStay && Planned.Rows <= CopyDirectory::MaxRows;
    if (!ItStays)
      if (cudaError_t Error = bringHome(A, S))
        return Error;
    A.Copies = present(A);
    Copies.Of[I] = A.Copies.version();
    Copies.Steps[I] = nextStep(Planned, A.Copies, ItStays);
  }
  return cudaSuccess;
}

/// Brings home what tiles read there, and lets them wait for that, and for what
/// others have brought.
cudaError_t Executor::fetchHome(const Decision &D, const LaunchCopies &Copies,
                                ProgramStream &S) NO_THREAD_SAFETY_ANALYSIS {
  OwnedBytes &Owned = Memory.owned();
  for (size_t I = 0; I != Copies.Steps.size(); ++I) {
    if (!Copies.Steps[I])
      continue;
    Allocation &A = *D.Allocations[I];
    const std::vector<LackedBytes> &Bytes = Copies.Steps[I]->Fetches.back();
    if (A.IsAway || !Bytes.empty())
      if (cudaError_t Error = Owned.awaitHome(A, S.main()))
        return Error;
    if (!Bytes.empty()) {
      const TraceScope Scope(Activity::Replica);
      const Expected<uint64_t> Copied =
          Owned.copy(S.main(), A, Place::home(), Bytes);
      if (!Copied)
        return Copied.error();
      if (*Copied)
        Out.Replicas.count(*Copied);
      if (cudaError_t Error = Owned.noteGiven(A, S.main()))
        return Error;
    }
    for (const TilePlan &Tile : D.LaunchPlan.Tiles)
      if (A.IsAway && Tile.Device != 0 &&
          !tileCopy(Tile, static_cast<unsigned>(I)))
        if (cudaError_t Error = Owned.awaitHome(A, S.on(Tile.Device)))
          return Error;
  }
  return cudaSuccess;
}

/// Returns the place of a tile's use of an allocation among its uses.
static size_t useOf(const PlannedCopies &Of, int Device) {
  return std::ranges::find(Of.Uses, Place::replicaOn(Device), &PlaceUse::At) -
         Of.Uses.begin();
}

cudaError_t Executor::copyIn(const Decision &D, size_t Tile,
                             const LaunchCopies &Copies, LaunchArguments &Args,
                             ProgramStream &S) {
  const TilePlan &T = D.LaunchPlan.Tiles[Tile];
  for (const TileCopy &Part : T.Copies) {
    Allocation &A = *D.Allocations[Part.Allocation];
    const CopyStep &Step = *Copies.Steps[Part.Allocation];
    const size_t Use = useOf(D.Copies[Part.Allocation], T.Device);
    if (cudaError_t Error =
            fetch(A, Place::replicaOn(T.Device), Step.Fetches[Use], S))
      return Error;
    Args.redirect(D.Pointers, Part.Allocation,
                  A.Replicas[T.Device]->Base - A.base());
  }
  return cudaSuccess;
}

/// Returns true if a tile of another device may write where the memory is at
/// home: it gives back what it writes, or reaches that place.
bool Executor::mayWriteHome(const Plan &P, const TilePlan &Tile,
                            const LaunchCopies &Copies) {
  if (Tile.Device == 0)
    return false;
  for (unsigned A = 0; A != P.Effects.size(); ++A)
    if (P.Effects[A].Written &&
        (!tileCopy(Tile, A) || !Copies.Steps[A] || !Copies.Steps[A]->Stays))
      return true;
  return P.WritesAnywhere;
}

/// Writes back what does not stay, and lets others wait for what the tile was
/// given and wrote.
cudaError_t Executor::copyOut(const Decision &D, const TilePlan &Tile,
                              const LaunchCopies &Copies,
                              ProgramStream &S) NO_THREAD_SAFETY_ANALYSIS {
  Stream &On = S.on(Tile.Device);
  for (const TileCopy &Part : Tile.Copies) {
    Allocation &A = *D.Allocations[Part.Allocation];
    const Replica &R = *A.Replicas[Tile.Device];
    const bool Stays = Copies.Steps[Part.Allocation]->Stays;
    if (!Stays && !Part.Out.empty())
      if (cudaError_t Error = Memory.owned().awaitHome(A, On))
        return Error;
    for (const ByteRows &Rows : Part.Out) {
      if (Stays)
        break;
      if (cudaError_t Error =
              Memory.owned().copyRows(On, A.base(), R.Base, Rows))
        return Error;
      Out.WriteBacks.count(Rows.bytes());
    }
    // What was written back is the home's: nobody gets it from here.
    const size_t Use = useOf(D.Copies[Part.Allocation], Tile.Device);
    const bool WasGiven = !Copies.Steps[Part.Allocation]->Fetches[Use].empty();
    if (WasGiven || (Stays && !Part.Out.empty()))
      if (cudaError_t Error = B.record(*R.Ready, On))
        return Error;
  }
  return cudaSuccess;
}

/// Notes what the launch, all of which was enqueued, has copied and written.
void Executor::noteCopies(const Decision &D, const LaunchCopies &Copies)
    NO_THREAD_SAFETY_ANALYSIS {
  for (size_t I = 0; I != Copies.Steps.size(); ++I) {
    if (!Copies.Steps[I])
      continue;
    Allocation &A = *D.Allocations[I];
    const CopyStep &Step = *Copies.Steps[I];
    A.Copies.set(Step.After);
    const std::vector<PlaceUse> &Uses = D.Copies[I].Uses;
    uint64_t Left = 0;
    for (const PlaceUse &U : Uses)
      for (const ByteRows &R : U.Writes)
        Left += U.At.isHome() ? 0 : R.bytes();
    if (Step.Stays && Left) {
      Memory.owned().noteAway(A);
      A.GoesHome = 2 * std::exchange(A.Brought, 0) >= Left;
    }
    if (!D.LaunchPlan.Effects[I].Written)
      continue;
    // Whatever else was written meanwhile, only owners have it then.
    ContentsVersion Of = Copies.Of[I];
    if (A.written() == Of.Own) {
      ++Of.Own;
      A.Copies.advance(Of);
    }
  }
}

} // namespace gridspan
