//===- SharedMemoryReuse.cpp - Bytes that the threads of a block read -----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works on the sampled requests of one block. The bytes that a loop touches
// grow by the same number with each iteration, so that a window of iterations
// tells what all of them touch.
//
// The tiled kernel reads every distinct byte once, side by side, writes it to
// shared memory, and then reads shared memory in place of L1: the same number
// of requests, each as many passes as its words meet in banks. That is less
// than L1 takes where requests cross lines (an L1 request takes a pass for each
// of two lines), and saves L2 traffic where the data did not stay in L1.
//
// A product of matrices is tiled as one, in blocks of another shape where
// those of the launch share nothing (TiledProducts.cpp).
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/reuse/SharedMemoryReuse.h"
#include "analysis/advice/reuse/TileShape.h"
#include "analysis/advice/reuse/TiledProducts.h"
#include "analysis/advice/warpsim/ArraySpan.h"
#include "analysis/machine/WarpRequest.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace gridspan {

/// The gain from which on a tile is worth its code.
static constexpr double MinGain = 1.15;

/// How many times what a block reads the box around it may be.
static constexpr double MostOfTile = 8;

/// Bytes of shared memory for a tile: with more, fewer blocks are resident.
static constexpr double MaxTileBytes = 24 << 10;

/// Reads of each byte below which there is nothing to copy.
static constexpr double MinFactor = 2;

/// Share of the sectors from which on L1 is what serves an array.
static constexpr double ServedShare = 0.5;

/// Instructions that copy 4 bytes of a lane into the tile.
static constexpr double CopyInstructions = 6;

namespace {

class ReuseAnalysis {
public:
  ReuseAnalysis(const KernelSites &Kernel, const WarpTrace &Trace,
                const LaunchValues &Launch, const MachineModel &Machine);
  SharedMemoryReuse run();

private:
  void measure(ArrayReuse &A) const;
  void fitTile(ArrayReuse &A) const;
  void judge(ArrayReuse &A) const;
  double readsOfLaunch(uint32_t Site) const;
  void findArrays();
  void tileProducts();
  void findOrdered();
  ResourceTimes timeOf(const KernelSites &Timed, const MemoryCounts &Counts,
                       ArrayRef<double> Extra) const;

  const KernelSites &Kernel;
  const WarpTrace &Trace;
  const LaunchValues &Launch;
  const MachineModel &Machine;
  std::vector<SiteAddress> Addresses;
  MemoryCounts Now;
  unsigned WarpsOfBlock;
  SharedMemoryReuse Out;
};

} // namespace

ReuseAnalysis::ReuseAnalysis(const KernelSites &Kernel, const WarpTrace &Trace,
                             const LaunchValues &Launch,
                             const MachineModel &Machine)
    : Kernel(Kernel), Trace(Trace), Launch(Launch), Machine(Machine),
      Addresses(presentAddresses(Kernel)),
      Now(replayTrace(Kernel, Trace, Machine, Addresses)),
      WarpsOfBlock(Trace.SampledWarps / std::max(1u, Trace.SampledBlocks)) {}

ResourceTimes ReuseAnalysis::timeOf(const KernelSites &Timed,
                                    const MemoryCounts &Counts,
                                    ArrayRef<double> Extra) const {
  // Every byte comes from DRAM once, with or without a tile.
  DramTraffic Dram;
  for (size_t A = 0; A != Counts.Arrays.size(); ++A) {
    ArraySpan Load = arraySpan(Kernel, Trace, Addresses, A, /*OfLoads=*/true),
              Store = arraySpan(Kernel, Trace, Addresses, A, /*OfLoads=*/false);
    if (!Load.IsKnown || !Store.IsKnown)
      continue;
    Dram.ReadBytes += std::min(Counts.Arrays[A].LoadBytes, Load.bytes());
    Dram.WriteBytes += std::min(Counts.Arrays[A].StoreBytes, Store.bytes());
  }
  return resourceTimes(Timed, Trace, Counts, Dram, Machine, Extra);
}

