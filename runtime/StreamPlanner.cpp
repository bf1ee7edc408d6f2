//===- StreamPlanner.cpp - Plan a launch larger than device memory --------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes that cross the bus are what counts. Candidates are cuts along one
// axis, forward and backward, and, when the best of these loads bytes more than
// once, cuts along two: the grid in parts along an outer axis, each in chunks
// along an inner one, whose direction alternates. What the chunks of a part
// share then stays for the whole part, and only the rest is loaded once a part:
// for a matrix product, one pass over the one operand and as many over the
// other as parts are needed for the first to fit (J.-W. Hong and H. T. Kung,
// "I/O complexity: the red-blue pebble game", STOC 1981, for what is possible).
// Each candidate is scheduled (FrameSchedule.h) and the cheapest is taken; that
// also makes sweeps of repeated launches alternate, since the direction that
// begins with what is still there loads less.
//
// Over several devices, each gets a contiguous part of the outermost cut, and
// their chunks take turns.
//
// A buffer that a kernel reads down its columns, of which every block needs a
// short piece of each row, has all its frames touched by every chunk. Where
// they do not fit, or would come too often, the pieces are packed
// (RowWindow.h), so that the grid can be cut along both axes (PackedGrid.h):
// the bytes over the bus then grow as the product's operations by the square
// root of the memory. Such cuts are many and their plans long, so they are
// compared by estimates, and only the best of them are planned.
//
// What chunks of several devices would read again and again from one of them,
// each device has a replica of (ReplicaChoice.h), unless what the room for it
// costs on the bus is more than the links took; the largest is given up first.
//
// A buffer of which a single block needs more than there is stays in place,
// the largest first, until the rest fits.
//
//===----------------------------------------------------------------------===//

#include "StreamPlanner.h"
#include "ChunkCut.h"
#include "PackedGrid.h"
#include "ReplicaChoice.h"
#include "TileCut.h"
#include <algorithm>
#include <optional>
#include <tuple>

namespace gridspan {

/// Bytes loaded more than once that are not worth a search.
static constexpr double GoodEnough = 1.1;
/// What a chunk costs beside its bytes: maps, events, a launch.
static constexpr double StepSeconds = 5e-5;
static constexpr uint32_t MostParts = 64;
/// Packed rows are tried when all bytes are loaded so often, and used when that
/// saves as much: the clone that reads them computes more addresses.
static constexpr double WorthPacking = 2;
/// Of the cuts for packed rows that seem to be best, so many are planned.
static constexpr size_t MostGrids = 8;

namespace {

/// A way to cut: Parts parts along Outer, each into chunks along Inner.
struct Cut {
  unsigned Outer;
  unsigned Inner;
  uint32_t Parts;
  bool Backward;
};

class StreamPlanner {
public:
  StreamPlanner(StreamInput &In, const SystemInfo &System, Schedule Schedule)
      : In(In), System(System), Sched(Schedule), Apart(!System.allReachAll()),
        WhyOneDevice(whyOneDevice(In, System, Schedule)),
        Devices(WhyOneDevice.empty() ? System.numDevices() : 1),
        Cutter(In.Launch, In.Paged) {}

  StreamPlan run();

private:
  void leaveInPlace(unsigned Allocation, std::string_view Why,
                    StreamPlan &Plan);
  void leaveEscaping(StreamPlan &Plan);
  bool leaveOneInPlace(StreamPlan &Plan);
  std::vector<GridspanBox> shares(unsigned Axis) const;
  bool chunksOf(const GridspanBox &Share, const Cut &C, uint64_t Budget,
                std::vector<GridspanBox> &Out);
  std::optional<StreamPlan>
  planOf(const std::vector<std::vector<GridspanBox>> &Chunks);
  std::optional<StreamPlan> tryCut(const Cut &C);
  std::optional<StreamPlan> bestCut();
  std::vector<GridCut> gridCuts();
  std::optional<StreamPlan> bestGrid();
  std::optional<StreamPlan> bestPacked();
  std::optional<StreamPlan> whole();
  std::optional<StreamPlan> bestChunked();
  std::optional<StreamPlan>
  bestWith(const std::vector<StreamReplica> &Replicas);
  unsigned largest(const std::vector<StreamReplica> &Replicas) const;
  void addReplicas(StreamPlan &Found);
  std::optional<StreamPlan> bestApart();
  double seconds(const StreamPlan &Plan) const;

