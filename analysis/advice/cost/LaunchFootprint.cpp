//===- LaunchFootprint.cpp - Bytes that a launch touches ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch whose footprint fits L2 finds it there when it is repeated. Any
// other goes through memory wave by wave: a wave reads what it touches and the
// wave before did not leave in L2. Within a wave all blocks are at about the
// same place, so what they share is fetched once.
//
// Memory is fetched by 64 bytes; rows that are further apart are counted one by
// one, others as the whole span. Ranges of one base that overlap are joined.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/cost/LaunchFootprint.h"
#include "analysis/machine/WarpRequest.h"
#include "analysis/summary/Evaluate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstring>
#include <map>

using namespace llvm;

namespace gridspan {

/// Waves of blocks that stand for all.
static constexpr unsigned LookedWaves = 4;
/// The same for atomics: how many lines a few bytes are in depends on where
/// they start.
static constexpr unsigned AtomicWaves = 32;

namespace {

/// Bytes from Lo to Hi, of which a share is touched: rows Pitch apart, at Phase
/// in it. HasHoles: fewer bytes of a fetched piece are touched than fetched.
struct Span {
  double Lo, Hi, Share;
  int64_t Pitch, Phase;
  bool HasHoles;
};

/// Spans by base pointer, reads and writes apart.
using Spans = std::map<std::pair<int, bool>, std::vector<Span>>;

class Ranges {
public:
  Ranges(const KernelSummary &Kernel, const LaunchValues &Launch,
         int64_t FetchBytes, const ArraySizes &Sizes);

