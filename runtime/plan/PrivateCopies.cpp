//===- PrivateCopies.cpp - What tiles reduce into on their own ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile may reduce into a private copy of an allocation when
//
//   1. all pointers into it that the kernel uses are reduced into, by one
//      operation (analysis/legality/Reductions.h says that of each);
//   2. no other argument may lead there: none beside an allocation (x - 1), and
//      none to memory that is not known;
//   3. all of it is on devices, where the copy can be combined into it.
//
// The copy stands for the bytes that the tile may touch. They are taken from
// ranges without the contents of memory, which change under a decision: results
// depend on them here. Where the range is not known it is the allocation.
//
// The time of atomics over a link is that of a sector for each. They may be
// fewer, as the hardware joins those of a warp to one sector, so that the copy
// is taken where both would do; measured times tell the two apart.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PrivateCopies.h"
#include "runtime/backend/Reduction.h"
#include "runtime/plan/MayAccess.h"
#include <algorithm>

namespace gridspan {

/// The bytes that an atomic takes on a link.
static constexpr double AtomicBytes = 32;
/// The seconds that filling a copy takes besides its bytes, and combining all
/// that stand for the same bytes, which one kernel does.
static constexpr double FillOverheadSeconds = 4e-6;
static constexpr double CombineOverheadSeconds = 5e-6;
/// The seconds that a launch behind the combination waits for it, where it
/// would have followed the tiles directly.
static constexpr double JoinSeconds = 1e-5;

const PrivateCopy *privateCopy(const TilePlan &Tile, unsigned Allocation) {
  auto It = std::find_if(
      Tile.Privates.begin(), Tile.Privates.end(),
      [&](const PrivateCopy &C) { return C.Allocation == Allocation; });
  return It == Tile.Privates.end() ? nullptr : &*It;
}

bool hasPrivateCopies(const std::vector<TilePlan> &Tiles) {
  return std::any_of(Tiles.begin(), Tiles.end(),
                     [](const TilePlan &T) { return !T.Privates.empty(); });
}

//===--- Whether --------------------------------------------------------===//

static bool isAllowed(GridspanReduction Kind, PrivateCopyUse Use) {
  return Kind != GridspanReduction::None && Use != PrivateCopyUse::Never &&
         (Use != PrivateCopyUse::Integers || !isRounding(Kind));
}

/// Tests condition 1 for one allocation.
static GridspanReduction reductionInto(const PlanInput &In,
                                       unsigned Allocation) {
  const GridspanKernel &Kernel = *In.Kernel;
  auto Kind = GridspanReduction::None;
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I) {
    if (In.Pointers[I].Allocation != static_cast<int>(Allocation))
      continue;
    const GridspanPointer &P = Kernel.Pointers[I];
    // All pointers into it are moved, also one that is only passed on.
    if (P.Modes == 0 && (P.Flags & (GridspanReplicable | GridspanRedirectable)))
      continue;
    const GridspanReduction Own = reductionOf(P);
    const unsigned Bytes = elementBytes(Own);
    if (Bytes == 0 || In.Pointers[I].Offset % Bytes != 0 ||
        (Kind != GridspanReduction::None && Kind != Own))
      return GridspanReduction::None;
    Kind = Own;
  }
  return Kind;
}

std::vector<GridspanReduction> reductionsInto(const PlanInput &In) {
  const GridspanKernel &Kernel = *In.Kernel;
  std::vector<GridspanReduction> Out(In.Allocations.size(),
                                     GridspanReduction::None);
  if (!(Kernel.Flags & GridspanHasAtomics) ||
      (Kernel.Flags & (GridspanUnknownRead | GridspanUnknownWrite)) ||
      std::any_of(In.Allocations.begin(), In.Allocations.end(),
                  [](const PlacedAllocation &A) { return A.Unknown; }))
    return Out;
  for (unsigned A = 0; A < In.Allocations.size(); ++A) {
    const PlacedAllocation &Placed = In.Allocations[A];
    if (Placed.Paged || Placed.mayBeOnHost())
      continue;
    const GridspanReduction Kind = reductionInto(In, A);
    if (isAllowed(Kind, In.Privates))
      Out[A] = Kind;
  }
  return Out;
}

