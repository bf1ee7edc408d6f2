//===- StreamExecutor.cpp - Carry out a stream plan -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frames that come to a slot of a ring (FrameRings.h) are all the streams'
// business: the copy waits, on the device, for the chunks that used the slot's
// last frame and for that frame's copy home. The host then only stays a few
// chunks ahead, so that one thread serves all devices.
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

#include "StreamExecutor.h"
#include "Tracing.h"
#include <algorithm>
#include <deque>
#include <map>

namespace gridspan {

/// The driver updates page tables behind the copy that is under way, so that
/// mapping a frame would wait for half of another one.
static constexpr uint64_t CopyPiece = uint64_t(16) << 20;
/// Chunks that a device is given ahead.
static constexpr size_t Ahead = 8;

/// One execution of a plan.
class StreamRun {
public:
  StreamRun(StreamExecutor &E, const StreamPlan &Plan, const RingSizes &Rings,
            const std::vector<std::shared_ptr<Allocation>> &Paged,
            const std::vector<PlacedPointer> &Pointers)
      : E(E), B(E.B), Plan(Plan), Rings(Rings), Paged(Paged),
        Pointers(Pointers), Leaving(Paged.size()), Running(E.Streams.size()),
        Slots(E.Streams.size()), NextLane(E.Streams.size()) {
    for (const std::shared_ptr<Allocation> &A : Paged)
      States.emplace_back(A ? A->Paged->Frames.size() : 0);
  }

  cudaError_t run(const LaunchTarget &Target, const LaunchShape &Shape,
                  void *const *Args);

private:
  /// What is under way with a frame; indices of Events.
  struct FrameState {
    int Loaded = -1;
    int Saved = -1;
    std::vector<int> Used; ///< the last on each lane of each device
  };

  /// A device's slots for packed rows; indices of Events.
  struct DeviceSlots {
    std::unique_ptr<PackedSlots> Memory;
    std::array<int, StreamPlan::NumSlots> Loaded;
    std::array<std::vector<int>, StreamPlan::NumSlots> Used;
  };

  PagedMemory::Frame &frame(const FrameRef &R) {
    return Paged[R.Allocation]->Paged->Frames[R.Frame];
  }
  FrameState &state(const FrameRef &R) { return States[R.Allocation][R.Frame]; }
  /// Where the frame is on a device, and where it is on the host.
  std::byte *onDevice(const FrameRef &R) {
    return Pager::address(*Paged[R.Allocation], R.Frame);
  }
  std::byte *home(const FrameRef &R) {
    return Paged[R.Allocation]->base() + frame(R).Lo;
  }
  int deviceOf(const FrameRef &R) {
    return std::max(0, frame(R).Device->location());
  }
  cudaError_t recordOn(Stream &S, int &Out);
  cudaError_t save(const std::vector<FrameRef> &What);
  cudaError_t evict(const FrameRef &What);
  cudaError_t copy(Stream &S, std::byte *Dst, const std::byte *Src,
                   uint64_t Bytes);
  cudaError_t ensureReady();
  cudaError_t makeRings();
  cudaError_t waitFor(Stream &S, const std::vector<int> &Those);
  cudaError_t waitForLeaving();
  cudaError_t relocate(const StreamStep &Step, LaunchArguments &Args);
  cudaError_t load(const FrameLoad &What, int Device);
  cudaError_t createSlots(int Device);
  cudaError_t loadPacked(const StreamStep &Step);
  unsigned laneOf(const StreamStep &Step);
  cudaError_t launch(Stream &Compute, const StreamStep &Step,
                     const LaunchTarget &Target, const LaunchShape &Shape,
                     void *const *Args);
  cudaError_t step(const StreamStep &Step, const LaunchTarget &Target,
                   const LaunchShape &Shape, void *const *Args);
  cudaError_t steps(const LaunchTarget &Target, const LaunchShape &Shape,
                    void *const *Args);
  cudaError_t finish(cudaError_t Error);

