//===- KernelWalk.cpp - Warps on their way through a kernel ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are in layout order, where each loop is one run of blocks that share
// it; a loop is entered by the lanes that get to its first block in iteration
// zero, and goes round as often as the longest of them. For counts, grid, warps
// and long loops are thinned to a few positions with weights; where the work of
// blocks becomes more or less at once, the place is looked for.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/KernelWalk.h"
#include "analysis/advice/warpsim/L1Model.h"
#include "analysis/expr/LaunchDefaults.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace gridspan {

/// Positions looked at for counts.
static constexpr uint64_t CountedBlocks = 16, CountedWarps = 8,
                          CountedTrips = 5;

/// The fullest of 32 banks, if 32 lanes choose them at random.
static constexpr unsigned RandomConflicts = 3;

KernelWalk::KernelWalk(const KernelSites &Kernel, const LaunchValues &Launch,
                       const MachineModel &Machine)
    : Kernel(Kernel), Machine(Machine), Sampler(Kernel.Exprs, Launch),
      SitesOf(Kernel.Blocks.size()) {
  for (unsigned I = 0; I != Kernel.Sites.size(); ++I) {
    SitesOf[Kernel.Sites[I].Block].push_back(I);
    Bases.try_emplace(Kernel.Sites[I].Base, Bases.size());
  }
}

uint32_t KernelWalk::reaching(size_t Block, uint32_t Mask) {
  auto [Lanes, Open] = Sampler.reaching(Kernel.Blocks[Block].Guards, Mask);
  Counts.AreGuardsKnown &= !Open;
  return Lanes;
}

void KernelWalk::visitLoop(size_t Begin, size_t End, size_t Depth,
                           uint32_t Mask, double Weight) {
  const SiteLoop &Loop = Kernel.Blocks[Begin].Loops[Depth];
  Sampler.setIteration(Loop.Number, 0);
  // The trip count means something only in lanes that enter.
  Mask = reaching(Begin, Mask);
  if (!Mask)
    return;
  LaneTrips Trips = Sampler.tripsOf(Loop, Mask);
  // Nobody knows how near a bound is: such loops are taken to be short.
  if (!Loop.IsExact)
    Trips.limit(UnknownTrips);
  Counts.AreTripCountsKnown &= Trips.IsKnown;
  auto Visit = [&](uint64_t At, double Times) {
    Sampler.setIteration(Loop.Number, At);
    walk(Begin, End, Depth + 1, Trips.runningIn(At, Mask), Weight * Times);
  };
  if (!Trace) {
    for (SamplePosition P : samplePositions(Trips.Most, CountedTrips))
      Visit(P.At, P.Weight);
    return;
  }
  const uint64_t Most = MaxTrips[std::min(Depth, MaxTrips.size() - 1)];
  IsShortened |= Trips.Most > Most;
  // The first iteration of a loop around others may have little to do.
  if (Most == 1 && Trips.Most > 0)
    return Visit((Trips.Most - 1) / 2, 1);
  for (uint64_t At = 0; At != std::min(Trips.Most, Most); ++At)
    Visit(At, 1);
}

void KernelWalk::walk(size_t Begin, size_t End, size_t Depth, uint32_t Mask,
                      double Weight) {
  for (size_t I = Begin; I != End && Mask;) {
    const CodeBlock &Block = Kernel.Blocks[I];
    if (Block.Loops.size() <= Depth) {
      visit(I, Mask, Weight);
      ++I;
      continue;
    }
    size_t Last = I + 1;
    while (Last != End && Kernel.Blocks[Last].Loops.size() > Depth &&
           Kernel.Blocks[Last].Loops[Depth].Number == Block.Loops[Depth].Number)
      ++Last;
    visitLoop(I, Last, Depth, Mask, Weight);
    I = Last;
  }
}

void KernelWalk::visit(size_t Block, uint32_t Mask, double Weight) {
  Mask = reaching(Block, Mask);
  if (!Mask)
    return;
  if (Trace) {
    for (unsigned Site : SitesOf[Block])
      addAccess(Site, Mask);
    return;
  }
  OfWarp[Block].Warps += Weight;
  OfWarp[Block].Lanes += Weight * popcount(Mask);
}

