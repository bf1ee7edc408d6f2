//===- ChunkCandidates.cpp - Ways to divide a launch into chunks ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes that cross the bus are what counts. Candidates are partitions along
// one axis, forward and backward, and, when the best of these loads bytes more
// than once, partitions along two: the grid in parts along an outer axis, each
// in chunks along an inner one, whose direction alternates. What the chunks of
// a part share then stays for the whole part, and only the rest is loaded once
// a part: for a matrix product, one pass over the one operand and as many over
// the other as parts are needed for the first to fit (J.-W. Hong and H. T.
// Kung, "I/O complexity: the red-blue pebble game", STOC 1981, for what is
// possible). Each candidate is scheduled (FrameSchedule.h) and the cheapest is
// taken; that also makes sweeps of repeated launches alternate, since the
// direction that begins with what is still there loads less.
//
// Over several devices, each gets a contiguous part of the outermost axis, and
// their chunks take turns.
//
// A buffer that a kernel reads down its columns, of which every block needs a
// short piece of each row, has all its frames touched by every chunk. Where
// they do not fit, or would come too often, the pieces are packed
// (RowWindow.h), so that the grid can be divided along both axes
// (PackedGrid.h): the bytes over the bus then grow as the product's operations
// by the square root of the memory. Such partitions are many and their plans
// long, so they are compared by estimates, and only the best of them are
// planned.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/ChunkCandidates.h"
#include "runtime/plan/TilePartition.h"
#include <algorithm>
#include <tuple>