  StreamExecutor &E;
  Backend &B;
  const StreamPlan &Plan;
  const RingSizes &Rings;
  const std::vector<std::shared_ptr<Allocation>> &Paged;
  const std::vector<PlacedPointer> &Pointers;
  std::vector<std::vector<FrameState>> States;
  /// By allocation and address of the slot: what must be over before another
  /// frame comes there.
  std::vector<std::map<std::byte *, std::vector<int>>> Leaving;
  /// By device, the ends of the chunks that it was given last.
  std::vector<std::deque<int>> Running;
  std::vector<DeviceSlots> Slots; ///< by device
  std::vector<unsigned> NextLane; ///< the same
  bool Maps = false;              ///< some frame is to be mapped by itself
  std::vector<std::unique_ptr<Event>> Events;
};

cudaError_t StreamRun::recordOn(Stream &S, int &Out) {
  std::unique_ptr<Event> New;
  cudaError_t Error = B.createEvent(S.device(), cudaEventDisableTiming, New);
  if (!Error)
    Error = B.record(*New, S);
  Out = static_cast<int>(Events.size());
  Events.push_back(std::move(New));
  return Error;
}

/// Copies frames home behind the chunks that used them so far.
cudaError_t StreamRun::save(const std::vector<FrameRef> &What) {
  TraceScope Scope(Activity::WriteBack);
  // By device: the copies of one step go in one piece of its stream.
  for (unsigned Device = 0; Device < E.Streams.size(); ++Device) {
    Stream &Out = *E.Streams[Device].Out;
    std::vector<const FrameRef *> Here;
    for (const FrameRef &R : What)
      if (deviceOf(R) == static_cast<int>(Device))
        Here.push_back(&R);
    if (Here.empty())
      continue;
    int WaitedFor = -1;
    for (const FrameRef *R : Here) {
      for (int Use : state(*R).Used)
        if (Use >= 0 && Use != WaitedFor) {
          if (cudaError_t Error = B.wait(Out, *Events[Use]))
            return Error;
          WaitedFor = Use;
        }
      if (cudaError_t Error =
              copy(Out, home(*R), onDevice(*R), frame(*R).Bytes))
        return Error;
      frame(*R).Filled = true;
      frame(*R).Dirty = false;
      // Each has its event: what waits for one must not wait for all.
      if (cudaError_t Error = recordOn(Out, state(*R).Saved))
        return Error;
    }
  }
  return cudaSuccess;
}

cudaError_t StreamRun::evict(const FrameRef &What) {
  PagedMemory::Frame &F = frame(What);
  if (!F.Device)
    return cudaSuccess; // went home before its time
  FrameState &S = state(What);
  std::vector<int> Last = S.Used;
  Last.insert(Last.end(), {S.Loaded, S.Saved});
  std::erase(Last, -1);
  S = {};
  if (Pager::keepsPages(F)) {
    Leaving[What.Allocation][F.Window] = std::move(Last);
  } else {
    for (int Before : Last)
      if (cudaError_t Error = B.synchronize(*Events[Before]))
        return Error;
  }
  return E.Frames.toHost(*Paged[What.Allocation], What.Frame);
}

cudaError_t StreamRun::waitFor(Stream &S, const std::vector<int> &Those) {
  for (int Before : Those)
    if (cudaError_t Error = B.wait(S, *Events[Before]))
      return Error;
  return cudaSuccess;
}

/// Pages of any slot may be taken for something else afterwards.
cudaError_t StreamRun::waitForLeaving() {
  for (auto &Slots : Leaving) {
    for (const auto &[At, Last] : Slots)
      for (int Before : Last)
        if (cudaError_t Error = B.synchronize(*Events[Before]))
          return Error;
    Slots.clear();
  }
  return cudaSuccess;
}

cudaError_t StreamRun::copy(Stream &S, std::byte *Dst, const std::byte *Src,
                            uint64_t Bytes) {
  const uint64_t Piece = Maps ? CopyPiece : Bytes;
  for (uint64_t Lo = 0; Lo < Bytes; Lo += Piece)
    if (cudaError_t Error =
            B.copy(S, Dst + Lo, Src + Lo, std::min(Piece, Bytes - Lo)))
      return Error;
  return cudaSuccess;
}

/// A ring that cannot be had is no reason to fail: frames are mapped instead.
cudaError_t StreamRun::makeRings() {
  for (unsigned A = 0; A < Paged.size(); ++A)
    for (unsigned D = 0; Paged[A] && D < Rings.Slots[A].size(); ++D) {
      const cudaError_t Error =
          E.Frames.setRing(*Paged[A], static_cast<int>(D), Rings.Slots[A][D]);
      if (Error && Error != cudaErrorMemoryAllocation)
        return Error;
    }
  for (const StreamStep &Step : Plan.Steps)
    for (const FrameLoad &L : Step.Load)
      Maps |= Rings.Slots[L.What.Allocation][Step.Device] == 0 ||
              !Rings.Outside[L.What.Allocation][Step.Device].empty();
  return cudaSuccess;
}

/// Pins what the plan copies, all at once: by several threads.
cudaError_t StreamRun::ensureReady() {
  for (unsigned A = 0; A < Paged.size(); ++A) {
    uint64_t Lo = UINT64_MAX, Hi = 0;
    for (const StreamStep &Step : Plan.Steps)
      for (const FrameUse &U : Step.Uses)
        if (U.Allocation == A) {
          Lo = std::min(Lo, frame({A, U.Lo}).Lo);
          Hi = std::max(Hi,
                        frame({A, U.Hi - 1}).Lo + frame({A, U.Hi - 1}).Bytes);
        }
    if (Lo < Hi)
      if (cudaError_t Error = E.Frames.ensureReady(*Paged[A], Lo, Hi))
        return Error;
  }
  // What is saved first may be of others.
  for (const FrameRef &R : Plan.SaveFirst)
    if (cudaError_t Error = E.Frames.ensureReady(
            *Paged[R.Allocation], frame(R).Lo, frame(R).Lo + frame(R).Bytes))
      return Error;
  return cudaSuccess;
}

cudaError_t StreamRun::load(const FrameLoad &What, int Device) {
  TraceScope Scope(Activity::StreamIn);
  const FrameRef &R = What.What;
  Allocation &A = *Paged[R.Allocation];
  const std::vector<uint32_t> &Outside = Rings.Outside[R.Allocation][Device];
  const bool InRing =
      !std::binary_search(Outside.begin(), Outside.end(), R.Frame);
  if (!InRing || !E.Frames.hasSlot(A, R.Frame, Device))
    if (cudaError_t Error = waitForLeaving())
      return Error;
  if (cudaError_t Error = E.Frames.toDevice(A, R.Frame, Device, InRing))
    return Error;
  Stream &In = *E.Streams[Device].In;
  if (auto It = Leaving[R.Allocation].find(frame(R).Window);
      It != Leaving[R.Allocation].end()) {
    if (cudaError_t Error = waitFor(In, It->second))
      return Error;
    Leaving[R.Allocation].erase(It);
  }
  if (!What.Copy)
    return cudaSuccess;
  return copy(In, onDevice(R), home(R), frame(R).Bytes);
}

/// Has the pointers lead to where the step's frames are.
cudaError_t StreamRun::relocate(const StreamStep &Step, LaunchArguments &Args) {
  for (size_t I = 0; I < Step.Uses.size();) {
    const unsigned A = Step.Uses[I].Allocation;
    const uint32_t Lo = Step.Uses[I].Lo;
    uint32_t Hi = Lo;
    for (; I < Step.Uses.size() && Step.Uses[I].Allocation == A; ++I)
      Hi = Step.Uses[I].Hi;
    ptrdiff_t Distance = 0;
    if (cudaError_t Error =
            E.Frames.distance(*Paged[A], Lo, Hi, Step.Device, Distance))
      return Error;
    Args.redirect(Pointers, A, Distance);
  }
  return cudaSuccess;
}

/// Makes the device's slots for packed rows.
cudaError_t StreamRun::createSlots(int Device) {
  DeviceSlots &D = Slots[Device];
  if (D.Memory)
    return cudaSuccess;
  D.Memory = std::make_unique<PackedSlots>(B, Device);
  D.Loaded.fill(-1);
  if (cudaError_t Error = waitForLeaving())
    return Error;
  E.Frames.trim();
  return D.Memory->create(Plan.SlotBytes);
}

/// Has the step's slot filled as soon as the last chunks that read it are done.
cudaError_t StreamRun::loadPacked(const StreamStep &Step) {
  TraceScope Scope(Activity::StreamIn);
  DeviceSlots &D = Slots[Step.Device];
  Stream &In = *E.Streams[Step.Device].In;
  if (cudaError_t Error = waitFor(In, D.Used[Step.Slot]))
    return Error;
  D.Used[Step.Slot].clear();
  for (const PackedRows &R : Step.Packed)
    if (cudaError_t Error = D.Memory->load(
            In, Step.Slot, R,
            {Paged[R.Allocation]->base(), Paged[R.Allocation]->bytes(),
             Paged[R.Allocation]->Paged->FrameBytes}))
      return Error;
  return recordOn(In, D.Loaded[Step.Slot]);
}

/// Chunks that take turns with their slots also do with the lanes: their blocks
/// are few for so large a footprint, so that a chunk's last ones would leave
/// much of a device idle. Elsewhere nothing is gained.
unsigned StreamRun::laneOf(const StreamStep &Step) {
  if (Step.Packed.empty() || Maps)
    return 0;
  return NextLane[Step.Device]++ % StreamExecutor::Lanes;
}

cudaError_t StreamRun::launch(Stream &Compute, const StreamStep &Step,
                              const LaunchTarget &Target,
                              const LaunchShape &Shape, void *const *Args) {
  LaunchArguments Moved(*Target.Kernel, Args);
  if (cudaError_t Error = relocate(Step, Moved))
    return Error;
  if (!Plan.Chunked)
    return B.launch(Compute, Target, Shape, Moved.get(), nullptr);
  LaunchShape Part = Shape;
  Part.Grid = {Step.Count[0], Step.Count[1], Step.Count[2]};
  const GridspanTile Tile = {{Step.Lo[0], Step.Lo[1], Step.Lo[2]},
                             {Shape.Grid.x, Shape.Grid.y, Shape.Grid.z}};
  if (Plan.Packed.empty())
    return B.launch(Compute, Target, Part, Moved.get(), &Tile);
  const GridspanKernel &Kernel = *Target.Kernel;
  std::vector<GridspanPacking> Packings;
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I) {
    if (!(Kernel.Pointers[I].Flags & GridspanPackable))
      continue;
    Packings.push_back(noPacking());
    for (const PackedRows &R : Step.Packed)
      if (Pointers[I].Allocation == static_cast<int>(R.Allocation))
        Packings.back() = Slots[Step.Device].Memory->packing(
            Step.Slot, R, Paged[R.Allocation]->base());
  }
  std::vector<void *> More(Moved.get(), Moved.get() + Kernel.NumParams);
  More.push_back(Packings.data());
  return B.launch(Compute, {Kernel.Packed, Kernel.Packed->HostStub}, Part,
                  More.data(), &Tile);
}