void ReuseAnalysis::measure(ArrayReuse &A) const {
  DenseSet<uint32_t> Sites(A.Sites.begin(), A.Sites.end());
  // Bytes of each step of the loop in turn: sites recur in program order.
  std::vector<double> Grown;
  DenseSet<int64_t> Bytes;
  double Hits = 0;
  uint32_t First = A.Sites.front();
  bool IsOpen = false;
  for (const TraceEvent &Event : Trace.Events) {
    if (Event.Warp >= WarpsOfBlock || !Sites.contains(Event.Site) ||
        Event.Weight == 0)
      continue;
    // The first site's first warp again: another iteration.
    if (Event.Site == First && Event.Warp == 0 && IsOpen)
      Grown.push_back(double(Bytes.size()));
    IsOpen = true;
    const MemorySite &Site = Kernel.Sites[Event.Site];
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
      if (Event.Active >> Lane & 1) {
        A.LoadedBytes += Event.Weight * Site.Size;
        for (unsigned B = 0; B != Site.Size; ++B)
          Bytes.insert(Event.Offset[Lane] + B);
      }
  }
  Grown.push_back(double(Bytes.size()));
  A.FirstBytes = Grown.front();
  A.StepBytes = Grown.size() > 1
                    ? (Grown.back() - Grown.front()) / double(Grown.size() - 1)
                    : 0;
  for (const SiteLoop &L : Kernel.Sites[First].Loops)
    if (auto It = Trace.Trips.find(L.Number); It != Trace.Trips.end())
      A.Trips = It->second;
  A.DistinctBytes = A.FirstBytes + (A.Trips - 1) * A.StepBytes;
  for (uint32_t Site : A.Sites)
    Hits += std::max(0.0, Now.HitShare[Site]);
  A.HitShare = Hits / double(A.Sites.size());
}

void ReuseAnalysis::fitTile(ArrayReuse &A) const {
  A.TileBytes = A.DistinctBytes;
  A.TileIterations = A.Trips;
  if (A.TileBytes > MaxTileBytes && A.StepBytes > 0) {
    A.TileIterations =
        std::floor((MaxTileBytes - A.FirstBytes) / A.StepBytes) + 1;
    // A power of two divides what there is.
    A.TileIterations =
        A.TileIterations < 1
            ? 0
            : double(llvm::bit_floor(uint64_t(A.TileIterations)));
    A.TileBytes = A.FirstBytes + (A.TileIterations - 1) * A.StepBytes;
  }
  if (A.TileIterations < 1 || A.TileBytes > MaxTileBytes)
    return;
  DenseSet<uint32_t> Sites(A.Sites.begin(), A.Sites.end());
  std::vector<TraceEvent> Others;
  WarpTrace Rest = Trace;
  Rest.Events.clear();
  double SharedCycles = 0;
  for (const TraceEvent &Event : Trace.Events) {
    if (!Sites.contains(Event.Site)) {
      Rest.Events.push_back(Event);
      continue;
    }
    WarpRequest Request;
    const MemorySite &Site = Kernel.Sites[Event.Site];
    Request.Size = std::max(1u, Site.Piece);
    // In the tile, rows of what is touched follow each other: neighbours stay
    // neighbours, and equal stays equal.
    int64_t Base = 0;
    bool IsFirst = true;
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
      if (Event.Active >> Lane & 1) {
        if (IsFirst)
          Base = Event.Offset[Lane];
        IsFirst = false;
        Request.add(Lane,
                    uint64_t(Event.Offset[Lane] - Base) + (uint64_t(1) << 40));
      }
    SharedCycles += Event.Weight *
                    sharedWavefrontsOf(Request, SharedAccess::Load) *
                    (Site.Size / std::max(1u, Site.Piece));
  }
  MemoryCounts Counts = replayTrace(Kernel, Rest, Machine, Addresses);
  // Unfilled sectors at the edges are not counted.
  double Copied = Trace.BlocksOfLaunch * A.DistinctBytes;
  double CopyRequests = Copied / 128;
  Counts.L1Cycles += SharedCycles * Trace.scale() + 2 * CopyRequests;
  Counts.Requests += 2 * CopyRequests;
  Counts.Arrays[Addresses[A.Sites.front()].Array].LoadBytes += Copied;
  // Latency of the loads from the tile is that of shared memory.
  for (uint32_t Site : A.Sites)
    Counts.HitShare[Site] = 1;
  std::vector<double> Extra(Kernel.Work.size());
  double Steps = A.Trips / std::max(1.0, A.TileIterations);
  if (!Extra.empty())
    Extra.front() = CopyInstructions * A.DistinctBytes /
                        (4 * 32 * std::max(1u, WarpsOfBlock)) +
                    2 * Steps;
  // Addresses in a tile are constants of an unrolled loop.
  for (size_t L = 0; L != Kernel.Work.size(); ++L) {
    const WorkLevel &Level = Kernel.Work[L];
    const auto &Loops = Kernel.Sites[A.Sites.front()].Loops;
    if (!Level.Loops.empty() && Loops.size() == Level.Loops.size() &&
        Loops.back().Number == Level.Loops.back().Number)
      Extra[L] += std::min(0.0, double(A.Sites.size()) + Level.Fp32 +
                                    Level.Fp64 + Level.Sfu - Level.Issue);
  }
  A.Tiled = timeOf(Kernel, Counts, Extra);
  A.Tiled.Launch += Machine.TileCycles * Steps * Trace.TotalWarps /
                    (Machine.Multiprocessors * Machine.ClockGHz * 1e9);
}