namespace gridspan {

/// Bytes loaded more than once that are not worth a search.
static constexpr double GoodEnough = 1.1;
/// Cost of a chunk beside its bytes: maps, events, a launch.
static constexpr double StepSeconds = 5e-5;
static constexpr uint32_t MostParts = 64;
/// Chunks for each frame of the largest buffer, beyond which they are small.
static constexpr size_t MostChunksByFrame = 8;
/// Packed rows are tried when all bytes are loaded so often, and used when that
/// saves as much: the clone that reads them computes more addresses.
static constexpr double WorthPacking = 2;
/// Number of the best partitions for packed rows that are planned.
static constexpr size_t MostGrids = 8;

/// Parts parts along Outer, each into chunks along Inner.
struct ChunkCandidates::AxisPartition {
  unsigned Outer;
  unsigned Inner;
  uint32_t Parts;
  bool Backward;
};

/// Returns the device that has a share of the grid.
int ChunkCandidates::deviceOf(size_t Share) const {
  return Devices == 1 ? In.Launch.OnlyDevice.value_or(0)
                      : static_cast<int>(Share);
}

/// The devices' parts of the grid.
std::vector<GridspanBox> ChunkCandidates::shares(unsigned Axis) const {
  const GridspanBox &Box = In.Launch.Box;
  const unsigned Count = std::min<uint32_t>(Devices, Box.BlockCount[Axis]);
  const std::vector<uint32_t> Bounds = partitionTiles(
      Box, Axis, std::vector<double>(Count, 1.0), In.Launch.Kernel->Work);
  std::vector<GridspanBox> Out;
  for (unsigned D = 0; D < Count; ++D) {
    Out.push_back(Box);
    Out.back().BlockLo[Axis] = Bounds[D];
    Out.back().BlockCount[Axis] = Bounds[D + 1] - Bounds[D];
  }
  return Out;
}

/// Divides the box into chunks of which as many as possible, up to four, fit at
/// once; empty if there is none. Where frames are too many for that, however
/// little of each a chunk touches, chunks would come out as single blocks: then
/// fewer are to fit, and larger ones do.
std::vector<GridspanBox> ChunkCandidates::ringOfChunks(const GridspanBox &Box,
                                                       unsigned Axis,
                                                       uint64_t Budget) {
  uint64_t Frames = 1; ///< of the largest buffer
  uint64_t Least = 0;  ///< bytes of a frame of each
  const ChunkFootprint &Whole = Partitioner.footprint(Box);
  for (size_t A = 0; A < In.Paged.size(); ++A)
    if (Whole.FrameBytes[A]) {
      Frames = std::max(Frames, Whole.FrameBytes[A] / In.Paged[A].FrameBytes);
      Least += std::min(Whole.FrameBytes[A], In.Paged[A].FrameBytes);
    }
  std::vector<GridspanBox> Fewest;
  for (unsigned Ring = 4; Ring; Ring /= 2) {
    if (Ring > 1 && Least * Ring > Budget)
      continue;
    std::vector<GridspanBox> Chunks =
        Partitioner.partition(Box, Axis, Budget, Ring);
    if (!Chunks.empty() && (Fewest.empty() || Chunks.size() < Fewest.size()))
      Fewest = std::move(Chunks);
    if (!Fewest.empty() && Fewest.size() <= MostChunksByFrame * Frames)
      break;
  }
  return Fewest;
}

/// Returns the chunks of a device's share in the order in which they run, or
/// nothing if a part of it cannot be divided into such that fit.
std::optional<std::vector<GridspanBox>>
ChunkCandidates::chunksOf(const GridspanBox &Share, const AxisPartition &C,
                          uint64_t Budget) {
  std::vector<GridspanBox> Out;
  const uint32_t Blocks = Share.BlockCount[C.Outer];
  const uint32_t Parts = std::min(C.Parts, Blocks);
  for (uint32_t P = 0; P < Parts; ++P) {
    GridspanBox Part = Share;
    const auto Lo = static_cast<uint32_t>(uint64_t(Blocks) * P / Parts);
    const auto Hi = static_cast<uint32_t>(uint64_t(Blocks) * (P + 1) / Parts);
    Part.BlockLo[C.Outer] += Lo;
    Part.BlockCount[C.Outer] = Hi - Lo;
    std::vector<GridspanBox> Chunks = ringOfChunks(Part, C.Inner, Budget);
    if (Chunks.empty())
      return std::nullopt;
    if (P % 2 == 1)
      std::reverse(Chunks.begin(), Chunks.end());
    Out.insert(Out.end(), Chunks.begin(), Chunks.end());
  }
  if (C.Backward)
    std::reverse(Out.begin(), Out.end());
  return Out;
}

double ChunkCandidates::seconds(const OutOfCorePlan &Plan) const {
  double HostToDevice = 0, DeviceToHost = 0;
  for (unsigned D = 0; D < Devices; ++D) {
    HostToDevice += System.Devices[deviceOf(D)].HostToDevice;
    DeviceToHost += System.Devices[deviceOf(D)].DeviceToHost;
  }
  uint64_t In = Plan.BytesIn;
  for (const OutOfCoreStep &Step : Plan.Steps)
    for (const PackedRows &P : Step.Packed)
      In += Step.LoadPacked ? P.Window.Rows * RowOverhead : 0;
  return std::max(static_cast<double>(In) / std::max(1.0, HostToDevice),
                  static_cast<double>(Plan.BytesOut) /
                      std::max(1.0, DeviceToHost)) +
         StepSeconds * static_cast<double>(Plan.Steps.size());
}

/// Gives a step its packed buffer: that of the step before on the same device
/// when it reads the same rows, else the other one.
static void useBuffer(OutOfCoreStep &Step, const OutOfCoreStep *Before,
                      OutOfCorePlan &Plan) {
  if (Before)
    Step.Buffer = Before->Buffer;
  if (Step.Packed.empty() || (Before && Before->Packed == Step.Packed))
    return;
  Step.Buffer = (Step.Buffer + 1) % OutOfCorePlan::NumPackedBuffers;
  Step.LoadPacked = true;
  for (const PackedRows &P : Step.Packed)
    Plan.BytesIn += P.Window.Width * P.Window.Rows;
}

/// The plan of such chunks by device; those of several devices take turns.
std::optional<OutOfCorePlan>
ChunkCandidates::planOf(const std::vector<std::vector<GridspanBox>> &Chunks) {
  OutOfCorePlan Plan;
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
      OutOfCoreStep Step;
      Step.Device = deviceOf(D);
      std::copy_n(Box.BlockLo, 3, Step.Lo.begin());
      std::copy_n(Box.BlockCount, 3, Step.Count.begin());
      const ChunkFootprint &F = Partitioner.footprint(Box);
      if (F.Unpackable)
        return std::nullopt;
      Plan.PackedBufferBytes = std::max(Plan.PackedBufferBytes, F.PackedBytes);
      Step.Uses = F.Uses;
      Step.Packed = F.Packed;
      useBuffer(Step, Last[D] < 0 ? nullptr : &Plan.Steps[Last[D]], Plan);
      Last[D] = static_cast<int>(Plan.Steps.size());
      Plan.Steps.push_back(std::move(Step));
    }
  const uint64_t Page = System.PageSize;
  Plan.PackedBufferBytes = (Plan.PackedBufferBytes + Page - 1) / Page * Page;
  const uint64_t BufferBytes =
      OutOfCorePlan::NumPackedBuffers * Plan.PackedBufferBytes;
  std::vector<uint64_t> Budget = In.Budget;
  for (uint64_t &Bytes : Budget)
    Bytes -= std::min(Bytes, BufferBytes);
  if (!scheduleFrames(In.Paged, Budget, Plan, Apart))
    return std::nullopt;
  Plan.PredictedSeconds = seconds(Plan);
  return Plan;
}

