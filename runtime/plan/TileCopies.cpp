//===- TileCopies.cpp - Copies of what tiles cannot reach -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile may work on a copy of an allocation when
//
//   1. every access of the kernel has a pointer parameter as its base, which
//      leads to what it is for: what a device cannot reach is then known;
//   2. every pointer into the allocation is used for nothing but addresses of
//      loads and stores, so that another address will do;
//   3. no access to it is atomic: what other devices do would not be seen;
//   4. each of the tile's writes to it is surely done (an exact range). Of
//      bytes that only may be written nobody knows who has them then: a kernel
//      in another stream may be writing them at home at the same time;
//   5. no other tile may write the same bytes.
//
// Reads need no more than a range that holds them all, which every range does.
// A tile cannot see what another one writes during the launch, but nothing
// orders blocks of a launch except atomics, and loops that wait, which are
// refused before.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/TileCopies.h"
#include <algorithm>

namespace gridspan {

namespace {

class TileCopyPlanner {
public:
  TileCopyPlanner(const PlanInput &In, const SystemInfo &System,
                  SplitCandidate &Out)
      : In(In), Kernel(*In.Kernel), System(System), Out(Out) {}

  void run();

private:
  bool isUnreachable(const TilePlan &Tile, unsigned Allocation) const;
  LaunchReason whyNotCopied(unsigned Allocation) const;
  LaunchReason addRows(const TilePlan &Tile, unsigned Allocation,
                       std::vector<ByteRows> &Rows);
  LaunchReason addCopies(unsigned Allocation);

  const PlanInput &In;
  const GridspanKernel &Kernel;
  const SystemInfo &System;
  SplitCandidate &Out;
};

} // namespace

uint64_t bytesIn(const TileCopy &Part) {
  uint64_t Sum = 0;
  for (const ByteSpan &S : Part.In)
    Sum += S.Hi - S.Lo;
  return Sum;
}

uint64_t bytesOut(const TileCopy &Part) {
  uint64_t Sum = 0;
  for (const ByteRows &R : Part.Out)
    Sum += R.bytes();
  return Sum;
}

double bytesLacked(const PlacedAllocation &A, Place At,
                   const std::vector<ByteSpan> &Spans) {
  double Sum = 0;
  for (const LackedBytes &L : A.Copies.lackedBy(At, Spans))
    Sum += static_cast<double>(L.bytes());
  return Sum;
}

double bytesShared(const SplitCandidate &C, size_t Tile, unsigned Allocation) {
  double Sum = 0;
  for (size_t Other = 0; Other != C.Tiles.size(); ++Other) {
    if (Other == Tile)
      continue;
    const auto &Here = C.Touched[Tile][Allocation].Reads.spans();
    const auto &There = C.Touched[Other][Allocation].Reads.spans();
    for (size_t I = 0, J = 0; I != Here.size() && J != There.size();) {
      const uint64_t Lo = std::max(Here[I].Lo, There[J].Lo);
      const uint64_t Hi = std::min(Here[I].Hi, There[J].Hi);
      if (Lo < Hi)
        Sum += static_cast<double>(Hi - Lo);
      Here[I].Hi < There[J].Hi ? ++I : ++J;
    }
  }
  // What all of them read is one's own.
  return Sum / static_cast<double>(C.Tiles.size());
}

std::vector<ByteSpan> spansOf(const MayAccess &F) {
  std::vector<ByteSpan> Spans;
  for (const Span &S : F.spans()) {
    if (!Spans.empty() && Spans.back().Hi == S.Lo)
      Spans.back().Hi = S.Hi;
    else
      Spans.push_back({S.Lo, S.Hi});
  }
  return Spans;
}

bool TileCopyPlanner::isUnreachable(const TilePlan &Tile,
                                    unsigned Allocation) const {
  const PlacedAllocation &Placed = In.Allocations[Allocation];
  if (!Placed.Homes)
    return false; // memory of the host
  const Touch &T = Out.Touched[Tile.Device][Allocation];
  for (int Home = 0; Home < static_cast<int>(System.numDevices()); ++Home)
    if (T.at(Home) > 0 && !(linkBandwidth(System, Tile.Device, Home) > 0))
      return true;
  return false;
}

/// Tests conditions 2 and 3.
LaunchReason TileCopyPlanner::whyNotCopied(unsigned Allocation) const {
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I) {
    const GridspanPointer &P = Kernel.Pointers[I];
    if (In.Pointers[I].Allocation != static_cast<int>(Allocation) ||
        P.Modes == 0)
      continue;
    if (P.Modes & GridspanAtomic)
      return LaunchReason::NoPeerAtomics;
    if (!(P.Flags & (GridspanReplicable | GridspanRedirectable)))
      return LaunchReason::NoPeerPointerUse;
  }
  return LaunchReason::None;
}