/// Decides on what measure() and fitTile() found.
void ReuseAnalysis::judge(ArrayReuse &A) const {
  if (A.TileIterations < 1 || A.TileBytes > MaxTileBytes) {
    A.Reason = SharedMemoryReuseReason::TooLarge;
    return;
  }
  if (Out.Now.seconds() < MinGain * A.Tiled.seconds()) {
    A.Reason = A.HitShare >= ServedShare ? SharedMemoryReuseReason::ServedByL1
                                         : SharedMemoryReuseReason::NoGain;
    return;
  }
  A.Reason = SharedMemoryReuseReason::None;
  A.IsRecommended = true;
}

/// Returns how often the launch reads each byte that the site touches.
double ReuseAnalysis::readsOfLaunch(uint32_t Site) const {
  const OffsetRange &R = Trace.Ranges[Site];
  double Bytes = 0;
  for (const TraceEvent &Event : Trace.Events)
    if (Event.Site == Site)
      Bytes +=
          Event.Weight * llvm::popcount(Event.Active) * Kernel.Sites[Site].Size;
  return R.isEmpty() ? 1
                     : Bytes * Trace.scale() /
                           double(R.Hi - R.Lo + Kernel.Sites[Site].Size);
}

void ReuseAnalysis::tileProducts() {
  for (TiledProduct &P : findProducts(Kernel, Trace)) {
    MemoryCounts Counts = countsOfTiles(Kernel, Trace, Machine, Addresses, P);
    std::vector<double> Extra(Kernel.Work.size());
    for (size_t L = 0; L != Kernel.Work.size(); ++L)
      if (!Kernel.Work[L].Loops.empty() &&
          Kernel.Work[L].Loops.back().Number ==
              Kernel.Sites[P.First].Loops.back().Number)
        // Two loads of an unrolled loop whose addresses are constants.
        Extra[L] = 2 + Kernel.Work[L].Fp32 + Kernel.Work[L].Fp64 +
                   2 * CopyInstructions / P.Side - Kernel.Work[L].Issue;
    P.Tiled = timeOf(Kernel, Counts, Extra);
    P.Reads = {readsOfLaunch(P.First), readsOfLaunch(P.Second)};
    P.Bases = {Kernel.Sites[P.First].Base, Kernel.Sites[P.Second].Base};
    P.Where = Kernel.Sites[P.Second].Where;
    if (Out.Now.seconds() >= MinGain * P.Tiled.seconds())
      P.IsRecommended = true;
    else
      P.Reason =
          std::min(Now.HitShare[P.First], Now.HitShare[P.Second]) >= ServedShare
              ? SharedMemoryReuseReason::ServedByL1
              : SharedMemoryReuseReason::NoGain;
    Out.Products.push_back(P);
  }
}

/// Returns true if the value changes with the iteration of the loop.
static bool dependsOn(const ExprGraph &Graph, ExprId Id, int64_t Loop) {
  return Graph.findBelow(Id, [&](const ExprNode &Node) {
    return (Node.Kind == ExprKind::Iter && Node.B == Loop) ||
           Node.Kind == ExprKind::Unknown || Node.Kind == ExprKind::Merge;
  }) != NoExpr;
}