std::optional<OutOfCorePlan>
ChunkCandidates::tryAlongAxis(const AxisPartition &C) {
  const std::vector<GridspanBox> Shares = shares(C.Outer);
  std::vector<std::vector<GridspanBox>> Chunks;
  for (size_t D = 0; D < Shares.size(); ++D) {
    std::optional<std::vector<GridspanBox>> Of =
        chunksOf(Shares[D], C, In.Budget[deviceOf(D)]);
    if (!Of)
      return std::nullopt;
    Chunks.push_back(std::move(*Of));
  }
  return planOf(Chunks);
}

std::optional<OutOfCorePlan> ChunkCandidates::bestAlongAxis() {
  std::optional<OutOfCorePlan> Best;
  auto Try = [&](const AxisPartition &C) {
    std::optional<OutOfCorePlan> Plan = tryAlongAxis(C);
    if (Plan && (!Best || Plan->PredictedSeconds < Best->PredictedSeconds))
      Best = std::move(Plan);
  };
  const double Enough =
      GoodEnough * static_cast<double>(Partitioner.leastBytesIn());
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
static unsigned sharedAxis(const GridPartition &C, const GridspanBox &Box) {
  return Box.BlockCount[C.Outer] > 1 ? C.Outer : C.Inner;
}

/// Partitions into grids of chunks for what is packed at the moment, the best
/// first.
std::vector<GridPartition> ChunkCandidates::gridPartitions() {
  const GridspanBox &Box = In.Launch.Box;
  const uint64_t Least = *std::min_element(In.Budget.begin(), In.Budget.end());
  std::vector<GridPartition> Out;
  for (unsigned Outer = 0; Outer < 3; ++Outer)
    for (unsigned Inner = 0; Inner < 3; ++Inner) {
      if (Outer == Inner || Box.BlockCount[Inner] == 1)
        continue;
      const std::vector<GridspanBox> Shares =
          shares(sharedAxis({Outer, Inner}, Box));
      const DeviceInfo &D = System.Devices[0];
      for (const GridPartition &C : packedPartitions(
               Partitioner, In.Paged, Shares[Shares.size() / 2], Outer, Inner,
               {Least, System.PageSize, D.HostToDevice, D.DeviceToHost}))
        Out.push_back(C);
    }
  std::sort(Out.begin(), Out.end(),
            [](const GridPartition &L, const GridPartition &R) {
              return std::tie(L.Seconds, L.Outer, L.Inner, L.Layers, L.Parts) <
                     std::tie(R.Seconds, R.Outer, R.Inner, R.Layers, R.Parts);
            });
  return Out;
}

/// The first of the best grids of chunks that fits.
std::optional<OutOfCorePlan> ChunkCandidates::bestGrid() {
  std::vector<GridPartition> Partitions = gridPartitions();
  Partitions.resize(std::min(Partitions.size(), MostGrids));
  for (const GridPartition &C : Partitions) {
    std::vector<std::vector<GridspanBox>> Chunks;
    for (const GridspanBox &Share : shares(sharedAxis(C, In.Launch.Box)))
      Chunks.push_back(partitionGrid(C, Share));
    if (std::optional<OutOfCorePlan> Plan = planOf(Chunks))
      return Plan;
  }
  return std::nullopt;
}

/// The best plan with packed rows: as few allocations as are enough, those of
/// which the launch touches most first.
std::optional<OutOfCorePlan> ChunkCandidates::bestPacked() {
  const ChunkFootprint &Whole = Partitioner.footprint(In.Launch.Box);
  std::vector<unsigned> Order;
  for (unsigned A = 0; A < In.Launch.Allocations.size(); ++A)
    if (Whole.FrameBytes[A] && mayPack(In, A))
      Order.push_back(A);
  std::sort(Order.begin(), Order.end(), [&](unsigned L, unsigned R) {
    return std::pair(Whole.FrameBytes[R], L) <
           std::pair(Whole.FrameBytes[L], R);
  });
  std::optional<OutOfCorePlan> Best;
  for (size_t Count = 1; Count <= Order.size() && !Best; ++Count) {
    Partitioner.pack(Order[Count - 1]);
    Best = bestGrid();
    if (Best)
      Best->Packed.assign(Order.begin(), Order.begin() + Count);
  }
  Partitioner.unpackAll();
  return Best;
}

std::optional<OutOfCorePlan> ChunkCandidates::unsplit() {
  Devices = 1;
  OutOfCorePlan Plan;
  OutOfCoreStep Step;
  Step.Device = deviceOf(0);
  std::copy_n(In.Launch.Box.BlockCount, 3, Step.Count.begin());
  Step.Uses = Partitioner.footprint(In.Launch.Box).Uses;
  Plan.Steps.push_back(std::move(Step));
  if (!scheduleFrames(In.Paged, In.Budget, Plan, Apart))
    return std::nullopt;
  Plan.PredictedSeconds = seconds(Plan);
  return Plan;
}

std::optional<OutOfCorePlan> ChunkCandidates::sweep(unsigned On) {
  Devices = On;
  const double Enough =
      GoodEnough * static_cast<double>(Partitioner.leastBytesIn());
  for (unsigned Axis = 3; Axis-- > 0;) {
    if (Axis > 0 && In.Launch.Box.BlockCount[Axis] == 1)
      continue;
    std::optional<OutOfCorePlan> Plan =
        tryAlongAxis({Axis, Axis, 1, /*Backward=*/false});
    if (Plan && static_cast<double>(Plan->BytesIn) <= Enough)
      return Plan;
  }
  return std::nullopt;
}

std::optional<OutOfCorePlan> ChunkCandidates::best(unsigned On) {
  Devices = On;
  std::optional<OutOfCorePlan> Found = bestAlongAxis();
  if (!In.MayPack ||
      (Found &&
       static_cast<double>(Found->BytesIn) <=
           WorthPacking * static_cast<double>(Partitioner.leastBytesIn())))
    return Found;
  std::optional<OutOfCorePlan> Packed = bestPacked();
  if (Packed && (!Found || Packed->PredictedSeconds * WorthPacking <
                               Found->PredictedSeconds))
    return Packed;
  return Found;
}

} // namespace gridspan
