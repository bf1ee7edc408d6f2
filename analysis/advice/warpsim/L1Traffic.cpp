//===- L1Traffic.cpp - Requests of sites that leave L1 --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks come to multiprocessors in turn, so those that are on one together are
// as many apart as there are multiprocessors. Warps make their requests in
// turns. Warps of a block stay together and find what another of them has
// fetched, for which they wait as long if that was just before. Blocks drift
// apart: they share what is in the cache only where all that they read is so
// little that it stays there, and then find what blocks before have left. Long
// loops are cut to their first iterations, and loops around others to one, if
// there is much to go through.
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/L1Traffic.h"
#include "analysis/advice/warpsim/L1Model.h"
#include "llvm/ADT/DenseSet.h"
#include <cmath>

using namespace llvm;

namespace gridspan {

/// Requests of a generation that are looked at, about, and of a warp at most.
static constexpr uint64_t MaxRequests = 24000, MaxOfWarp = 1200;

/// Executions of basic blocks by the warps of a generation, about.
static constexpr double MaxExecutions = 400000;

/// The most iterations of each loop for which the longest path has no more than
/// Limit requests.
static uint64_t tripLimit(const KernelSites &Kernel, uint64_t Limit) {
  for (uint64_t Trips = 512; Trips > 4; Trips /= 2) {
    double Requests = 0;
    for (const MemorySite &Site : Kernel.Sites)
      Requests += std::pow(double(Trips), double(Site.Loops.size()));
    if (Requests <= double(Limit))
      return Trips;
  }
  return 4;
}

/// Returns how many times the longest path goes through basic blocks.
static double executionsWith(const KernelSites &Kernel,
                             ArrayRef<uint64_t> Trips) {
  double Sum = 0;
  for (const CodeBlock &Block : Kernel.Blocks) {
    double Times = 1;
    for (size_t Depth = 0; Depth != Block.Loops.size(); ++Depth)
      Times *= double(Trips[Depth]);
    Sum += Times;
  }
  return Sum;
}

/// Returns the most iterations of loops, by depth: as many of each as OfWarp
/// requests allow, but one of outer loops where paths would become too long.
static SmallVector<uint64_t> tripLimits(const KernelSites &Kernel,
                                        uint64_t OfWarp, double Executions) {
  size_t Depth = 0;
  for (const CodeBlock &Block : Kernel.Blocks)
    Depth = std::max(Depth, Block.Loops.size());
  if (Depth == 0)
    return {1};
  SmallVector<uint64_t> Out(Depth, tripLimit(Kernel, OfWarp));
  for (uint64_t &OfLoop : Out) {
    if (executionsWith(Kernel, Out) <= Executions)
      break;
    OfLoop = 1;
  }
  return Out;
}

std::vector<L1Rates> l1RatesOf(const KernelSites &Kernel, KernelWalk &Walk,
                               const MachineModel &Machine, uint64_t L1Bytes,
                               unsigned Resident) {
  std::vector<L1Rates> Out(Kernel.Sites.size());
  uint64_t NumBlocks = Walk.numBlocks(), Step = Machine.Multiprocessors;
  unsigned Warps = Walk.warpsPerBlock();
  Resident = std::min<uint64_t>(Resident, divideCeil(NumBlocks, Step));
  uint64_t Limit = std::clamp<uint64_t>(
      MaxRequests / (uint64_t(Resident) * Warps), 64, MaxOfWarp);
  const SmallVector<uint64_t> Trips =
      tripLimits(Kernel, Limit, MaxExecutions / (double(Resident) * Warps));
  // From the middle of the grid on: the data of the first blocks is often that
  // of the first iterations as well.
  uint64_t First = std::min(
      NumBlocks / 2,
      NumBlocks - 1 - std::min(NumBlocks - 1, uint64_t(Resident - 1) * Step));
  L1Model Cache(L1Bytes, Machine);
  struct Running {
    uint64_t Block;
    WarpRequests Trace;
  };
  std::vector<Running> Traces;
  size_t Longest = 0;
  DenseSet<uint64_t> Lines;
  auto TraceAll = [&] {
    for (unsigned B = 0; B != Resident; ++B)
      for (unsigned W = 0; W != Warps && First + B * Step < NumBlocks; ++W) {
        Traces.push_back({B, Walk.trace(First + B * Step, W, Trips)});
        Longest = std::max(Longest, Traces.back().Trace.Accesses.size());
      }
  };
  TraceAll();
  // Blocks there may have nothing to do.
  if (Longest == 0 && First != 0) {
    First = 0;
    Traces.clear();
    TraceAll();
  }
  for (const auto &[Block, Trace] : Traces)
    for (const TracedAccess &A : Trace.Accesses)
      if (Kernel.Sites[A.Site].Space == MemorySpace::Global &&
          Kernel.Sites[A.Site].Kind == SiteKind::Load)
        for (unsigned S = 0; S != A.Units; ++S)
          Lines.insert(Trace.Sectors[A.First + S] / (SectorsOfLine));
  bool IsShared =
      !Walk.isShortened() && Lines.size() * LineBytes <= L1Bytes / 2;
  if (IsShared && First >= Resident * Step)
    for (unsigned B = 0; B != Resident; ++B)
      for (unsigned W = 0; W != Warps; ++W)
        for (uint64_t Sector :
             Walk.trace(First - (B + 1) * Step, W, Trips).Sectors)
          Cache.load(Sector, ~0u);
  for (size_t I = 0; I != Longest; ++I)
    for (const auto &[Block, Trace] : Traces) {
      if (I >= Trace.Accesses.size())
        continue;
      const TracedAccess &A = Trace.Accesses[I];
      const MemorySite &Site = Kernel.Sites[A.Site];
      L1Rates &R = Out[A.Site];
      unsigned Missed = 0;
      bool IsWaiting = false;
      SmallDenseSet<uint64_t, 32> Missing;
      if (Site.Space == MemorySpace::Global && Site.Kind == SiteKind::Load)
        for (unsigned S = 0; S != A.Units; ++S) {
          // To each block its own copy, unless they share.
          uint64_t Sector =
              Trace.Sectors[A.First + S] + (IsShared ? 0 : Block << 53);
          const L1Model::Use Use =
              Cache.use(Sector, I, A.Site, Trace.Touched[A.First + S]);
          IsWaiting |= Use.Found != L1Model::Hit;
          Out[Use.FetchedBy].UsedSectors += double(Use.NewBytes) / SectorBytes;
          if (Use.Found != L1Model::Miss)
            continue;
          ++Missed;
          Missing.insert(Sector / (SectorsOfLine));
        }
      R.Requests += 1;
      R.Lanes += A.Lanes;
      R.Units += A.Units;
      R.Lines += A.Lines;
      R.Passes += A.Passes;
      R.Cycles += A.Cycles;
      R.Addresses += A.Addresses;
      R.MissedSectors += Missed;
      R.MissedLines += Missing.size();
      R.WaitShare += IsWaiting;
      R.IsKnown &= A.IsKnown;
    }
  for (size_t I = 0; I != Out.size(); ++I) {
    L1Rates &R = Out[I];
    const MemorySite &Site = Kernel.Sites[I];
    if (R.Requests > 0)
      for (double *Sum :
           {&R.Lanes, &R.Units, &R.Lines, &R.Passes, &R.Cycles, &R.Addresses,
            &R.MissedSectors, &R.UsedSectors, &R.MissedLines, &R.WaitShare})
        *Sum /= R.Requests;
    R.Requests = Site.Piece ? divideCeil(Site.Size, Site.Piece) : 1;
  }
  return Out;
}

} // namespace gridspan