/// The most planes of a range: rows of each are compared with those of others.
static constexpr int64_t MaxPlanes = 1024;

/// Adds rows of the range, those of each plane. Returns false for those that
/// are not all within [0, Bytes): a program may not write outside of the
/// allocation.
static bool addRowsOf(const GridspanRange &R, int64_t Offset, uint64_t Bytes,
                      std::vector<ByteRows> &Out) {
  if (R.Planes > MaxPlanes)
    return false;
  const __int128 Pitch = R.RowsPerPlane > 1 ? R.Pitch : R.RowBytes;
  const __int128 PlaneBytes = Pitch * (R.RowsPerPlane - 1) + R.RowBytes;
  for (int64_t I = 0; I != R.Planes; ++I) {
    const __int128 Lo =
        static_cast<__int128>(R.Lo) + Offset +
        static_cast<__int128>(R.Planes > 1 ? R.PlanePitch : 0) * I;
    if (Lo < 0 || Lo + PlaneBytes > Bytes)
      return false;
    const ByteRows Row = {
        static_cast<uint64_t>(Lo), static_cast<uint64_t>(R.RowBytes),
        static_cast<uint64_t>(Pitch), static_cast<uint64_t>(R.RowsPerPlane)};
    if (std::find(Out.begin(), Out.end(), Row) == Out.end())
      Out.push_back(Row);
  }
  return true;
}

/// Adds the rows that the tile surely writes there, by condition 4. Also for
/// tiles in place: the others may have to keep off. Returns why they are not
/// known, or None.
LaunchReason TileCopyPlanner::addRows(const TilePlan &Tile, unsigned Allocation,
                                      std::vector<ByteRows> &Rows) {
  std::vector<GridspanRange> Ranges(Kernel.NumAccesses);
  Kernel.Ranges(&Out.Boxes[Tile.Device], Ranges.data());
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I) {
    const GridspanAccess &A = Kernel.Accesses[I];
    if (A.Mode != GridspanWrite ||
        In.Pointers[A.Pointer].Allocation != static_cast<int>(Allocation) ||
        Ranges[I].State == GridspanRangeEmpty)
      continue;
    if (Ranges[I].State != GridspanRangeExact ||
        !addRowsOf(Ranges[I], In.Pointers[A.Pointer].Offset,
                   In.Allocations[Allocation].Bytes, Rows))
      return LaunchReason::NoPeerUnknownWrites;
  }
  Rows = joinRows(std::move(Rows));
  return LaunchReason::None;
}

/// Returns true if no byte is in both. Rows of the same pitch that run beside
/// each other are told apart by their offset in it.
static bool areDisjoint(const ByteRows &A, const ByteRows &B) {
  if (A.hi() <= B.Lo || B.hi() <= A.Lo)
    return true;
  if (A.Pitch != B.Pitch || A.RowBytes >= A.Pitch || B.RowBytes >= B.Pitch)
    return false;
  const uint64_t Pitch = A.Pitch;
  const uint64_t Ahead = (B.Lo % Pitch + Pitch - A.Lo % Pitch) % Pitch;
  return A.RowBytes <= Ahead && Ahead + B.RowBytes <= Pitch;
}