cudaError_t StreamRun::step(const StreamStep &Step, const LaunchTarget &Target,
                            const LaunchShape &Shape, void *const *Args) {
  Stream &In = *E.Streams[Step.Device].In;
  const unsigned Lane = laneOf(Step);
  Stream &Compute = *E.Streams[Step.Device].Compute[Lane];
  if (std::deque<int> &Given = Running[Step.Device]; Given.size() >= Ahead) {
    if (cudaError_t Error = B.synchronize(*Events[Given.front()]))
      return Error;
    Given.pop_front();
  }
  for (const FrameRef &R : Step.Evict)
    if (cudaError_t Error = evict(R))
      return Error;
  if (!Step.Packed.empty())
    if (cudaError_t Error = createSlots(Step.Device))
      return Error;
  if (!Step.Load.empty()) {
    for (const FrameLoad &L : Step.Load)
      if (cudaError_t Error = load(L, Step.Device))
        return Error;
    int Loaded;
    if (cudaError_t Error = recordOn(In, Loaded))
      return Error;
    for (const FrameLoad &L : Step.Load)
      state(L.What).Loaded = Loaded;
  }
  if (Step.LoadPacked)
    if (cudaError_t Error = loadPacked(Step))
      return Error;
  // Frames that other steps loaded, perhaps for other devices, are waited for
  // too; most are of few steps.
  std::vector<int> Waits;
  if (!Step.Packed.empty())
    Waits.push_back(Slots[Step.Device].Loaded[Step.Slot]);
  for (const FrameUse &U : Step.Uses)
    for (uint32_t F = U.Lo; F < U.Hi; ++F) {
      const int Loaded = States[U.Allocation][F].Loaded;
      if (Loaded >= 0 &&
          std::find(Waits.begin(), Waits.end(), Loaded) == Waits.end())
        Waits.push_back(Loaded);
    }
  for (int Loaded : Waits)
    if (cudaError_t Error = B.wait(Compute, *Events[Loaded]))
      return Error;

  if (cudaError_t Error = launch(Compute, Step, Target, Shape, Args))
    return Error;
  int Done;
  if (cudaError_t Error = recordOn(Compute, Done))
    return Error;
  Running[Step.Device].push_back(Done);
  if (!Step.Packed.empty())
    Slots[Step.Device].Used[Step.Slot].push_back(Done);
  for (const FrameUse &U : Step.Uses)
    for (uint32_t F = U.Lo; F < U.Hi; ++F) {
      FrameState &S = States[U.Allocation][F];
      S.Used.resize(E.Streams.size() * StreamExecutor::Lanes, -1);
      S.Used[Step.Device * StreamExecutor::Lanes + Lane] = Done;
      if (U.Modes & (GridspanWrite | GridspanAtomic))
        frame({U.Allocation, F}).Dirty = true;
    }
  return save(Step.Save);
}

