//===- Reuse.cpp - Bytes that the threads of a block read again ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the sampled requests of one block. The bytes that a loop touches grow by
// the same number with each iteration, so that a window of iterations tells
// what all of them touch.
//
// The staged kernel reads every distinct byte once, side by side, writes it to
// shared memory, and then reads shared memory in place of L1: the same number
// of requests, each as many passes as its words meet in banks. That is less
// than L1 takes where requests cross lines (an L1 request takes a pass for each
// of two lines), and saves L2 traffic where the data did not stay in L1.
//
//===----------------------------------------------------------------------===//

#include "gridspan/Analysis/Reuse.h"
#include "gridspan/Analysis/WarpRequest.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace gridspan {

/// What a stage must gain to be worth its code.
static constexpr double MinGain = 1.15;

/// Bytes of shared memory for a stage: with more, fewer blocks are resident.
static constexpr double MaxStage = 24 << 10;

/// Reads of each byte below which there is nothing to stage.
static constexpr double MinFactor = 2;

/// Instructions that copy 4 bytes of a lane into the stage.
static constexpr double CopyInstructions = 6;

namespace {

class ReuseAnalysis {
public:
  ReuseAnalysis(const KernelSites &Kernel, const LaunchTrace &Trace,
                const MachineModel &Machine);
  KernelReuse run();

private:
  void measure(ArrayReuse &A) const;
  void stage(ArrayReuse &A) const;
  void findOrdered();
  LaunchTime timeOf(const KernelSites &Timed, const MemoryCounts &Counts,
                    ArrayRef<double> Extra) const;

  const KernelSites &Kernel;
  const LaunchTrace &Trace;
  const MachineModel &Machine;
  std::vector<SitePlacement> Placements;
  MemoryCounts Now;
  unsigned WarpsOfBlock;
  KernelReuse Out;
};

} // namespace

ReuseAnalysis::ReuseAnalysis(const KernelSites &Kernel,
                             const LaunchTrace &Trace,
                             const MachineModel &Machine)
    : Kernel(Kernel), Trace(Trace), Machine(Machine),
      Placements(presentPlacements(Kernel)),
      Now(replay(Kernel, Trace, Machine, Placements)),
      WarpsOfBlock(Trace.SampledWarps / std::max(1u, Trace.SampledBlocks)) {}