  /// Returns those of Count blocks from First on, x fastest; whole rows where
  /// it is more than one. Of accesses with one of these modes only.
  Spans of(uint64_t First, uint64_t Count, uint32_t Modes = ~0u);
  bool AreKnown = true;

private:
  const KernelSummary &Kernel;
  const LaunchValues &Launch;
  const int64_t FetchBytes; ///< that memory fetches at least
  const ArraySizes &Sizes;
  std::map<unsigned, std::vector<char>> Storage;
  std::vector<void *> Args;
};

} // namespace

/// The largest parameter buffer.
static constexpr size_t ParameterBytes = 32768;

Ranges::Ranges(const KernelSummary &Kernel, const LaunchValues &Launch,
               int64_t FetchBytes, const ArraySizes &Sizes)
    : Kernel(Kernel), Launch(Launch), FetchBytes(FetchBytes), Sizes(Sizes) {
  unsigned Last = 0;
  for (const auto &[Place, Value] : Launch.Params)
    Last = std::max(Last, Place.first);
  Args.resize(std::max<size_t>(Last + 1, Kernel.Params.size()));
  for (unsigned I = 0; I != Args.size(); ++I) {
    Storage[I].resize(ParameterBytes);
    Args[I] = Storage[I].data();
  }
  // In ascending order: what a narrow one has too much is written over.
  for (const auto &[Place, Value] : Launch.Params)
    if (Place.second + sizeof Value <= ParameterBytes)
      std::memcpy(Storage[Place.first].data() + Place.second, &Value,
                  sizeof Value);
}

Spans Ranges::of(uint64_t First, uint64_t Count, uint32_t Modes) {
  const auto &G = Launch.Grid;
  GridspanBox Box = {};
  Box.Args = Args.data();
  uint64_t Row = G[0], Plane = Row * G[1];
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    Box.GridDim[Axis] = G[Axis];
    Box.BlockDim[Axis] = Launch.Block[Axis];
    Box.BlockCount[Axis] = 1;
  }
  Box.BlockLo[2] = First / Plane;
  Box.BlockLo[1] = First % Plane / Row;
  Box.BlockLo[0] = First % Row;
  if (Count >= Plane) {
    Box.BlockLo[0] = Box.BlockLo[1] = 0;
    Box.BlockCount[0] = G[0];
    Box.BlockCount[1] = G[1];
    Box.BlockCount[2] =
        std::min<uint64_t>(divideCeil(Count, Plane), G[2] - Box.BlockLo[2]);
  } else if (Count >= Row) {
    Box.BlockLo[0] = 0;
    Box.BlockCount[0] = G[0];
    Box.BlockCount[1] =
        std::min<uint64_t>(divideCeil(Count, Row), G[1] - Box.BlockLo[1]);
  } else {
    Box.BlockCount[0] = std::min<uint64_t>(Count, G[0] - Box.BlockLo[0]);
  }
  Spans Out;
  for (const AccessSummary &Access : Kernel.Accesses) {
    if (!(Access.Mode & Modes))
      continue;
    GridspanRange R = evaluateRange(Kernel, Access, Box);
    if (R.State == GridspanRangeUnknown) {
      AreKnown = false;
      continue;
    }
    if (R.State == GridspanRangeEmpty)
      continue;
    // Few planes one by one; many as rows that fill them.
    constexpr int64_t MaxPlanes = 64;
    bool ByPlane = R.Planes <= MaxPlanes;
    int64_t Pitch = R.RowsPerPlane > 1 ? R.Pitch : R.PlanePitch;
    int64_t Rows = ByPlane ? R.RowsPerPlane : R.RowsPerPlane * R.Planes;
    double Length = double(R.RowBytes);
    if (R.RowsPerPlane > 1)
      Length += double(R.Pitch) * double(R.RowsPerPlane - 1);
    if (!ByPlane)
      Length += double(R.PlanePitch) * double(R.Planes - 1);
    if (Access.Pointer >= 0)
      if (const auto Size = Sizes.find(Kernel.Pointers[Access.Pointer].Param);
          Size != Sizes.end()) {
        Length = std::min(Length, Size->second);
        ByPlane &= double(R.PlanePitch) < Size->second;
      }
    for (int64_t Plane = 0; Plane != (ByPlane ? R.Planes : 1); ++Plane) {
      int64_t Lo = R.Lo + (Plane ? Plane * R.PlanePitch : 0);
      Span S = {double(Lo), double(Lo) + Length, 1, 0, 0, false};
      if (Rows > 1)
        S.HasHoles = R.RowBytes % SectorBytes != 0;
      if (Rows > 1 && Pitch > FetchBytes) {
        S.Share =
            std::min(1.0, double(alignTo(R.RowBytes, FetchBytes)) / Pitch);
        S.Pitch = Pitch;
        S.Phase = (Lo % Pitch + Pitch) % Pitch / FetchBytes;
      }
      Out[{Access.Pointer, Access.Mode != GridspanRead}].push_back(S);
    }
  }
  return Out;
}

/// Different bytes of spans in one allocation: between neighbouring ends, each
/// kind of rows counts once.
static double bytesOf(const std::vector<Span> &All) {
  std::vector<double> Ends;
  for (const Span &S : All) {
    Ends.push_back(S.Lo);
    Ends.push_back(S.Hi);
  }
  llvm::sort(Ends);
  double Sum = 0;
  for (size_t I = 0; I + 1 < Ends.size(); ++I) {
    std::map<std::pair<int64_t, int64_t>, double> Kinds;
    for (const Span &S : All)
      if (S.Lo <= Ends[I] && S.Hi >= Ends[I + 1])
        Kinds[{S.Pitch, S.Phase}] = S.Share;
    double Share = 0;
    for (const auto &[Kind, Part] : Kinds)
      Share += Part;
    Sum += std::min(1.0, Share) * (Ends[I + 1] - Ends[I]);
  }
  return Sum;
}

/// Bytes of writes that do not fill what they touch: it is read first.
static double filledBytes(const Spans &All) {
  double Sum = 0;
  for (const auto &[Key, List] : All) {
    if (!Key.second || !all_of(List, [](const Span &S) { return S.HasHoles; }))
      continue;
    // Several fields may fill the rest.
    if (List.size() == 1)
      Sum += bytesOf(List);
  }
  return Sum;
}

