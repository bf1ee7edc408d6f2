//===- MeasuredCost.cpp - Predictions from what a run showed --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The run has counted requests of accesses, and the model wants executions of
// blocks. The two are the same but for copies: an access that was unrolled is
// in several blocks, which have its requests together. So each block is scaled
// by the ratio of requests counted to those that the model had expected, in
// the mean of its accesses. Blocks without one go by those of their innermost
// loop that are executed in each iteration, as far as the code says. Where none
// was measured, a block under a condition says only that the loop goes round as
// often at least.
//
// Lanes that part in a loop, as each leaves it in its own iteration, meet again
// behind it in the kernel, but not always in the clone that records: there, one
// request is counted for each of them, also in later loops. That shows outside
// of loops, where a warp comes by once, and the rest is corrected by it.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/cost/MeasuredCost.h"
#include "analysis/advice/warpsim/L1Model.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

using namespace llvm;

namespace gridspan {

namespace {
/// Sums of requests and lanes, measured and as expected.
struct Ratio {
  double Requests = 0, Expected = 0;
  double Lanes = 0, ExpectedLanes = 0;

  void add(const Ratio &Other) {
    Requests += Other.Requests;
    Expected += Other.Expected;
    Lanes += Other.Lanes;
    ExpectedLanes += Other.ExpectedLanes;
  }
};
} // namespace

/// Returns how many times as many requests were counted outside of loops as
/// warps have that meet again, at least 1.
static double timesApart(const KernelSites &Kernel, const MeasuredSites &Of,
                         double Warps) {
  std::map<const MeasuredSite *, double> Possible;
  for (const MemorySite &Site : Kernel.Sites)
    if (const MeasuredSite *M = Of.of(Site)) {
      const bool IsInLoop = !Kernel.Blocks[Site.Block].Loops.empty();
      Possible[M] += IsInLoop ? std::numeric_limits<double>::infinity() : Warps;
    }
  double Most = 1;
  for (const auto &[M, Times] : Possible)
    if (Times > 0)
      Most = std::max(Most, M->Requests / Times);
  return std::min(Most, double(WarpSize));
}

/// Returns the requests of an access, of warps that were so many times apart.
static double requestsTogether(const MeasuredSite &M, double Apart) {
  // Those of an access that lanes come to together have more lanes.
  const double Lanes = M.Requests > 0 ? M.Lanes / M.Requests : 0;
  return Lanes * Apart > 2 * WarpSize ? M.Requests : M.Requests / Apart;
}

/// Returns the ratio of each block that has a measured access.
static std::vector<std::optional<Ratio>>
measuredBlocks(const KernelSites &Kernel, const MeasuredSites &Of,
               const LaunchCounts &Counts) {
  const double Warps = Counts.Blocks.empty() ? 0 : Counts.Blocks.front().Warps;
  const double Apart = timesApart(Kernel, Of, Warps);
  // The copies of an access have what was measured together.
  std::map<const MeasuredSite *, Ratio> OfAccess;
  for (const MemorySite &Site : Kernel.Sites)
    if (const MeasuredSite *M = Of.of(Site)) {
      Ratio &R = OfAccess[M];
      R.Requests = requestsTogether(*M, Apart);
      R.Lanes = M->Lanes;
      R.Expected += Counts.Blocks[Site.Block].Warps;
      R.ExpectedLanes += Counts.Blocks[Site.Block].Lanes;
    }
  std::vector<std::optional<Ratio>> Out(Kernel.Blocks.size());
  for (const MemorySite &Site : Kernel.Sites)
    if (const MeasuredSite *M = Of.of(Site)) {
      std::optional<Ratio> &R = Out[Site.Block];
      if (!R)
        R.emplace();
      R->add(OfAccess[M]);
    }
  return Out;
}

static std::optional<int64_t> innermost(const CodeBlock &Block) {
  if (Block.Loops.empty())
    return std::nullopt;
  return Block.Loops.back().Number;
}

/// Returns the ratios of loops to which measured blocks are innermost.
static std::map<int64_t, Ratio>
measuredLoops(const KernelSites &Kernel, const LaunchCounts &Counts,
              ArrayRef<std::optional<Ratio>> Blocks) {
  std::map<int64_t, size_t> Headers;
  std::map<int64_t, Ratio> Always, Sometimes;
  for (size_t B = 0; B != Blocks.size(); ++B) {
    const std::optional<int64_t> Loop = innermost(Kernel.Blocks[B]);
    if (!Loop)
      continue;
    const size_t Header = Headers.try_emplace(*Loop, B).first->second;
    if (!Blocks[B])
      continue;
    if (Kernel.Blocks[B].Guards.size() <= Kernel.Blocks[Header].Guards.size()) {
      Always[*Loop].add(*Blocks[B]);
      continue;
    }
    const BlockCount &Once = Counts.Blocks[Header];
    const Ratio &R = *Blocks[B];
    const auto Executed = [](double Measured, double Expected, double Of) {
      return Expected > 0 ? Measured / Expected * Of : 0;
    };
    Ratio &Most = Sometimes
                      .try_emplace(*Loop, Ratio{Once.Warps, Once.Warps,
                                                Once.Lanes, Once.Lanes})
                      .first->second;
    Most.Requests = std::max(Most.Requests, Executed(R.Requests, R.Expected,
                                                     Counts.Blocks[B].Warps));
    Most.Lanes = std::max(
        Most.Lanes, Executed(R.Lanes, R.ExpectedLanes, Counts.Blocks[B].Lanes));
  }
  Always.merge(Sometimes);
  return Always;
}

bool useMeasuredCounts(const KernelSites &Kernel, const MeasuredSites &Of,
                       LaunchCounts &Counts) {
  if (Of.empty() || (Counts.AreTripCountsKnown && Counts.AreGuardsKnown))
    return false;
  std::vector<std::optional<Ratio>> Blocks = measuredBlocks(Kernel, Of, Counts);
  const std::map<int64_t, Ratio> Loops = measuredLoops(Kernel, Counts, Blocks);
  bool Changed = false;
  for (size_t B = 0; B != Blocks.size(); ++B) {
    const std::optional<int64_t> Loop = innermost(Kernel.Blocks[B]);
    if (auto It = Loop ? Loops.find(*Loop) : Loops.end();
        !Blocks[B] && It != Loops.end())
      Blocks[B] = It->second;
    if (!Blocks[B] || !(Blocks[B]->Expected > 0))
      continue;
    Changed = true;
    const double By = Blocks[B]->Requests / Blocks[B]->Expected;
    Counts.Blocks[B].Warps *= By;
    Counts.Blocks[B].Lanes *= Blocks[B]->ExpectedLanes > 0
                                  ? Blocks[B]->Lanes / Blocks[B]->ExpectedLanes
                                  : By;
    for (std::vector<double> &Warp : Counts.OfWarps)
      Warp[B] *= By;
  }
  if (Changed)
    Counts.AreTripCountsKnown = Counts.AreGuardsKnown = true;
  return Changed;
}

/// Returns the share of the sectors of M that L1 lacks, if it keeps what it can
/// of the array: each multiprocessor fetches that once, for all warps.
static double lackedShare(const MeasuredSite &M, uint64_t L1Bytes,
                          const MachineModel &Machine) {
  const double Bytes = M.Sectors * SectorBytes;
  if (!(M.ArrayBytes > 0) || !(Bytes > 0))
    return 1;
  // Other arrays pass through the other half.
  const double Held = std::min(1.0, double(L1Bytes) / 2 / M.ArrayBytes);
  const double Once =
      std::min(Bytes, Held * M.ArrayBytes * double(Machine.Multiprocessors));
  return (Once + (Bytes - Once) * (1 - Held)) / Bytes;
}

void useMeasuredRates(const KernelSites &Kernel, const MeasuredSites &Of,
                      uint64_t L1Bytes, const MachineModel &Machine,
                      std::vector<L1Rates> &Rates) {
  for (size_t I = 0; I != Rates.size(); ++I) {
    L1Rates &R = Rates[I];
    const MemorySite &Site = Kernel.Sites[I];
    const MeasuredSite *M = R.IsKnown ? nullptr : Of.of(Site);
    if (!M || !(M->Requests > 0))
      continue;
    R.IsMeasured = true;
    R.Lanes = M->Lanes / M->Requests;
    R.Units = M->Sectors / M->Requests;
    R.Lines = M->Lines / M->Requests;
    R.Addresses = M->Addresses / M->Requests;
    R.Passes = std::min(std::max(1.0, R.Passes), R.Lines);
    R.Cycles = loadUnitCycles(unsigned(std::lround(R.Passes)),
                              unsigned(std::lround(R.Lines)), Machine);
    R.ArrayBytes = M->ArrayBytes;
    if (Site.Kind != SiteKind::Load)
      continue;
    const double Missed =
        std::min(M->FreshShare, lackedShare(*M, L1Bytes, Machine));
    R.MissedSectors = R.Units * Missed;
    R.UsedSectors =
        std::min(R.MissedSectors, R.Addresses * Site.Piece / SectorBytes);
    R.MissedLines = R.Lines * Missed;
    R.WaitShare = std::min(1.0, R.MissedSectors);
  }
}

ArraySizes measuredSizes(const KernelSites &Kernel, const MeasuredSites &Of) {
  ArraySizes Out;
  for (const MemorySite &Site : Kernel.Sites) {
    const MeasuredSite *M = Of.of(Site);
    StringRef Base = Site.Base;
    unsigned Param = 0;
    // Pointers within a parameter may lead to different arrays.
    if (M && M->ArrayBytes > 0 && Base.consume_front("arg") &&
        !Base.getAsInteger(10, Param))
      Out[Param] = std::max(Out[Param], M->ArrayBytes);
  }
  return Out;
}

double bytesFromMemory(double Bytes, double ArrayBytes,
                       const MachineModel &Machine) {
  if (!(ArrayBytes > 0))
    return Bytes;
  // What L2 has of the array when it is asked for, once it has seen all of it.
  const double Held = std::min(1.0, double(Machine.L2Bytes) / ArrayBytes);
  const double Once = std::min(Bytes, ArrayBytes);
  return Once + (Bytes - Once) * (1 - Held);
}

} // namespace gridspan
