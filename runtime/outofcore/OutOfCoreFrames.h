//===- OutOfCoreFrames.h - Frames around chunks -----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frames of one execution of an out-of-core plan: brings, saves and takes
// them away in the devices' streams, and knows what must be over before each of
// it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCOREFRAMES_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCOREFRAMES_H

#include "runtime/backend/EventList.h"
#include "runtime/copy/UnpinnedLoads.h"
#include "runtime/copy/UnpinnedSaves.h"
#include "runtime/memory/BackgroundPins.h"
#include "runtime/outofcore/FrameRings.h"
#include "runtime/outofcore/OutOfCorePlan.h"
#include "runtime/plan/LaunchArguments.h"
#include <array>
#include <map>

namespace gridspan {

/// The streams of one device that chunks run on, and what copies memory that is
/// not pinned.
struct DeviceLanes {
  /// Chunks that may overlap are on different ones.
  static constexpr unsigned Count = 3;
  std::unique_ptr<Stream> In, Out;
  std::array<std::unique_ptr<Stream>, Count> Compute;
  /// Null until a copy wants it.
  std::unique_ptr<PinnedSlots> ToDevice, FromDevice;

  /// Returns the streams, in the order in which work passes them.
  std::array<std::unique_ptr<Stream> *, Count + 2> all() {
    return {&In, &Compute[0], &Compute[1], &Compute[2], &Out};
  }
};

class OutOfCoreFrames {
public:
  /// Nothing is copied. Shared is the plan's. Paged are the allocations that
  /// the plan numbers, null where one is not paged; Lanes are by device. With
  /// CopyThreads other than 0, that many copy what a device reads for the first
  /// time, and memory that was lent; all else is pinned.
  OutOfCoreFrames(Backend &B, Pager &Frames, std::vector<DeviceLanes> &Lanes,
                  unsigned CopyThreads, EventList &Events,
                  const RingSizes &Rings,
                  const std::vector<HostSharing> &Shared,
                  const std::vector<std::shared_ptr<Allocation>> &Paged);

  /// Makes the rings, and pins what the plan saves first. Begins to pin what
  /// else it copies.
  cudaError_t prepare(const OutOfCorePlan &Plan) REQUIRES(PlacementLock::Held);
  /// Waits until what the step copies is pinned, or need not be.
  cudaError_t waitForPins(size_t Step) REQUIRES(PlacementLock::Held) {
    return Pins ? Pins->waitFor(PinsBehind[Step]) : cudaSuccess;
  }
  /// Pins no more.
  void finishPins() REQUIRES(PlacementLock::Held) {
    if (Pins)
      Pins->finish();
  }
  /// True if some frame is mapped by itself.
  bool maps() const { return Maps; }

  cudaError_t load(const std::vector<FrameLoad> &Loads, int Device)
      REQUIRES(PlacementLock::Held);
  cudaError_t evict(const FrameRef &What) REQUIRES(PlacementLock::Held);
  /// Writes frames back behind the chunks that used them so far.
  cudaError_t save(const std::vector<FrameRef> &What)
      REQUIRES(PlacementLock::Held);
  /// Waits for what is saved by threads.
  cudaError_t finishSaves() REQUIRES(PlacementLock::Held);
  /// Waits until no page of a frame that left is in use.
  cudaError_t waitForLeaving();

  /// Adds to Events what the frames that the step uses wait for.
  void collectLoads(const OutOfCoreStep &Step, std::vector<int> &Events) const;
  /// The step's chunk ends with the event Done of a lane of its device.
  void usedBy(const OutOfCoreStep &Step, unsigned Lane, int Done);
  /// Has the pointers lead to where the step's frames are.
  cudaError_t relocate(const OutOfCoreStep &Step,
                       const std::vector<PlacedPointer> &Pointers,
                       LaunchArguments &Args) REQUIRES(PlacementLock::Held);

  /// Takes away pages of the host that stood in for a device's, for this launch
  /// only. All streams are idle.
  cudaError_t dropHostPages() REQUIRES(PlacementLock::Held);
  /// Takes away frames after an error; all streams are idle. Frames stay that
  /// hold what the host has not, unless they are of managed memory, which the
  /// host touches without asking.
  void giveUp() REQUIRES(PlacementLock::Held);