/// Returns the elements that the launch's blocks in Box may touch; an empty
/// range if there are none.
static ByteSpan elementsOf(const PlanInput &In, unsigned Allocation,
                           GridspanBox Box, unsigned ElementBytes) {
  const GridspanKernel &Kernel = *In.Kernel;
  Box.Indices = nullptr;
  std::vector<GridspanRange> Ranges(Kernel.NumAccesses);
  Kernel.Ranges(&Box, Ranges.data());
  MayAccess Touched(In.Allocations[Allocation].Bytes);
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I)
    if (const int32_t P = Kernel.Accesses[I].Pointer;
        P >= 0 && In.Pointers[P].Allocation == static_cast<int>(Allocation))
      Touched.add(Ranges[I], In.Pointers[P].Offset);
  if (Touched.empty())
    return {0, 0};
  const uint64_t Whole =
      In.Allocations[Allocation].Bytes / ElementBytes * ElementBytes;
  return {Touched.lo() / ElementBytes * ElementBytes,
          std::min(Whole, (Touched.hi() + ElementBytes - 1) / ElementBytes *
                              ElementBytes)};
}

void addPrivateCopies(const PlanInput &In, SplitCandidate &Out) {
  if (Out.Tiles.size() < 2)
    return;
  for (unsigned A = 0; A < In.Allocations.size(); ++A)
    if (outsideModes(Out, A))
      return;
  const std::vector<GridspanReduction> Reductions = reductionsInto(In);
  for (unsigned A = 0; A < In.Allocations.size(); ++A) {
    if (Reductions[A] == GridspanReduction::None)
      continue;
    for (TilePlan &Tile : Out.Tiles) {
      const Touch &T = Out.Touched[Tile.Device][A];
      if (T.all() <= T.at(Tile.Device) || tileCopy(Tile, A))
        continue;
      const ByteSpan Span = elementsOf(In, A, Out.Boxes[Tile.Device],
                                       elementBytes(Reductions[A]));
      if (Span.Lo < Span.Hi)
        Tile.Privates.push_back({A, Span.Lo, Span.Hi, Reductions[A]});
    }
  }
}

//===--- Time -----------------------------------------------------------===//

double privateFillSeconds(const PrivateCopy &Copy, const SystemInfo &System,
                          int Device) {
  return FillOverheadSeconds + static_cast<double>(Copy.Hi - Copy.Lo) /
                                   linkBandwidth(System, Device, Device);
}

double combineSeconds(const PlanInput &In, const SystemInfo &System,
                      const std::vector<TilePlan> &Tiles) {
  double Seconds = 0;
  for (auto Tile = Tiles.begin(); Tile != Tiles.end(); ++Tile)
    for (const PrivateCopy &C : Tile->Privates) {
      const bool IsFirst =
          std::none_of(Tiles.begin(), Tile, [&](const TilePlan &Before) {
            const PrivateCopy *Same = privateCopy(Before, C.Allocation);
            return Same && *Same == C;
          });
      In.Allocations[C.Allocation].Homes->forRuns(
          C.Lo, C.Hi, [&](const PageHomes::Run &R) {
            Seconds +=
                (IsFirst ? CombineOverheadSeconds : 0) +
                static_cast<double>(R.Hi - R.Lo) /
                    std::max(1.0, linkBandwidth(System, R.Where, Tile->Device));
          });
    }
  return Seconds > 0 ? Seconds + JoinSeconds : 0;
}

std::optional<double> atomicsOfArgument(const GridspanKernel &Kernel,
                                        const GridspanBox &Box) {
  if (!Kernel.Atomics)
    return std::nullopt;
  const auto Arguments = std::count_if(
      Kernel.Pointers, Kernel.Pointers + Kernel.NumPointers,
      [](const GridspanPointer &P) { return P.Modes & GridspanAtomic; });
  return Kernel.Atomics(&Box) /
         static_cast<double>(std::max<ptrdiff_t>(1, Arguments));
}

double remoteAtomicSeconds(const SystemInfo &System, int Device,
                           const Touch &Touched, double Atomics) {
  const double All = Touched.all();
  double Seconds = 0;
  for (Location Home = 0; Home < static_cast<int>(System.numDevices()); ++Home)
    if (Home != Device && Touched.at(Home) > 0)
      Seconds += Atomics * Touched.at(Home) / All * AtomicBytes /
                 std::max(1.0, linkBandwidth(System, Device, Home));
  return Seconds;
}

} // namespace gridspan