  StreamInput &In;
  const SystemInfo &System;
  const Schedule Sched;
  const bool Apart; ///< some device does not reach another one's memory
  std::string_view WhyOneDevice;
  unsigned Devices; ///< that run chunks
  ChunkCutter Cutter;
};

} // namespace

//===--- Candidates -----------------------------------------------------===//

/// The devices' parts of the grid.
std::vector<GridspanBox> StreamPlanner::shares(unsigned Axis) const {
  const GridspanBox &Box = In.Launch.Box;
  const unsigned Count = std::min<uint32_t>(Devices, Box.BlockCount[Axis]);
  const std::vector<uint32_t> Bounds = cutTiles(
      Box, Axis, std::vector<double>(Count, 1.0), In.Launch.Kernel->Work);
  std::vector<GridspanBox> Out;
  for (unsigned D = 0; D < Count; ++D) {
    Out.push_back(Box);
    Out.back().BlockLo[Axis] = Bounds[D];
    Out.back().BlockCount[Axis] = Bounds[D + 1] - Bounds[D];
  }
  return Out;
}

/// The chunks of a device's share in the order in which they run.
bool StreamPlanner::chunksOf(const GridspanBox &Share, const Cut &C,
                             uint64_t Budget, std::vector<GridspanBox> &Out) {
  const uint32_t Blocks = Share.BlockCount[C.Outer];
  const uint32_t Parts = std::min(C.Parts, Blocks);
  for (uint32_t P = 0; P < Parts; ++P) {
    GridspanBox Part = Share;
    const auto Lo = static_cast<uint32_t>(uint64_t(Blocks) * P / Parts);
    const auto Hi = static_cast<uint32_t>(uint64_t(Blocks) * (P + 1) / Parts);
    Part.BlockLo[C.Outer] += Lo;
    Part.BlockCount[C.Outer] = Hi - Lo;
    std::vector<GridspanBox> Chunks;
    for (unsigned Ring = 4; Ring && Chunks.empty(); Ring /= 2)
      Chunks = Cutter.cut(Part, C.Inner, Budget, Ring);
    if (Chunks.empty())
      return false;
    if (P % 2 == 1)
      std::reverse(Chunks.begin(), Chunks.end());
    Out.insert(Out.end(), Chunks.begin(), Chunks.end());
  }
  if (C.Backward)
    std::reverse(Out.begin(), Out.end());
  return true;
}

double StreamPlanner::seconds(const StreamPlan &Plan) const {
  double HostToDevice = 0, DeviceToHost = 0;
  for (unsigned D = 0; D < Devices; ++D) {
    HostToDevice += System.Devices[D].HostToDevice;
    DeviceToHost += System.Devices[D].DeviceToHost;
  }
  uint64_t In = Plan.BytesIn;
  for (const StreamStep &Step : Plan.Steps)
    for (const PackedRows &P : Step.Packed)
      In += Step.LoadPacked ? P.Window.Rows * RowOverhead : 0;
  return std::max(static_cast<double>(In) / std::max(1.0, HostToDevice),
                  static_cast<double>(Plan.BytesOut) /
                      std::max(1.0, DeviceToHost)) +
         StepSeconds * static_cast<double>(Plan.Steps.size());
}

/// Gives a step its slot: that of the step before on the same device when it
/// reads the same rows, else the other one.
static void useSlot(StreamStep &Step, const StreamStep *Before,
                    StreamPlan &Plan) {
  if (Before)
    Step.Slot = Before->Slot;
  if (Step.Packed.empty() || (Before && Before->Packed == Step.Packed))
    return;
  Step.Slot = (Step.Slot + 1) % StreamPlan::NumSlots;
  Step.LoadPacked = true;
  for (const PackedRows &P : Step.Packed)
    Plan.BytesIn += P.Window.Width * P.Window.Rows;
}

/// The plan of such chunks by device; those of several devices take turns.
std::optional<StreamPlan>
StreamPlanner::planOf(const std::vector<std::vector<GridspanBox>> &Chunks) {
  StreamPlan Plan;
  Plan.Chunked = true;
  size_t Most = 0;
  for (const std::vector<GridspanBox> &Of : Chunks)
    Most = std::max(Most, Of.size());
  std::vector<int> Last(Chunks.size(), -1); ///< step of each device
  for (size_t I = 0; I < Most; ++I)
    for (size_t D = 0; D < Chunks.size(); ++D) {
      if (I >= Chunks[D].size())
        continue;
      const GridspanBox &Box = Chunks[D][I];
      StreamStep Step;
      Step.Device = static_cast<int>(D);
      std::copy_n(Box.BlockLo, 3, Step.Lo.begin());
      std::copy_n(Box.BlockCount, 3, Step.Count.begin());
      const ChunkFootprint &F = Cutter.footprint(Box);
      if (F.Unpackable)
        return std::nullopt;
      Plan.SlotBytes = std::max(Plan.SlotBytes, F.PackedBytes);
      Step.Uses = F.Uses;
      Step.Packed = F.Packed;
      useSlot(Step, Last[D] < 0 ? nullptr : &Plan.Steps[Last[D]], Plan);
      Last[D] = static_cast<int>(Plan.Steps.size());
      Plan.Steps.push_back(std::move(Step));
    }
  const uint64_t Page = System.PageSize;
  Plan.SlotBytes = (Plan.SlotBytes + Page - 1) / Page * Page;
  const uint64_t Slots = StreamPlan::NumSlots * Plan.SlotBytes;
  std::vector<uint64_t> Budget = In.Budget;
  for (uint64_t &Bytes : Budget)
    Bytes -= std::min(Bytes, Slots);
  if (!scheduleFrames(In.Paged, Budget, Plan, Apart))
    return std::nullopt;
  Plan.PredictedSeconds = seconds(Plan);
  return Plan;
}

std::optional<StreamPlan> StreamPlanner::tryCut(const Cut &C) {
  const std::vector<GridspanBox> Shares = shares(C.Outer);
  std::vector<std::vector<GridspanBox>> Chunks(Shares.size());
  for (size_t D = 0; D < Shares.size(); ++D)
    if (!chunksOf(Shares[D], C, In.Budget[D], Chunks[D]))
      return std::nullopt;
  return planOf(Chunks);
}

std::optional<StreamPlan> StreamPlanner::bestCut() {
  std::optional<StreamPlan> Best;
  auto Try = [&](const Cut &C) {
    std::optional<StreamPlan> Plan = tryCut(C);
    if (Plan && (!Best || Plan->PredictedSeconds < Best->PredictedSeconds))
      Best = std::move(Plan);
  };
  const double Enough = GoodEnough * static_cast<double>(Cutter.leastBytesIn());
  auto Done = [&] {
    return Best && static_cast<double>(Best->BytesIn) <= Enough;
  };
  const uint32_t *Count = In.Launch.Box.BlockCount;
  // The outermost axis first, which memory usually follows.
  for (int Axis = 2; Axis >= 0; --Axis) {
    if (Count[Axis] == 1 && (Axis > 0 || Best))
      continue;
    const auto A = static_cast<unsigned>(Axis);
    Try({A, A, 1, false});
    Try({A, A, 1, true});
    if (Done())
      return Best;
  }
  for (unsigned Outer = 0; Outer < 3; ++Outer)
    for (unsigned Inner = 0; Inner < 3; ++Inner) {
      if (Outer == Inner || Count[Outer] == 1 || Count[Inner] == 1)
        continue;
      for (uint32_t Parts = 1; Parts <= std::min(MostParts, Count[Outer]);
           Parts *= 2)
        Try({Outer, Inner, Parts, false});
    }
  return Best;
}

/// The axis that devices share is the outer one, if it has blocks for them.
static unsigned sharedAxis(const GridCut &C, const GridspanBox &Box) {
  return Box.BlockCount[C.Outer] > 1 ? C.Outer : C.Inner;
}

/// Cuts into grids of chunks for what is packed at the moment, the best first.
std::vector<GridCut> StreamPlanner::gridCuts() {
  const GridspanBox &Box = In.Launch.Box;
  const uint64_t Least = *std::min_element(In.Budget.begin(), In.Budget.end());
  std::vector<GridCut> Out;
  for (unsigned Outer = 0; Outer < 3; ++Outer)
    for (unsigned Inner = 0; Inner < 3; ++Inner) {
      if (Outer == Inner || Box.BlockCount[Inner] == 1)
        continue;
      const std::vector<GridspanBox> Shares =
          shares(sharedAxis({Outer, Inner}, Box));
      const DeviceInfo &D = System.Devices[0];
      for (const GridCut &C :
           packedCuts(Cutter, In.Paged, Shares[Shares.size() / 2], Outer, Inner,
                      {Least, System.PageSize, D.HostToDevice, D.DeviceToHost}))
        Out.push_back(C);
    }
  std::sort(Out.begin(), Out.end(), [](const GridCut &L, const GridCut &R) {
    return std::tie(L.Seconds, L.Outer, L.Inner, L.Layers, L.Parts) <
           std::tie(R.Seconds, R.Outer, R.Inner, R.Layers, R.Parts);
  });
  return Out;
}

/// The first of the best grids of chunks that fits.
std::optional<StreamPlan> StreamPlanner::bestGrid() {
  std::vector<GridCut> Cuts = gridCuts();
  Cuts.resize(std::min(Cuts.size(), MostGrids));
  for (const GridCut &C : Cuts) {
    std::vector<std::vector<GridspanBox>> Chunks;
    for (const GridspanBox &Share : shares(sharedAxis(C, In.Launch.Box)))
      Chunks.push_back(cutGrid(C, Share));
    if (std::optional<StreamPlan> Plan = planOf(Chunks))
      return Plan;
  }
  return std::nullopt;
}

/// The best plan with packed rows: as few allocations as are enough, those of
/// which the launch touches most first.
std::optional<StreamPlan> StreamPlanner::bestPacked() {
  const ChunkFootprint &Whole = Cutter.footprint(In.Launch.Box);
  std::vector<unsigned> Order;
  for (unsigned A = 0; A < In.Launch.Allocations.size(); ++A)
    if (Whole.FrameBytes[A] && mayPack(In, A))
      Order.push_back(A);
  std::sort(Order.begin(), Order.end(), [&](unsigned L, unsigned R) {
    return std::pair(Whole.FrameBytes[R], L) <
           std::pair(Whole.FrameBytes[L], R);
  });
  std::optional<StreamPlan> Best;
  for (size_t Count = 1; Count <= Order.size() && !Best; ++Count) {
    Cutter.pack(Order[Count - 1]);
    Best = bestGrid();
    if (Best)
      Best->Packed.assign(Order.begin(), Order.begin() + Count);
  }
  Cutter.unpackAll();
  return Best;
}

/// The launch as one step on device 0.
std::optional<StreamPlan> StreamPlanner::whole() {
  StreamPlan Plan;
  StreamStep Step;
  std::copy_n(In.Launch.Box.BlockCount, 3, Step.Count.begin());
  Step.Uses = Cutter.footprint(In.Launch.Box).Uses;
  Plan.Steps.push_back(std::move(Step));
  if (!scheduleFrames(In.Paged, In.Budget, Plan, Apart))
    return std::nullopt;
  Plan.PredictedSeconds = seconds(Plan);
  return Plan;
}

std::optional<StreamPlan> StreamPlanner::bestChunked() {
  std::optional<StreamPlan> Found = bestCut();
  if (!In.MayPack ||
      (Found && static_cast<double>(Found->BytesIn) <=
                    WorthPacking * static_cast<double>(Cutter.leastBytesIn())))
    return Found;
  std::optional<StreamPlan> Packed = bestPacked();
  if (Packed && (!Found || Packed->PredictedSeconds * WorthPacking <
                               Found->PredictedSeconds))
    return Packed;
  return Found;
}

//===--- Replicas -------------------------------------------------------===//

/// The best plan with these replicas, but for what fills them.
std::optional<StreamPlan>
StreamPlanner::bestWith(const std::vector<StreamReplica> &Replicas) {
  const std::vector<uint64_t> Bytes = replicaBytes(In, Replicas, System);
  for (size_t D = 0; D < Bytes.size(); ++D)
    if (Bytes[D] > In.Budget[D])
      return std::nullopt;
  const std::vector<PagedView> Views = In.Paged;
  const std::vector<uint64_t> Budget = In.Budget;
  for (size_t D = 0; D < Bytes.size(); ++D)
    In.Budget[D] -= Bytes[D];
  for (const StreamReplica &R : Replicas)
    In.Paged[R.Allocation].keepAway();
  Cutter.forget();
  std::optional<StreamPlan> Found = bestChunked();
  if (Found) {
    Found->Replicas = Replicas;
    Found->ReplicaBytes = Bytes;
    const StreamTraffic Traffic = trafficOf(In, *Found);
    Found->LocalBytes = static_cast<uint64_t>(Traffic.Local);
    Found->RemoteBytes = static_cast<uint64_t>(Traffic.remote());
  }
  In.Paged = Views;
  In.Budget = Budget;
  Cutter.forget();
  return Found;
}

/// The largest allocation that replicas are of.
unsigned
StreamPlanner::largest(const std::vector<StreamReplica> &Replicas) const {
  return std::max_element(Replicas.begin(), Replicas.end(),
                          [&](const StreamReplica &L, const StreamReplica &R) {
                            return In.Launch.Allocations[L.Allocation].Bytes <
                                   In.Launch.Allocations[R.Allocation].Bytes;
                          })
      ->Allocation;
}

/// What filling them takes does not count: it is done once for many launches.
void StreamPlanner::addReplicas(StreamPlan &Found) {
  const StreamTraffic Traffic = trafficOf(In, Found);
  Found.LocalBytes = static_cast<uint64_t>(Traffic.Local);
  Found.RemoteBytes = static_cast<uint64_t>(Traffic.remote());
  std::vector<StreamReplica> Wanted = wantedReplicas(In, Found, Traffic);
  std::vector<InPlaceArgument> Linked;
  auto GiveUp = [&](unsigned A) {
    Linked.push_back({A, "no-room-for-copies"});
    std::erase_if(Wanted,
                  [=](const StreamReplica &R) { return R.Allocation == A; });
  };
  for (unsigned A : In.NotReplicated)
    if (std::any_of(Wanted.begin(), Wanted.end(),
                    [=](const auto &R) { return R.Allocation == A; }))
      GiveUp(A);
  while (!Wanted.empty()) {
    std::optional<StreamPlan> With = bestWith(Wanted);
    if (With && With->RemoteBytes < Found.RemoteBytes &&
        With->PredictedSeconds + linkSeconds(*With, System, Devices) <
            Found.PredictedSeconds + linkSeconds(Found, System, Devices)) {
      With->BytesIn += bytesToFill(In, Wanted, false);
      Found = std::move(*With);
      break;
    }
    GiveUp(largest(Wanted));
  }
  Found.Linked = std::move(Linked);
}

/// The best plan where a device reaches nothing but its own memory: frames that
/// several touch go from one to the next over the host, unless each has a copy.
std::optional<StreamPlan> StreamPlanner::bestApart() {
  const std::vector<StreamReplica> Needed = *neededReplicas(In, System);
  const bool Refused =
      std::any_of(Needed.begin(), Needed.end(), [&](const StreamReplica &R) {
        return std::find(In.NotReplicated.begin(), In.NotReplicated.end(),
                         R.Allocation) != In.NotReplicated.end();
      });
  std::optional<StreamPlan> Best;
  if (!Refused) {
    Best = bestWith(Needed);
    std::vector<StreamReplica> Shared =
        sharedReplicas(In, Best ? &*Best : nullptr, Devices);
    std::optional<StreamPlan> With;
    while (!With && !Shared.empty()) {
      std::vector<StreamReplica> All = Needed;
      All.insert(All.end(), Shared.begin(), Shared.end());
      With = bestWith(All);
      if (With && (!Best || With->PredictedSeconds < Best->PredictedSeconds)) {
        With->BytesIn += bytesToFill(In, All, true);
        Best = With;
      }
      std::erase_if(Shared, [A = largest(Shared)](const StreamReplica &R) {
        return R.Allocation == A;
      });
    }
  }
  if (Best && Sched == Schedule::Static)
    return Best;
  Devices = 1;
  std::optional<StreamPlan> Alone = bestWith({});
  Devices = System.numDevices();
  if (!Alone || (Best && Best->PredictedSeconds <= Alone->PredictedSeconds))
    return Best;
  WhyOneDevice = Refused ? "no-peer-access" : "no-peer-sharing";
  return Alone;
}

//===--- In place -------------------------------------------------------===//

/// The allocation is touched at its own address, and has no frames any more.
void StreamPlanner::leaveInPlace(unsigned Allocation, std::string_view Why,
                                 StreamPlan &Plan) {
  In.Paged[Allocation].keepAway();
  Cutter.forget();
  Plan.InPlace.push_back({Allocation, Why});
}

/// Pins what pointers lead to that cannot be moved.
void StreamPlanner::leaveEscaping(StreamPlan &Plan) {
  for (unsigned A = 0; A < In.Launch.Allocations.size(); ++A)
    if (!In.Paged[A].Frames.empty() && !In.Paged[A].Pinned &&
        pointerEscapes(In, A))
      leaveInPlace(A, "pointer-escapes", Plan);
}

/// Pins the argument of which the least cuttable block touches most.
bool StreamPlanner::leaveOneInPlace(StreamPlan &Plan) {
  GridspanBox Block = In.Launch.Box;
  if (Plan.WhyWhole.empty())
    for (unsigned Axis = 0; Axis < 3; ++Axis) {
      Block.BlockLo[Axis] = Block.BlockCount[Axis] / 2;
      Block.BlockCount[Axis] = 1;
    }
  ChunkFootprint F = Cutter.footprint(Block);
  auto Largest = std::max_element(F.FrameBytes.begin(), F.FrameBytes.end());
  if (Largest == F.FrameBytes.end() || *Largest == 0) {
    F = Cutter.footprint(In.Launch.Box);
    Largest = std::max_element(F.FrameBytes.begin(), F.FrameBytes.end());
    if (Largest == F.FrameBytes.end() || *Largest == 0)
      return false;
  }
  const auto A = static_cast<unsigned>(Largest - F.FrameBytes.begin());
  leaveInPlace(A, whyInPlace(In, A, !Plan.WhyWhole.empty()), Plan);
  return true;
}

StreamPlan StreamPlanner::run() {
  for (unsigned A = 0; A < In.Launch.Allocations.size(); ++A)
    if (!In.Paged[A].Frames.empty())
      Cutter.markOverwritten(A, In.Paged[A]);
  StreamPlan Plan;
  leaveEscaping(Plan);
  Plan.WhyWhole = whyWhole(In);
  for (;;) {
    if (Plan.WhyWhole.empty() && atomicsInPlace(In))
      Plan.WhyWhole = "atomics-on-host-pages";
    std::optional<StreamPlan> Found = !Plan.WhyWhole.empty() ? whole()
                                      : Apart && Devices > 1 ? bestApart()
                                                             : bestChunked();
    if (Found && Found->Chunked && Devices > 1 && !Apart)
      addReplicas(*Found);
    if (Found) {
      Found->InPlace = std::move(Plan.InPlace);
      Found->WhyWhole = Plan.WhyWhole;
      if (Found->Chunked)
        Found->WhyOneDevice = WhyOneDevice;
      return std::move(*Found);
    }
    if (!leaveOneInPlace(Plan)) {
      // Nothing is left to take out: what remains fits or there is none.
      Plan.Steps.clear();
      return Plan;
    }
  }
}

StreamPlan planStream(StreamInput Input, const SystemInfo &System,
                      Schedule Schedule) {
  return StreamPlanner(Input, System, Schedule).run();
}

} // namespace gridspan