  uint64_t bytes(const FrameRef &R) { return frame(R).Bytes; }
  /// Bytes of frames that were to come to a device but are on the host, for
  /// lack of room.
  uint64_t bytesOnHost() const { return OnHost; }

private:
  /// The work under way with a frame; numbers of Events.
  struct State {
    int Loaded = -1;
    int Saved = -1;
    /// The number of a save by threads that was not waited for, or 0; and of
    /// which device.
    uint64_t Unpinned = 0;
    int UnpinnedFrom = 0;
    std::vector<int> Used; ///< the last on each lane of each device
    /// What the first to use it waits for, if it came without a copy: another
    /// frame was in its slot.
    std::vector<int> Before;
  };

  PagedMemory::Frame &frame(const FrameRef &R) {
    return Paged[R.Allocation]->Paged->Frames[R.Frame];
  }
  State &state(const FrameRef &R) { return States[R.Allocation][R.Frame]; }
  /// Returns the frame's address on a device; home() returns that on the host.
  std::byte *onDevice(const FrameRef &R) {
    return Pager::address(*Paged[R.Allocation], R.Frame);
  }
  std::byte *home(const FrameRef &R) {
    return Paged[R.Allocation]->base() + frame(R).Lo;
  }
  int deviceOf(const FrameRef &R) {
    return std::max(0, frame(R).Device->location());
  }
  bool mayLoadUnpinned(const FrameRef &R);
  bool maySaveUnpinned(const FrameRef &R);
  bool makeSlots(std::unique_ptr<PinnedSlots> &Slots, int Device);
  UnpinnedLoads *unpinnedLoads(int Device);
  UnpinnedSaves *unpinnedSaves(int Device);
  void saveUnpinned(UnpinnedSaves &Way, const FrameRef &R, int Device);
  cudaError_t settle(const FrameRef &R);
  cudaError_t pin(const FrameRef &R) REQUIRES(PlacementLock::Held);
  cudaError_t makeRings(const OutOfCorePlan &Plan)
      REQUIRES(PlacementLock::Held);
  cudaError_t load(const FrameLoad &L, int Device)
      REQUIRES(PlacementLock::Held);
  cudaError_t copy(Stream &S, std::byte *Dst, const std::byte *Src,
                   uint64_t Bytes);
  cudaError_t copyIn(const FrameRef &R, int Device)
      REQUIRES(PlacementLock::Held);
  cudaError_t copyBack(Stream &S, const FrameRef &R);
  cudaError_t saveBehindUses(const FrameRef &R, int Device, int &WaitedFor)
      REQUIRES(PlacementLock::Held);
  cudaError_t bringHome(const FrameRef &R) REQUIRES(PlacementLock::Held);
  bool isShared(const FrameRef &R) const;

  Backend &B;
  Pager &Frames;
  std::vector<DeviceLanes> &Lanes;
  unsigned CopyThreads;
  /// Null until a copy wants it; by device.
  std::unique_ptr<ThreadTeam> LoadTeam, SaveTeam;
  std::vector<std::unique_ptr<UnpinnedLoads>> LoadWays;
  std::vector<std::unique_ptr<UnpinnedSaves>> SaveWays;
  std::unique_ptr<BackgroundPins> Pins; ///< null if there is nothing to pin
  /// Frames that Pins has for steps up to each, by step.
  std::vector<size_t> PinsBehind;
  EventList &Events;
  const RingSizes &Rings;
  const std::vector<HostSharing> &Shared;
  const std::vector<std::shared_ptr<Allocation>> &Paged;
  std::vector<std::vector<State>> States; ///< by allocation and frame
  /// Events that must be over before another frame comes to a slot, by
  /// allocation and address of the slot.
  std::vector<std::map<std::byte *, std::vector<int>>> Leaving;
  bool Maps = false;
  uint64_t OnHost = 0;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCOREFRAMES_H