void ReuseAnalysis::findOrdered() {
  for (size_t L = 0; L != Kernel.Work.size(); ++L) {
    if (!Kernel.Work[L].AreLoadsOrdered)
      continue;
    int64_t Loop = Kernel.Work[L].Loops.back().Number;
    auto IsInLoop = [&](const MemorySite &Site) {
      return Site.Space == MemorySpace::Global && !Site.Base.empty() &&
             !Site.IsNoAlias && !Site.Loops.empty() &&
             Site.Loops.back().Number == Loop;
    };
    std::optional<OrderedLoad> Found;
    DenseSet<uint32_t> Repeated;
    for (uint32_t I = 0; I != Kernel.Sites.size(); ++I) {
      const MemorySite &Load = Kernel.Sites[I];
      if (Load.Kind != SiteKind::Load || !IsInLoop(Load))
        continue;
      for (uint32_t J = 0; J != Kernel.Sites.size(); ++J) {
        const MemorySite &Store = Kernel.Sites[J];
        if (Store.Kind == SiteKind::Load || !IsInLoop(Store) ||
            Store.Base == Load.Base)
          continue;
        bool IsRepeated = !dependsOn(Kernel.Exprs, Load.Offset, Loop);
        if (!Found || (IsRepeated && !Found->IsRepeated))
          Found = OrderedLoad{I, J, IsRepeated, {}, false};
        if (IsRepeated)
          Repeated.insert(I);
      }
    }
    if (!Found)
      continue;
    KernelSites Free = Kernel;
    Free.Work[L].AreLoadsOrdered = false;
    WarpTrace Rest = Trace;
    erase_if(Rest.Events, [&](const TraceEvent &Event) {
      return Repeated.contains(Event.Site);
    });
    std::vector<double> Extra(Kernel.Work.size());
    Extra[L] = -double(Repeated.size());
    Found->Free =
        timeOf(Free, replayTrace(Kernel, Rest, Machine, Addresses), Extra);
    Found->IsRecommended = Out.Now.seconds() >= MinGain * Found->Free.seconds();
    Out.Ordered.push_back(*Found);
  }
}

void ReuseAnalysis::findArrays() {
  MapVector<std::pair<StringRef, int64_t>, ArrayReuse> Arrays;
  for (uint32_t I = 0; I != Kernel.Sites.size(); ++I) {
    const MemorySite &Site = Kernel.Sites[I];
    if (Site.Space != MemorySpace::Global || Site.Kind != SiteKind::Load ||
        Site.Base.empty() || Site.Size == 0)
      continue;
    int64_t Loop = Site.Loops.empty() ? -1 : Site.Loops.back().Number;
    // Deeper nests grow in more than one direction.
    SharedMemoryReuseReason Reason =
        Trace.IsScattered[I]    ? SharedMemoryReuseReason::LoadedAddresses
        : Site.Loops.size() > 1 ? SharedMemoryReuseReason::NestedLoops
                                : SharedMemoryReuseReason::ReadOnce;
    if (Reason == SharedMemoryReuseReason::NestedLoops &&
        readsOfLaunch(I) < MinFactor)
      continue;
    // Those that are not looked at are one for each reason.
    if (Reason != SharedMemoryReuseReason::ReadOnce)
      Loop = -1 - int64_t(Reason);
    ArrayReuse &A = Arrays[{Site.Base, Loop}];
    A.Base = Site.Base;
    A.Reason = Reason;
    A.Sites.push_back(I);
    if (A.Where.empty())
      A.Where = Site.Where;
  }
  for (auto &[Key, A] : Arrays) {
    if (A.Reason == SharedMemoryReuseReason::ReadOnce) {
      measure(A);
      if (A.DistinctBytes > 0 && A.factor() >= MinFactor) {
        fitTile(A);
        judge(A);
        A.Shape = tileShape(Kernel, A.Sites, Trace, Launch);
        // A box of which the block reads but a part is no tile: its loads are
        // far apart.
        if (A.Shape && A.Shape->bytes() > MostOfTile * A.DistinctBytes)
          A.Shape.reset();
      }
      // The product's tiles are better.
      for (const TiledProduct &P : Out.Products)
        if (P.IsRecommended &&
            (is_contained(A.Sites, P.First) || is_contained(A.Sites, P.Second)))
          A.IsRecommended = false;
    }
    Out.Arrays.push_back(std::move(A));
  }
}

SharedMemoryReuse ReuseAnalysis::run() {
  Out.Now = timeOf(Kernel, Now, {});
  tileProducts();
  findArrays();
  findOrdered();
  return std::move(Out);
}

SharedMemoryReuse analyzeReuse(const KernelSites &Kernel,
                               const WarpTrace &Trace,
                               const LaunchValues &Launch,
                               const MachineModel &Machine) {
  if (Trace.Events.empty())
    return {};
  return ReuseAnalysis(Kernel, Trace, Launch, Machine).run();
}

} // namespace gridspan
