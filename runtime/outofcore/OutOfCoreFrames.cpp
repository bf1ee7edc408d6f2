//===- OutOfCoreFrames.cpp - Frames around chunks -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frames that come to a slot of a ring (FrameRings.h) are left to the
// streams: the copy waits, on the device, for the chunks that used the slot's
// last frame and for that frame's write-back.
//
// Frames that have to be mapped are mapped by the host and at once, so it waits
// where a frame must leave: until the chunks that use it have run and its
// contents are saved. The frame was used a ring ago, so meanwhile the devices
// have the chunks in between to do.
//
// A range of addresses cannot be given other pages at one stroke (CUDA Driver
// API, cuMemMap), so no chunk that runs may touch a frame that comes or goes.
// It does not: the frame would be among its uses, whose end is waited for, or
// outside its ranges, which are proven by traces (gridspan-check-ranges).
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/OutOfCoreFrames.h"
#include "runtime/report/Tracing.h"
#include <algorithm>
#include <utility>

namespace gridspan {

/// The driver updates page tables behind the copy that is under way, so that
/// mapping a frame would wait for half of another one.
static constexpr uint64_t CopyPiece = uint64_t(16) << 20;
/// Fewer threads copy no faster than they pin.
static constexpr unsigned LeastCopyThreads = 4;
/// More copy no faster either: memory is the limit.
static constexpr unsigned MostCopyThreads = 16;

OutOfCoreFrames::OutOfCoreFrames(
    Backend &B, Pager &Frames, std::vector<DeviceLanes> &Lanes,
    unsigned CopyThreads, EventList &Events, const RingSizes &Rings,
    const std::vector<HostSharing> &Shared,
    const std::vector<std::shared_ptr<Allocation>> &Paged)
    : B(B), Frames(Frames), Lanes(Lanes), CopyThreads(CopyThreads),
      LoadWays(Lanes.size()), SaveWays(Lanes.size()), Events(Events),
      Rings(Rings), Shared(Shared), Paged(Paged), Leaving(Paged.size()) {
  for (const std::shared_ptr<Allocation> &A : Paged)
    States.emplace_back(A ? A->Paged->Frames.size() : 0);
}

//===--- Before ---------------------------------------------------------===//

/// A ring that cannot be had is no reason to fail: frames are mapped instead.
cudaError_t OutOfCoreFrames::makeRings(const OutOfCorePlan &Plan) {
  for (unsigned A = 0; A < Paged.size(); ++A)
    for (unsigned D = 0; Paged[A] && D < Rings.Slots[A].size(); ++D) {
      const cudaError_t Error =
          Frames.setRing(*Paged[A], static_cast<int>(D), Rings.Slots[A][D]);
      if (Error && Error != cudaErrorMemoryAllocation)
        return Error;
    }
  for (const OutOfCoreStep &Step : Plan.Steps)
    for (const FrameLoad &L : Step.Load)
      Maps |= Rings.Slots[L.Ref.Allocation][Step.Device] == 0 ||
              !Rings.Outside[L.Ref.Allocation][Step.Device].empty();
  return cudaSuccess;
}

/// Returns true if the host's threads are to copy the frame to a device: memory
/// that was lent always, as it is given back before pinning has paid, and else
/// once. Precondition: it is ordinary memory, which exists without being
/// pinned.
bool OutOfCoreFrames::mayLoadUnpinned(const FrameRef &R) {
  PagedMemory::Frame &F = frame(R);
  if (CopyThreads < LeastCopyThreads)
    return false;
  return Paged[R.Allocation]->Paged->Adopted ||
         !std::exchange(F.LoadedUnpinned, true);
}

/// The same on the way back. Other memory's pages are yet to be made, which
/// takes as long as to pin them.
bool OutOfCoreFrames::maySaveUnpinned(const FrameRef &R) {
  return CopyThreads >= LeastCopyThreads &&
         Paged[R.Allocation]->Paged->Adopted && !isShared(R);
}

bool OutOfCoreFrames::makeSlots(std::unique_ptr<PinnedSlots> &Slots,
                                int Device) {
  if (Slots)
    return true;
  auto New = std::make_unique<PinnedSlots>(B);
  if (New->create(Device))
    return false;
  Slots = std::move(New);
  return true;
}

static void makeTeam(std::unique_ptr<ThreadTeam> &Team, unsigned Threads) {
  if (!Team)
    Team = std::make_unique<ThreadTeam>(std::min(Threads, MostCopyThreads));
}

/// Returns what loads memory that is not pinned; null if it cannot be had.
UnpinnedLoads *OutOfCoreFrames::unpinnedLoads(int Device) {
  std::unique_ptr<UnpinnedLoads> &Here = LoadWays[Device];
  if (Here || CopyThreads < LeastCopyThreads)
    return Here.get();
  makeTeam(LoadTeam, CopyThreads);
  std::unique_ptr<PinnedSlots> &Slots = Lanes[Device].ToDevice;
  if (makeSlots(Slots, Device))
    Here = std::make_unique<UnpinnedLoads>(B, *LoadTeam, *Slots);
  else
    CopyThreads = 0;
  return Here.get();
}

/// The same for what is saved.
UnpinnedSaves *OutOfCoreFrames::unpinnedSaves(int Device) {
  std::unique_ptr<UnpinnedSaves> &Here = SaveWays[Device];
  if (Here || CopyThreads < LeastCopyThreads)
    return Here.get();
  makeTeam(SaveTeam, CopyThreads);
  std::unique_ptr<PinnedSlots> &Slots = Lanes[Device].FromDevice;
  if (makeSlots(Slots, Device)) {
    auto New = std::make_unique<UnpinnedSaves>(B, *SaveTeam, *Slots);
    if (!New->create(Device))
      Here = std::move(New);
  }
  if (!Here)
    CopyThreads = 0;
  return Here.get();
}

cudaError_t OutOfCoreFrames::prepare(const OutOfCorePlan &Plan) {
  std::vector<Pager::FrameOf> Order;
  std::vector<std::vector<bool>> IsOrdered;
  for (const std::vector<State> &Of : States)
    IsOrdered.emplace_back(Of.size());
  // Pages that take the place of others are few, and mapped when they come.
  const auto Pin = [&](const FrameRef &R, bool IsLoad) {
    Allocation &A = *Paged[R.Allocation];
    if (Frames.isReady(A, frame(R)) || !A.Paged->isOrdinary() ||
        (IsLoad ? mayLoadUnpinned(R) : maySaveUnpinned(R)) ||
        IsOrdered[R.Allocation][R.Frame])
      return;
    IsOrdered[R.Allocation][R.Frame] = true;
    Order.push_back({&A, R.Frame});
  };
  for (const FrameRef &R : Plan.SaveFirst)
    Pin(R, false);
  const size_t First = Order.size();
  for (const OutOfCoreStep &Step : Plan.Steps) {
    for (const FrameLoad &L : Step.Load)
      if (L.Copy)
        Pin(L.Ref, true);
    for (const FrameRef &R : Step.Save)
      Pin(R, false);
    PinsBehind.push_back(Order.size());
  }
  if (!Order.empty())
    Pins = std::make_unique<BackgroundPins>(B, Frames, std::move(Order));
  if (cudaError_t Error = makeRings(Plan))
    return Error;
  return Pins ? Pins->waitFor(First) : cudaSuccess;
}

/// Pins a frame that is not, as it is copied now.
cudaError_t OutOfCoreFrames::pin(const FrameRef &R) {
  // The thread may be about to.
  finishPins();
  return frame(R).Ready
             ? cudaSuccess
             : Frames.ensureReady({{Paged[R.Allocation].get(), R.Frame}});
}

//===--- Coming and going -----------------------------------------------===//

cudaError_t OutOfCoreFrames::copy(Stream &S, std::byte *Dst,
                                  const std::byte *Src, uint64_t Bytes) {
  const uint64_t Piece = Maps ? CopyPiece : Bytes;
  for (uint64_t Lo = 0; Lo < Bytes; Lo += Piece)
    if (cudaError_t Error =
            B.copy(S, Dst + Lo, Src + Lo, std::min(Piece, Bytes - Lo)))
      return Error;
  return cudaSuccess;
}

bool OutOfCoreFrames::isShared(const FrameRef &R) const {
  return R.Allocation < Shared.size() &&
         R.Frame < Shared[R.Allocation].Shares.size() &&
         Shared[R.Allocation].Shares[R.Frame];
}

/// Copies to the host what it does not have of the frame, and no byte that it
/// may write meanwhile.
cudaError_t OutOfCoreFrames::copyBack(Stream &S, const FrameRef &R) {
  const PagedMemory::Frame &F = frame(R);
  std::byte *const To = home(R);
  const std::byte *const From = onDevice(R);
  if (const PagedMemory::Part Own = Paged[R.Allocation]->Paged->contents(F);
      !isShared(R))
    return copy(S, To + Own.Lo, From + Own.Lo, Own.Hi - Own.Lo);
  for (const SavedRows &Rows :
       rowsWithin(Shared[R.Allocation], F.Lo, F.Lo + F.Bytes)) {
    const uint64_t At = Rows.At - F.Lo;
    const cudaError_t Error = Rows.Rows == 1
                                  ? copy(S, To + At, From + At, Rows.Bytes)
                                  : B.copy2D(S, To + At, Rows.Pitch, From + At,
                                             Rows.Pitch, Rows.Bytes, Rows.Rows);
    if (Error)
      return Error;
  }
  return cudaSuccess;
}

/// Has threads save a frame behind the chunks that used it.
void OutOfCoreFrames::saveUnpinned(UnpinnedSaves &Way, const FrameRef &R,
                                   int Device) {
  const PagedMemory::Part Own = Paged[R.Allocation]->Paged->contents(frame(R));
  std::vector<Event *> Uses;
  for (int Use : state(R).Used)
    if (Use >= 0)
      Uses.push_back(&Events.at(Use));
  state(R).Unpinned = Way.copy(home(R) + Own.Lo, onDevice(R) + Own.Lo,
                               Own.Hi - Own.Lo, std::move(Uses));
  state(R).UnpinnedFrom = Device;
  frame(R).Filled = true;
  frame(R).Dirty = false;
}

/// Waits until the host has what threads save of the frame. On an error the
/// device may have it alone.
cudaError_t OutOfCoreFrames::settle(const FrameRef &R) {
  const uint64_t Number = std::exchange(state(R).Unpinned, 0);
  if (!Number)
    return cudaSuccess;
  const cudaError_t Error = SaveWays[state(R).UnpinnedFrom]->waitFor(Number);
  frame(R).Dirty |= Error != cudaSuccess;
  return Error;
}

cudaError_t OutOfCoreFrames::finishSaves() {
  cudaError_t First = cudaSuccess;
  for (unsigned A = 0; A < Paged.size(); ++A)
    for (uint32_t F = 0; F < States[A].size(); ++F) {
      const cudaError_t Error = settle({A, F});
      First = First ? First : Error;
    }
  return First;
}

/// Saves a frame behind the chunks that used it; of each device's frames in
/// turn, WaitedFor is the event that its stream is behind already.
cudaError_t OutOfCoreFrames::saveBehindUses(const FrameRef &R, int Device,
                                            int &WaitedFor) {
  if (!frame(R).Ready && maySaveUnpinned(R))
    if (UnpinnedSaves *Way = unpinnedSaves(Device)) {
      saveUnpinned(*Way, R, Device);
      return cudaSuccess;
    }
  Stream &Out = *Lanes[Device].Out;
  for (int Use : state(R).Used)
    if (Use >= 0 && Use != WaitedFor) {
      if (cudaError_t Error = Events.wait(Out, Use))
        return Error;
      WaitedFor = Use;
    }
  if (!frame(R).Ready)
    if (cudaError_t Error = pin(R))
      return Error;
  if (cudaError_t Error = copyBack(Out, R))
    return Error;
  frame(R).Filled = true;
  frame(R).Dirty = false;
  // Each has its event: what waits for one must not wait for all.
  return Events.record(Out, state(R).Saved);
}

cudaError_t OutOfCoreFrames::save(const std::vector<FrameRef> &What) {
  TraceScope Scope(Activity::WriteBack);
  // By device: the copies of one step go in one piece of its stream.
  for (unsigned Device = 0; Device < Lanes.size(); ++Device) {
    int WaitedFor = -1;
    for (const FrameRef &R : What)
      if (deviceOf(R) == static_cast<int>(Device))
        if (cudaError_t Error = saveBehindUses(R, Device, WaitedFor))
          return Error;
  }
  return cudaSuccess;
}

cudaError_t OutOfCoreFrames::evict(const FrameRef &What) {
  PagedMemory::Frame &F = frame(What);
  if (!F.Device)
    return cudaSuccess; // left before its time
  if (cudaError_t Error = settle(What))
    return Error;
  State &S = state(What);
  std::vector<int> Last = std::move(S.Before);
  Last.insert(Last.end(), S.Used.begin(), S.Used.end());
  Last.insert(Last.end(), {S.Loaded, S.Saved});
  std::erase(Last, -1);
  // Whoever brings it back reads what is being saved.
  const int Saved = S.Saved;
  S = {};
  S.Saved = Saved;
  if (Pager::keepsPages(F)) {
    Leaving[What.Allocation][F.Window] = std::move(Last);
  } else {
    for (int Before : Last)
      if (cudaError_t Error = Events.synchronize(Before))
        return Error;
  }
  return Frames.toHost(*Paged[What.Allocation], What.Frame);
}

/// Pages of any slot may be taken for something else afterwards.
cudaError_t OutOfCoreFrames::waitForLeaving() {
  for (auto &Slots : Leaving) {
    for (const auto &[At, Last] : Slots)
      for (int Before : Last)
        if (cudaError_t Error = Events.synchronize(Before))
          return Error;
    Slots.clear();
  }
  return cudaSuccess;
}

/// Copies a frame to the device in the order of its stream, behind what saves
/// it.
cudaError_t OutOfCoreFrames::copyIn(const FrameRef &R, int Device) {
  const int Saved = state(R).Saved;
  const PagedMemory::Part Own = Paged[R.Allocation]->Paged->contents(frame(R));
  std::byte *const To = onDevice(R) + Own.Lo;
  const std::byte *const From = home(R) + Own.Lo;
  Stream &In = *Lanes[Device].In;
  if (cudaError_t Error = settle(R))
    return Error;
  if (!frame(R).Ready) {
    if (UnpinnedLoads *Way = unpinnedLoads(Device)) {
      if (Saved >= 0)
        if (cudaError_t Error = Events.synchronize(Saved))
          return Error;
      return Way->copy(In, To, From, Own.Hi - Own.Lo);
    }
    if (cudaError_t Error = pin(R))
      return Error;
  }
  if (Saved >= 0)
    if (cudaError_t Error = Events.wait(In, Saved))
      return Error;
  return copy(In, To, From, Own.Hi - Own.Lo);
}

cudaError_t OutOfCoreFrames::load(const FrameLoad &L, int Device) {
  TraceScope Scope(Activity::StreamIn);
  const FrameRef &R = L.Ref;
  Allocation &A = *Paged[R.Allocation];
  const std::vector<uint32_t> &Outside = Rings.Outside[R.Allocation][Device];
  const bool InRing =
      !std::binary_search(Outside.begin(), Outside.end(), R.Frame);
  if (!InRing || !Frames.hasFreeFrameSlot(A, R.Frame, Device))
    if (cudaError_t Error = waitForLeaving())
      return Error;
  if (cudaError_t Error = Frames.toDevice(A, R.Frame, Device, InRing))
    return Error;
  if (frame(R).Device->location() == Host)
    OnHost += frame(R).Bytes;
  std::vector<int> Before;
  if (auto Slot = Leaving[R.Allocation].extract(frame(R).Window))
    Before = std::move(Slot.mapped());
  if (!L.Copy) { // the stream of the copies goes on
    // Another device may still be saving what was there before.
    if (state(R).Saved >= 0)
      Before.push_back(state(R).Saved);
    state(R).Before = std::move(Before);
    return cudaSuccess;
  }
  const cudaError_t Error = Events.wait(*Lanes[Device].In, Before);
  return Error ? Error : copyIn(R, Device);
}

cudaError_t OutOfCoreFrames::load(const std::vector<FrameLoad> &Loads,
                                  int Device) {
  for (const FrameLoad &L : Loads)
    if (cudaError_t Error = load(L, Device))
      return Error;
  int Loaded;
  if (std::ranges::none_of(Loads, &FrameLoad::Copy))
    return cudaSuccess;
  if (cudaError_t Error = Events.record(*Lanes[Device].In, Loaded))
    return Error;
  for (const FrameLoad &L : Loads)
    if (L.Copy)
      state(L.Ref).Loaded = Loaded;
  return cudaSuccess;
}

//===--- Chunks -----------------------------------------------------------===//

void OutOfCoreFrames::collectLoads(const OutOfCoreStep &Step,
                                   std::vector<int> &Out) const {
  const auto Add = [&](int E) {
    if (E >= 0 && std::find(Out.begin(), Out.end(), E) == Out.end())
      Out.push_back(E);
  };
  for (const FrameUse &U : Step.Uses)
    for (uint32_t F = U.Lo; F < U.Hi; ++F) {
      const State &S = States[U.Allocation][F];
      Add(S.Loaded);
      std::for_each(S.Before.begin(), S.Before.end(), Add);
    }
}

void OutOfCoreFrames::usedBy(const OutOfCoreStep &Step, unsigned Lane,
                             int Done) {
  for (const FrameUse &U : Step.Uses)
    for (uint32_t F = U.Lo; F < U.Hi; ++F) {
      State &S = States[U.Allocation][F];
      S.Used.resize(Lanes.size() * DeviceLanes::Count, -1);
      S.Used[Step.Device * DeviceLanes::Count + Lane] = Done;
      if (U.Modes & (GridspanWrite | GridspanAtomic))
        frame({U.Allocation, F}).Dirty = true;
    }
}

cudaError_t
OutOfCoreFrames::relocate(const OutOfCoreStep &Step,
                          const std::vector<PlacedPointer> &Pointers,
                          LaunchArguments &Args) {
  for (size_t I = 0; I < Step.Uses.size();) {
    const unsigned A = Step.Uses[I].Allocation;
    const uint32_t Lo = Step.Uses[I].Lo;
    uint32_t Hi = Lo;
    for (; I < Step.Uses.size() && Step.Uses[I].Allocation == A; ++I)
      Hi = Step.Uses[I].Hi;
    const Expected<ptrdiff_t> Distance =
        Frames.distance(*Paged[A], Lo, Hi, Step.Device);
    if (!Distance)
      return Distance.error();
    Args.redirect(Pointers, A, *Distance);
  }
  return cudaSuccess;
}

//===--- Behind -----------------------------------------------------------===//

/// Takes the frame away and saves it first if it is dirty; all streams are
/// idle.
cudaError_t OutOfCoreFrames::bringHome(const FrameRef &R) {
  const PagedMemory::Frame &F = frame(R);
  if (!isShared(R))
    return Frames.hostAccess(*Paged[R.Allocation], F.Lo, F.Lo + F.Bytes, true);
  cudaError_t Error = cudaSuccess;
  if (F.Dirty) {
    Stream &Out = *Lanes[deviceOf(R)].Out;
    Error = copyBack(Out, R);
    const cudaError_t Copying = B.synchronize(Out);
    Error = Error ? Error : Copying;
  }
  // Later it could not be told any more what the host has written since.
  const cudaError_t Leaving = Frames.toHost(*Paged[R.Allocation], R.Frame);
  return Error ? Error : Leaving;
}

cudaError_t OutOfCoreFrames::dropHostPages() {
  cudaError_t First = cudaSuccess;
  for (unsigned A = 0; A < Paged.size(); ++A)
    for (uint32_t F = 0; F < States[A].size(); ++F) {
      const PagedMemory::Frame &Frame = frame({A, F});
      if (!Frame.Device || Frame.Device->location() != Host)
        continue;
      const cudaError_t Error = bringHome({A, F});
      First = First ? First : Error;
    }
  return First;
}

/// A frame that was to be overwritten has nothing that anyone wants yet; what
/// is in the store is good. So it is of frames that came to pages of the host:
/// nothing but the launch that failed has written those.
void OutOfCoreFrames::giveUp() {
  for (unsigned A = 0; A < Paged.size(); ++A)
    for (uint32_t F = 0; F < States[A].size(); ++F) {
      const PagedMemory::Frame &Frame = frame({A, F});
      if (!Frame.Device)
        continue;
      const bool MustWriteBack = Paged[A]->kind() == AllocationKind::Managed;
      // What earlier launches left there is nowhere else.
      if (MustWriteBack && Frame.Dirty && bringHome({A, F}))
        continue;
      if (Frame.Device &&
          (MustWriteBack || !Frame.Dirty || Frame.Device->location() == Host))
        (void)Frames.toHost(*Paged[A], F);
    }
}

} // namespace gridspan