cudaError_t StreamRun::steps(const LaunchTarget &Target,
                             const LaunchShape &Shape, void *const *Args) {
  if (cudaError_t Error = ensureReady())
    return Error;
  if (cudaError_t Error = makeRings())
    return Error;
  if (cudaError_t Error = save(Plan.SaveFirst))
    return Error;
  ProgressScope Shown(E.Line, Plan.BytesIn + Plan.BytesOut);
  for (const StreamStep &Step : Plan.Steps) {
    if (cudaError_t Error = step(Step, Target, Shape, Args))
      return Error;
    // The host is a few chunks ahead of the devices at most.
    uint64_t Bytes = 0;
    for (const FrameLoad &L : Step.Load)
      Bytes += L.Copy ? frame(L.What).Bytes : 0;
    for (const PackedRows &R : Step.Packed)
      Bytes += Step.LoadPacked ? R.Window.Width * R.Window.Rows : 0;
    for (const FrameRef &R : Step.Save)
      Bytes += frame(R).Bytes;
    E.Line.advance(Bytes);
  }
  return cudaSuccess;
}

cudaError_t StreamRun::finish(cudaError_t Error) {
  for (StreamExecutor::DeviceStreams &D : E.Streams)
    for (Stream *S :
         {D.In.get(), D.Compute[0].get(), D.Compute[1].get(), D.Out.get()}) {
      cudaError_t This = B.synchronize(*S);
      Error = Error ? Error : This;
    }
  // Pages of the host in place of a device's were good for this launch only.
  for (unsigned A = 0; A < Paged.size(); ++A)
    for (uint32_t F = 0; F < States[A].size(); ++F) {
      const PagedMemory::Frame &Frame = frame({A, F});
      if (!Frame.Device || Frame.Device->location() != Host)
        continue;
      cudaError_t This = E.Frames.hostAccess(*Paged[A], Frame.Lo,
                                             Frame.Lo + Frame.Bytes, true);
      Error = Error ? Error : This;
    }
  if (!Error) {
    for (const FrameRef &R : Plan.EvictLast)
      if (cudaError_t This = evict(R))
        Error = This;
  } else {
    // A frame that was to be overwritten has nothing that anyone wants yet;
    // what is in the store is good.
    for (unsigned A = 0; A < Paged.size(); ++A)
      for (uint32_t F = 0; F < States[A].size(); ++F)
        if (frame({A, F}).Device && !frame({A, F}).Dirty)
          (void)E.Frames.toHost(*Paged[A], F);
  }
  return Error;
}

cudaError_t StreamRun::run(const LaunchTarget &Target, const LaunchShape &Shape,
                           void *const *Args) {
  return finish(steps(Target, Shape, Args));
}

cudaError_t StreamExecutor::createStreams(unsigned Devices) {
  while (Streams.size() < Devices) {
    const auto Device = static_cast<int>(Streams.size());
    DeviceStreams New;
    for (std::unique_ptr<Stream> *S :
         {&New.In, &New.Compute[0], &New.Compute[1], &New.Out})
      if (cudaError_t Error =
              B.createStream(Device, StreamKind::NonBlocking, 0, *S))
        return Error;
    Streams.push_back(std::move(New));
  }
  return cudaSuccess;
}

cudaError_t
StreamExecutor::run(const StreamPlan &Plan, const RingSizes &Rings,
                    const std::vector<std::shared_ptr<Allocation>> &Paged,
                    const LaunchTarget &Target, const LaunchShape &Shape,
                    void *const *Args,
                    const std::vector<PlacedPointer> &Pointers) {
  if (cudaError_t Error = createStreams(B.system().numDevices()))
    return Error;
  return StreamRun(*this, Plan, Rings, Paged, Pointers)
      .run(Target, Shape, Args);
}

} // namespace gridspan