LaunchTime ReuseAnalysis::timeOf(const KernelSites &Timed,
                                 const MemoryCounts &Counts,
                                 ArrayRef<double> Extra) const {
  // Every byte comes from DRAM once, with or without a stage.
  DramTraffic Dram;
  for (size_t A = 0; A != Counts.Arrays.size(); ++A) {
    OffsetRange Load, Store;
    bool IsKnown = true;
    for (size_t I = 0; I != Kernel.Sites.size(); ++I) {
      if (Placements[I].Array != A ||
          Kernel.Sites[I].Space != MemorySpace::Global)
        continue;
      const OffsetRange &R = Trace.Ranges[I];
      IsKnown &= !R.isEmpty();
      OffsetRange &Span = Kernel.Sites[I].Kind == SiteKind::Load ? Load : Store;
      Span = Span.isEmpty() ? R
                            : OffsetRange{std::min(Span.Lo, R.Lo),
                                          std::max(Span.Hi, R.Hi)};
    }
    auto bytesOf = [&](const OffsetRange &R, double Asked) {
      if (!IsKnown)
        return 0.0;
      return R.isEmpty() ? 0 : std::min(Asked, double(R.Hi - R.Lo));
    };
    Dram.ReadBytes += bytesOf(Load, Counts.Arrays[A].LoadBytes);
    Dram.WriteBytes += bytesOf(Store, Counts.Arrays[A].StoreBytes);
  }
  return launchTime(Timed, Trace, Counts, Dram, Machine, Extra);
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

void ReuseAnalysis::stage(ArrayReuse &A) const {
  A.StageBytes = A.DistinctBytes;
  A.StageIterations = A.Trips;
  if (A.StageBytes > MaxStage && A.StepBytes > 0) {
    A.StageIterations = std::floor((MaxStage - A.FirstBytes) / A.StepBytes) + 1;
    // A power of two divides what there is.
    A.StageIterations =
        A.StageIterations < 1
            ? 0
            : double(llvm::bit_floor(uint64_t(A.StageIterations)));
    A.StageBytes = A.FirstBytes + (A.StageIterations - 1) * A.StepBytes;
  }
  if (A.StageIterations < 1 || A.StageBytes > MaxStage)
    return;
  DenseSet<uint32_t> Sites(A.Sites.begin(), A.Sites.end());
  std::vector<TraceEvent> Others;
  LaunchTrace Rest = Trace;
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
    // In the stage, rows of what is touched follow each other: neighbours stay
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
  MemoryCounts Counts = replay(Kernel, Rest, Machine, Placements);
  // Unfilled sectors at the edges are not counted.
  double Copied = Trace.BlocksOfLaunch * A.DistinctBytes;
  double CopyRequests = Copied / 128;
  Counts.L1Cycles += SharedCycles * Trace.scale() + 2 * CopyRequests;
  Counts.Requests += 2 * CopyRequests;
  Counts.Arrays[Placements[A.Sites.front()].Array].LoadBytes += Copied;
  // Latency of the staged loads is that of shared memory.
  for (uint32_t Site : A.Sites)
    Counts.HitShare[Site] = 1;
  std::vector<double> Extra(Kernel.Work.size());
  double Steps = A.Trips / std::max(1.0, A.StageIterations);
  if (!Extra.empty())
    Extra.front() = CopyInstructions * A.DistinctBytes /
                        (4 * 32 * std::max(1u, WarpsOfBlock)) +
                    2 * Steps;
  A.Staged = timeOf(Kernel, Counts, Extra);
  A.IsRecommended = A.factor() >= MinFactor &&
                    Out.Now.seconds() >= MinGain * A.Staged.seconds();
}

/// Whether the value changes with the iteration of the loop.
static bool dependsOn(const ExprPool &Pool, ExprId Id, int64_t Loop) {
  DenseSet<ExprId> Seen;
  SmallVector<ExprId, 16> Work = {Id};
  while (!Work.empty()) {
    ExprId At = Work.pop_back_val();
    if (At == NoExpr || !Seen.insert(At).second)
      continue;
    const ExprNode &Node = Pool[At];
    if ((Node.Kind == ExprKind::Iter && Node.B == Loop) ||
        Node.Kind == ExprKind::Unknown || Node.Kind == ExprKind::Merge)
      return true;
    Work.append(Node.Ops.begin(), Node.Ops.end());
  }
  return false;
}

void ReuseAnalysis::findOrdered() {
  for (size_t L = 0; L != Kernel.Work.size(); ++L) {
    if (!Kernel.Work[L].AreLoadsOrdered)
      continue;
    int64_t Loop = Kernel.Work[L].Loops.back().Number;
    auto isInLoop = [&](const MemorySite &Site) {
      return Site.Space == MemorySpace::Global && !Site.Base.empty() &&
             !Site.IsNoAlias && !Site.Loops.empty() &&
             Site.Loops.back().Number == Loop;
    };
    std::optional<OrderedLoad> Found;
    DenseSet<uint32_t> Repeated;
    for (uint32_t I = 0; I != Kernel.Sites.size(); ++I) {
      const MemorySite &Load = Kernel.Sites[I];
      if (Load.Kind != SiteKind::Load || !isInLoop(Load))
        continue;
      for (uint32_t J = 0; J != Kernel.Sites.size(); ++J) {
        const MemorySite &Store = Kernel.Sites[J];
        if (Store.Kind == SiteKind::Load || !isInLoop(Store) ||
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
    LaunchTrace Rest = Trace;
    erase_if(Rest.Events, [&](const TraceEvent &Event) {
      return Repeated.contains(Event.Site);
    });
    std::vector<double> Extra(Kernel.Work.size());
    Extra[L] = -double(Repeated.size());
    Found->Free =
        timeOf(Free, replay(Kernel, Rest, Machine, Placements), Extra);
    Found->IsRecommended = Out.Now.seconds() >= MinGain * Found->Free.seconds();
    Out.Ordered.push_back(*Found);
  }
}

KernelReuse ReuseAnalysis::run() {
  Out.Now = timeOf(Kernel, Now, {});
  MapVector<std::pair<StringRef, int64_t>, ArrayReuse> Arrays;
  for (uint32_t I = 0; I != Kernel.Sites.size(); ++I) {
    const MemorySite &Site = Kernel.Sites[I];
    // Deeper nests grow in more than one direction.
    if (Site.Space != MemorySpace::Global || Site.Kind != SiteKind::Load ||
        Site.Base.empty() || Site.Size == 0 || Trace.IsScattered[I] ||
        Site.Loops.size() > 1)
      continue;
    int64_t Loop = Site.Loops.empty() ? -1 : Site.Loops.back().Number;
    ArrayReuse &A = Arrays[{Site.Base, Loop}];
    A.Base = Site.Base;
    A.Sites.push_back(I);
    if (A.Where.empty())
      A.Where = Site.Where;
  }
  for (auto &[Key, A] : Arrays) {
    measure(A);
    if (A.DistinctBytes > 0 && A.factor() >= MinFactor)
      stage(A);
    Out.Arrays.push_back(std::move(A));
  }
  findOrdered();
  return std::move(Out);
}

KernelReuse analyzeReuse(const KernelSites &Kernel, const LaunchTrace &Trace,
                         const MachineModel &Machine) {
  if (Trace.Events.empty())
    return {};
  return ReuseAnalysis(Kernel, Trace, Machine).run();
}

std::string reuseMessage(const ArrayReuse &A) {
  return formatv("the threads of a block read {0:f0} bytes of {1} {2:f1} times "
                 "each, {3:P0} of their sectors from L1",
                 A.DistinctBytes, A.Base, A.factor(), A.HitShare);
}

std::string reuseAdvice(const KernelReuse &Kernel, const ArrayReuse &A) {
  std::string How;
  double Halo = (A.Trips - 1) * A.StepBytes;
  if (A.StageIterations < A.Trips)
    How = formatv("{0:f0} iterations at a time, {1:f0} bytes",
                  A.StageIterations, A.StageBytes);
  else if (A.StepBytes > 0 && Halo < A.FirstBytes * 4)
    How = formatv("a tile of {0:f0} bytes and a halo of {1:f0}", A.FirstBytes,
                  Halo);
  else
    How = formatv("{0:f0} bytes", A.StageBytes);
  return formatv("stage them in shared memory ({0}): predicted {1:f2} times as "
                 "fast",
                 How, Kernel.Now.seconds() / A.Staged.seconds());
}

std::string orderedMessage(const KernelSites &Kernel, const OrderedLoad &L) {
  return formatv(
      "the load from {0} {1}, as the store to {2} may change what it "
      "reads",
      Kernel.Sites[L.Site].Base,
      L.IsRepeated ? "is repeated in each iteration"
                   : "waits for the iteration before",
      Kernel.Sites[L.Store].Base);
}

std::string orderedAdvice(const KernelSites &Kernel, const KernelReuse &Reuse,
                          const OrderedLoad &L) {
  return formatv(
      "declare {0} const __restrict__ and {1} __restrict__ if they do "
      "not overlap: predicted {2:f2} times as fast",
      Kernel.Sites[L.Site].Base, Kernel.Sites[L.Store].Base,
      Reuse.Now.seconds() / L.Free.seconds());
}

} // namespace gridspan