/// Different bytes of all spans, or of writes.
static double bytesOf(const Spans &All, bool OnlyWrites) {
  std::map<int, std::vector<Span>> ByPointer;
  for (const auto &[Key, List] : All)
    if (Key.second || !OnlyWrites)
      ByPointer[Key.first].insert(ByPointer[Key.first].end(), List.begin(),
                                  List.end());
  double Sum = 0;
  for (auto &[Pointer, List] : ByPointer)
    Sum += bytesOf(std::move(List));
  return Sum;
}

static double readBytes(const Spans &All) {
  double Sum = 0;
  for (const auto &[Key, List] : All)
    if (!Key.second)
      Sum += bytesOf(List);
  return Sum;
}

MemoryTraffic memoryTraffic(const KernelSummary &Kernel,
                            const LaunchValues &Launch, uint64_t Wave,
                            const MachineModel &Machine,
                            const ArraySizes &Sizes) {
  MemoryTraffic Out;
  Ranges Evaluate(Kernel, Launch, Machine.DramFetchBytes, Sizes);
  uint64_t Blocks = uint64_t(Launch.Grid[0]) * Launch.Grid[1] * Launch.Grid[2];
  Spans All = Evaluate.of(0, Blocks);
  Out.IsKnown = Evaluate.AreKnown;
  Out.Footprint = bytesOf(All, false);
  // Some of the cache is always on its way in or out.
  double Kept = 0.9 * double(Machine.L2Bytes);
  if (Out.Footprint <= Kept)
    return Out;
  Out.WriteBytes = bytesOf(All, true);
  double Waves = std::max(1.0, double(Blocks) / double(Wave));
  double Read = 0;
  if (Waves < 2) {
    Read = readBytes(All);
  } else {
    for (unsigned I = 0; I != LookedWaves; ++I) {
      uint64_t First =
          uint64_t(double(Blocks - 2 * Wave) * I / (LookedWaves - 1));
      if (Blocks < 2 * Wave)
        First = 0;
      uint64_t Both = std::min(2 * Wave, Blocks - First);
      Spans Before = Evaluate.of(First, std::min(Wave, Both));
      double BytesBefore = bytesOf(Before, false);
      if (BytesBefore > Kept)
        Read += readBytes(Before);
      else
        Read += std::max(0.0, readBytes(Evaluate.of(First, Both)) -
                                  readBytes(Before));
    }
    Read *= Waves / LookedWaves;
  }
  Out.FilledBytes = filledBytes(All);
  Out.ReadBytes = std::max(Read, readBytes(All)) + Out.FilledBytes;
  return Out;
}

double atomicLines(const KernelSummary &Kernel, const LaunchValues &Launch,
                   uint64_t Wave, const MachineModel &Machine) {
  const ArraySizes None;
  Ranges Evaluate(Kernel, Launch, Machine.DramFetchBytes, None);
  uint64_t Blocks = uint64_t(Launch.Grid[0]) * Launch.Grid[1] * Launch.Grid[2];
  Wave = std::min(Wave, Blocks);
  double Sum = 0;
  for (unsigned I = 0; I != AtomicWaves; ++I) {
    uint64_t First = uint64_t(double(Blocks - Wave) * I / (AtomicWaves - 1));
    std::map<int, std::vector<Span>> ByPointer;
    for (const auto &[Key, List] : Evaluate.of(First, Wave, GridspanAtomic))
      for (Span S : List) {
        S.Lo = std::floor(S.Lo / LineBytes) * LineBytes;
        S.Hi = std::ceil(S.Hi / LineBytes) * LineBytes;
        ByPointer[Key.first].push_back(S);
      }
    for (const auto &[Pointer, List] : ByPointer)
      Sum += bytesOf(List) / LineBytes;
  }
  return Evaluate.AreKnown ? Sum / AtomicWaves : 0;
}

} // namespace gridspan