void KernelWalk::addAccess(unsigned Index, uint32_t Mask) {
  const MemorySite &Site = Kernel.Sites[Index];
  TracedAccess A;
  A.Site = Index;
  WarpRequest Request;
  Request.Size = std::max(1u, Site.Piece);
  // Far from zero, so that negative offsets stay in order.
  uint64_t Base = uint64_t(Bases.at(Site.Base) + 1) << 48;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
    if (!(Mask >> Lane & 1))
      continue;
    ConcreteValue V = Sampler.value(Site.Offset, Lane);
    if (V.State == ConcreteValue::Inactive)
      continue;
    A.IsKnown &= V.isKnown();
    Request.add(Lane, Base + uint64_t(V.Value));
  }
  if (!Request.Active)
    return;
  A.Lanes = Request.activeLanes();
  // Of an access, which no sector's end cuts.
  auto BytesAt = [&](uint64_t Address) {
    return ((uint32_t(1) << Request.Size) - 1) << Address % SectorBytes;
  };
  unsigned Pieces = Site.Piece ? divideCeil(Site.Size, Site.Piece) : 1;
  for (unsigned Piece = 0; Piece != std::max(1u, Pieces); ++Piece) {
    TracedAccess P = A;
    P.First = Trace->Sectors.size();
    if (Site.Space == MemorySpace::Shared) {
      P.Units = A.IsKnown ? sharedWavefrontsOf(Request, sharedAccessOf(Site))
                          : std::min(RandomConflicts, A.Lanes);
    } else if (!A.IsKnown) {
      P.Units = P.Lines = P.Addresses = A.Lanes;
      P.Passes = std::min(RandomConflicts, A.Lanes);
      P.Cycles = loadUnitCycles(P.Passes, P.Lines, Machine);
      for (unsigned I = 0; I != A.Lanes; ++I)
        // Each in a line of its own, in nobody's range.
        Trace->Sectors.push_back((uint64_t(1) << 58) + 4 * NextUnknown++);
      Trace->Touched.resize(Trace->Sectors.size(), BytesAt(0));
    } else {
      SmallVector<uint64_t, WarpSize> Addresses;
      for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
        if (Request.isActive(Lane))
          Addresses.push_back(Request.Address[Lane]);
      llvm::sort(Addresses);
      Addresses.erase(std::unique(Addresses.begin(), Addresses.end()),
                      Addresses.end());
      P.Addresses = Addresses.size();
      uint64_t Line = ~uint64_t(0);
      for (uint64_t Address : Addresses) {
        uint64_t Sector = Address / SectorBytes;
        if (Trace->Sectors.size() == P.First ||
            Trace->Sectors.back() != Sector) {
          Trace->Sectors.push_back(Sector);
          Trace->Touched.push_back(0);
        }
        Trace->Touched.back() |= BytesAt(Address);
        P.Lines += Address / LineBytes != Line;
        Line = Address / LineBytes;
      }
      P.Units = Trace->Sectors.size() - P.First;
      P.Passes = sharedWavefrontsOf(Request, SharedAccess::Load);
      P.Cycles = loadUnitCycles(P.Passes, P.Lines, Machine);
    }
    Trace->Accesses.push_back(P);
    for (uint64_t &Address : Request.Address)
      Address += Site.Piece;
  }
}

/// Returns what each of the warps of a block executes.
std::vector<std::vector<BlockCount>>
KernelWalk::countWarps(uint64_t Block, ArrayRef<SamplePosition> Warps) {
  std::vector<std::vector<BlockCount>> Out;
  Sampler.setBlock(Sampler.blockAt(Block));
  for (SamplePosition W : Warps) {
    Sampler.setWarp(W.At);
    OfWarp.assign(Kernel.Blocks.size(), {});
    walk(0, Kernel.Blocks.size(), 0, Sampler.lanes(), 1);
    Out.push_back(OfWarp);
  }
  return Out;
}

LaunchCounts KernelWalk::count() {
  Counts = {};
  Counts.Blocks.resize(Kernel.Blocks.size());
  Trace = nullptr;
  const std::vector<SamplePosition> Warps =
      samplePositions(warpsPerBlock(), CountedWarps);
  std::map<uint64_t, std::vector<std::vector<BlockCount>>> Counted;
  auto CountOf = [&](uint64_t Block) -> const auto & {
    auto [It, IsNew] = Counted.try_emplace(Block);
    if (IsNew)
      It->second = countWarps(Block, Warps);
    return It->second;
  };
  auto WorkOf = [&](uint64_t Block) {
    double Sum = 0;
    for (const auto &[W, Executed] : zip_equal(Warps, CountOf(Block)))
      for (const BlockCount &Count : Executed)
        Sum += W.Weight * Count.Warps;
    return Sum;
  };
  for (SamplePosition B : withStepsFound(
           samplePositions(numBlocks(), CountedBlocks), numBlocks(), WorkOf)) {
    Counts.BlockShares.push_back(B.Weight / double(numBlocks()));
    for (const auto &[W, Executed] : zip_equal(Warps, CountOf(B.At))) {
      std::vector<double> &Times = Counts.OfWarps.emplace_back();
      for (const auto &[Sum, Count] : zip_equal(Counts.Blocks, Executed)) {
        Times.push_back(Count.Warps);
        Sum.Warps += B.Weight * W.Weight * Count.Warps;
        Sum.Lanes += B.Weight * W.Weight * Count.Lanes;
      }
    }
  }
  return Counts;
}

WarpRequests KernelWalk::trace(uint64_t Block, unsigned Warp,
                               ArrayRef<uint64_t> Limits) {
  assert(!Limits.empty() && "no limit");
  WarpRequests Out;
  LaunchCounts Saved = Counts;
  Trace = &Out;
  MaxTrips = Limits;
  Sampler.setBlock(Sampler.blockAt(Block));
  Sampler.setWarp(Warp);
  walk(0, Kernel.Blocks.size(), 0, Sampler.lanes(), 1);
  Trace = nullptr;
  MaxTrips = {};
  Counts = std::move(Saved);
  return Out;
}

} // namespace gridspan