static bool areDisjoint(const std::vector<ByteRows> &A,
                        const std::vector<ByteRows> &B) {
  return std::all_of(A.begin(), A.end(), [&](const ByteRows &L) {
    return std::all_of(B.begin(), B.end(),
                       [&](const ByteRows &R) { return areDisjoint(L, R); });
  });
}

LaunchReason TileCopyPlanner::addCopies(unsigned Allocation) {
  if (LaunchReason Why = whyNotCopied(Allocation); Why != LaunchReason::None)
    return Why;
  std::vector<std::vector<ByteRows>> Written(Out.Tiles.size());
  for (size_t T = 0; T < Out.Tiles.size(); ++T)
    if (LaunchReason Why = addRows(Out.Tiles[T], Allocation, Written[T]);
        Why != LaunchReason::None)
      return Why;
  for (size_t T = 0; T < Written.size(); ++T)
    for (size_t U = 0; U < T; ++U)
      if (!areDisjoint(Written[T], Written[U]))
        return LaunchReason::NoPeerSharedWrites;
  HomeUse &Home = Out.AtHome[Allocation].emplace();
  MayAccess ReadAtHome(In.Allocations[Allocation].Bytes);
  for (size_t T = 0; T < Out.Tiles.size(); ++T) {
    TilePlan &Tile = Out.Tiles[T];
    if (!isUnreachable(Tile, Allocation)) {
      ReadAtHome.add(Out.Touched[Tile.Device][Allocation].Reads);
      Home.Writes.insert(Home.Writes.end(), Written[T].begin(),
                         Written[T].end());
      continue;
    }
    Tile.Copies.push_back({Allocation,
                           spansOf(Out.Touched[Tile.Device][Allocation].Reads),
                           std::move(Written[T])});
  }
  Home.Reads = spansOf(ReadAtHome);
  return LaunchReason::None;
}

void TileCopyPlanner::run() {
  Out.AtHome.resize(In.Allocations.size());
  for (unsigned A = 0; A < In.Allocations.size(); ++A) {
    if (std::none_of(Out.Tiles.begin(), Out.Tiles.end(),
                     [&](const TilePlan &T) { return isUnreachable(T, A); }))
      continue;
    if (LaunchReason Why = addCopies(A); Why != LaunchReason::None) {
      Out.WhyUnreachable = Why;
      return;
    }
  }
}

/// Returns true if the launch uses memory of the host by its address.
static bool usesHostMemory(const PlanInput &In) {
  const GridspanKernel &Kernel = *In.Kernel;
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I) {
    const int A = In.Pointers[I].Allocation;
    if (A >= 0 && Kernel.Pointers[I].Modes && In.Allocations[A].mayBeOnHost())
      return true;
  }
  return false;
}

void planTileCopies(const PlanInput &In, const SystemInfo &System,
                    SplitCandidate &Out) {
  // Device 0 reaches all pages that there are.
  if (Out.Tiles.size() < 2 || System.allReachAll())
    return;
  const GridspanKernel &Kernel = *In.Kernel;
  if ((Kernel.Flags & (GridspanUnknownRead | GridspanUnknownWrite)) ||
      std::any_of(Kernel.Accesses, Kernel.Accesses + Kernel.NumAccesses,
                  [](const GridspanAccess &A) { return A.Pointer < 0; }) ||
      std::any_of(In.Allocations.begin(), In.Allocations.end(),
                  [](const PlacedAllocation &A) { return A.Unknown; })) {
    Out.WhyUnreachable = LaunchReason::NoPeerUnknownPointer;
    return;
  }
  if (!System.AllReachHost && usesHostMemory(In)) {
    Out.WhyUnreachable = LaunchReason::NoPeerHostMemory;
    return;
  }
  for (unsigned A = 0; A < In.Allocations.size(); ++A)
    if (outsideModes(Out, A)) {
      Out.WhyUnreachable = LaunchReason::NoPeerUnknownPointer;
      return;
    }
  TileCopyPlanner(In, System, Out).run();
}

} // namespace gridspan
