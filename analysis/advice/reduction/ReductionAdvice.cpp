//===- ReductionAdvice.cpp - Does a launch keep the memory busy? ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Under way: the warps that are resident times what each has asked for and not
// got, which is one request of each load of a loop, times the iterations that
// the compiler unrolls.
//
// A kernel that gathers and is bound by latency, by uncoalesced rows or by
// atomics could be one that reads its bytes once, side by side, in blocks of
// 256 threads with eight loads of 16 bytes under way: that reaches the
// bandwidth of bench/layout/reductions.cu, and ends with one more exchange
// through shared memory.
//
// A kernel whose threads join already needs enough blocks. Where its loop steps
// with the grid, the launch is looked at again with other grids; else more
// blocks divide the time that is spent waiting, as far as they are resident
// together.
//
// Addresses of atomics that are loaded may be any: they are counters only if
// bounds of the index say that there are few.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/reduction/ReductionAdvice.h"
#include "analysis/advice/sites/ValueBounds.h"
#include "analysis/advice/warpsim/ArraySpan.h"
#include "analysis/expr/LaunchDefaults.h"
#include "analysis/machine/WarpRequest.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace gridspan {

/// The gain from which on restructuring is worth it, and another number of
/// blocks.
static constexpr double MinGain = 1.3, MinBlocksGain = 1.15;

/// Bytes of a load of the advised form.
static constexpr unsigned LoadBytes = 16;

/// Loads under way in a thread of the advised form.
static constexpr double AdvisedLoads = 8;

/// Share of the best that is enough of a reason to stop adding blocks.
static constexpr double NearlyBest = 0.95;

/// Counters that fit into shared memory beside other blocks'.
static constexpr uint64_t MaxCounterBytes = 32 << 10;

/// Reads of a byte by the launch up to which it counts as read once.
static constexpr double ReadsOfOnce = 1.5;

/// The share of the bytes that must be of arrays that are read about once.
static constexpr double ReadOnceShare = 0.8;

/// The bytes that a reduction stores over those that it loads, at most.
static constexpr double StoredShare = 0.25;

/// Threads that store more of what they load keep all of their sums.
static constexpr double ScanShare = 0.5;

namespace {

class ReductionAnalysis {
public:
  ReductionAnalysis(const KernelSites &Kernel, const WarpTrace &Trace,
                    const LaunchValues &Launch, const MachineModel &Machine)
      : Kernel(Kernel), Trace(Trace), Launch(Launch), Machine(Machine),
        Addresses(presentAddresses(Kernel)) {
    // Loops whose steps are not constant are not unrolled, so that a load waits
    // for the one before.
    for (WorkLevel &Level : this->Kernel.Work)
      Level.AreLoadsOrdered |= hasVariableStep(Level);
  }
  ReductionAdvice run();

private:
  struct ArrayBytes {
    double Distinct = 0, Lanes = 0;
  };

  bool hasVariableStep(const WorkLevel &Level) const;
  void countBytes();
  void classify();
  void findLoop();
  std::optional<uint64_t> counterBytes() const;
  ResourceTimes timeOf(const WarpTrace &Of) const;
  void findUnderWay();
  void adviseForm();
  void adviseBlocks();
  void compareWithHost();
  ReductionAdviceReason reasonToStay() const;
  bool isStream() const;

  KernelSites Kernel;
  const WarpTrace &Trace;
  const LaunchValues &Launch;
  const MachineModel &Machine;
  std::vector<SiteAddress> Addresses;
  MemoryCounts Counts;
  std::vector<ArrayBytes> Arrays;
  double LoadedLanes = 0, StoredLanes = 0; ///< bytes
  bool IsLaunchOnly = false; ///< the advice is another number of blocks
  bool IsInL2 = false;
  ReductionAdvice Out;
};

} // namespace

static bool contains(const ExprGraph &Graph, ExprId Id,
                     function_ref<bool(const ExprNode &)> Is) {
  return Graph.findBelow(Id, Is) != NoExpr;
}

/// Returns true if the address moves from one iteration of the loop to the next
/// by an amount that has a dimension of that kind in it.
static bool stepsWith(const ExprGraph &Graph, ExprId Offset, int64_t Loop,
                      ExprKind Kind) {
  auto IsOfLoop = [&](const ExprNode &Node) {
    return Node.Kind == ExprKind::Iter && Node.B == Loop;
  };
  auto IsKind = [&](const ExprNode &Node) { return Node.Kind == Kind; };
  return contains(Graph, Offset, [&](const ExprNode &Node) {
    if (IsOfLoop(Node))
      return contains(Graph, Node.Ops[1], IsKind);
    if (Node.Kind != ExprKind::Mul)
      return false;
    for (unsigned I : {0u, 1u})
      if (contains(Graph, Node.Ops[I], IsOfLoop) &&
          contains(Graph, Node.Ops[1 - I], IsKind))
        return true;
    return false;
  });
}

bool ReductionAnalysis::hasVariableStep(const WorkLevel &Level) const {
  if (Level.Loops.empty())
    return false;
  int64_t Loop = Level.Loops.back().Number;
  return any_of(Kernel.Sites, [&](const MemorySite &Site) {
    return !Site.Loops.empty() && Site.Loops.back().Number == Loop &&
           (stepsWith(Kernel.Exprs, Site.Offset, Loop, ExprKind::GridDim) ||
            stepsWith(Kernel.Exprs, Site.Offset, Loop, ExprKind::BlockDim));
  });
}

/// Returns true if neighbouring lanes load neighbouring elements at the site.
static bool isSideBySide(const MemorySite &Site, uint32_t Index,
                         const WarpTrace &Trace) {
  bool Any = false;
  for (const TraceEvent &Event : Trace.Events) {
    if (Event.Site != Index)
      continue;
    for (unsigned Lane = 1; Lane != 32; ++Lane) {
      if ((Event.Active >> (Lane - 1) & 3) != 3)
        continue;
      if (Event.Offset[Lane] - Event.Offset[Lane - 1] != int64_t(Site.Size))
        return false;
      Any = true;
    }
  }
  return Any && !Trace.IsScattered[Index];
}

/// Distinct bytes are those between the lowest and the highest offset of each
/// array; of scattered ones, all.
void ReductionAnalysis::countBytes() {
  Arrays.resize(Counts.Arrays.size());
  for (const TraceEvent &Event : Trace.Events) {
    const MemorySite &Site = Kernel.Sites[Event.Site];
    if (Site.Space != MemorySpace::Global)
      continue;
    double Bytes =
        Event.Weight * Trace.scale() * llvm::popcount(Event.Active) * Site.Size;
    (Site.Kind == SiteKind::Load ? LoadedLanes : StoredLanes) += Bytes;
    if (Site.Kind == SiteKind::Load)
      Arrays[Addresses[Event.Site].Array].Lanes += Bytes;
  }
  for (size_t A = 0; A != Arrays.size(); ++A) {
    ArraySpan Span = arraySpan(Kernel, Trace, Addresses, A, /*OfLoads=*/true);
    double Asked = Counts.Arrays[A].LoadBytes;
    Arrays[A].Distinct = Span.isEmpty() ? Asked : std::min(Asked, Span.bytes());
    Out.Bytes += Arrays[A].Distinct;
  }
}

/// Returns true for a reduction: what reads its data again and again is none of
/// an array; a short vector beside a long array may be read again.
bool ReductionAnalysis::isStream() const {
  double Streamed = 0;
  for (const ArrayBytes &A : Arrays)
    if (A.Lanes < ReadsOfOnce * A.Distinct)
      Streamed += A.Distinct;
  return Out.Bytes > 0 && Streamed >= ReadOnceShare * Out.Bytes;
}

/// Returns the bytes that atomics with loaded addresses may go to, if known.
std::optional<uint64_t> ReductionAnalysis::counterBytes() const {
  uint64_t Sum = 0;
  for (size_t I = 0; I != Kernel.Sites.size(); ++I) {
    const MemorySite &Site = Kernel.Sites[I];
    if (Site.Kind != SiteKind::Atomic || Site.Space != MemorySpace::Global ||
        !Trace.IsScattered[I])
      continue;
    std::optional<ValueBounds> B = offsetBounds(Kernel.Exprs, Site);
    if (!B || B->size() > MaxCounterBytes || Site.IsResultUsed)
      return std::nullopt;
    Sum += B->size() - 1 + Site.Size;
  }
  return Sum && Sum <= MaxCounterBytes ? std::optional(Sum) : std::nullopt;
}

void ReductionAnalysis::classify() {
  double Known = Counts.SameAddress;
  bool HasGather = any_of(Kernel.Work, [](const WorkLevel &Level) {
    return Level.HasReduction && !Level.Loops.empty();
  });
  if (Counts.ScatteredLanes > 0.5 * Counts.AtomicLanes) {
    std::optional<uint64_t> Bytes = counterBytes();
    Out.Kind = Bytes ? ReductionKind::Counters : ReductionKind::None;
    Out.CounterBytes = double(Bytes.value_or(0));
    if (!Bytes)
      Out.Reason = ReductionAdviceReason::ScatteredAtomics;
  } else if (Counts.AtomicLanes > 0 && Known > 0.25 * Counts.AtomicLanes) {
    Out.Kind = ReductionKind::Atomic;
  } else if (Kernel.Join != JoinKind::None &&
             (HasGather || StoredLanes <= StoredShare * LoadedLanes)) {
    Out.Kind = ReductionKind::Block;
    Out.IsBareTree = !HasGather;
  } else if (HasGather && StoredLanes > ScanShare * LoadedLanes) {
    Out.Reason = ReductionAdviceReason::StoresEachSum;
  } else if (HasGather) {
    Out.Kind = ReductionKind::Serial;
  }
}

/// The loop that loads longest, and how its address moves.
void ReductionAnalysis::findLoop() {
  for (uint32_t Index = 0; Index != Kernel.Sites.size(); ++Index) {
    const MemorySite &Site = Kernel.Sites[Index];
    if (Site.Space != MemorySpace::Global || Site.Kind != SiteKind::Load)
      continue;
    if (Site.Loops.empty()) {
      if (Out.Where.empty())
        Out.Where = Site.Where;
      continue;
    }
    int64_t Loop = Site.Loops.back().Number;
    auto It = Trace.Trips.find(Loop);
    double Trips = It == Trace.Trips.end() ? 1 : It->second;
    if (Trips <= Out.Trips)
      continue;
    Out.Trips = Trips;
    Out.Where = Site.Where;
    const ExprGraph &Graph = Kernel.Exprs;
    Out.IsOfGrid = stepsWith(Graph, Site.Offset, Loop, ExprKind::GridDim);
    // Threads that stride over an array have no sums of their own elements.
    bool IsOwnSum = Out.Kind == ReductionKind::Serial && !Out.IsOfGrid &&
                    !stepsWith(Graph, Site.Offset, Loop, ExprKind::BlockDim);
    Out.SumsAcross =
        IsOwnSum && Site.Size < LoadBytes && isSideBySide(Site, Index, Trace)
            ? 32 * LoadBytes / Site.Size
            : 0;
  }
}

void ReductionAnalysis::findUnderWay() {
  double LoadsOfWarp = 0;
  for (const MemorySite &Site : Kernel.Sites) {
    if (Site.Space != MemorySpace::Global || Site.Kind != SiteKind::Load)
      continue;
    double Together = 1;
    if (!Site.Loops.empty()) {
      auto It = Trace.Trips.find(Site.Loops.back().Number);
      double Trips = It == Trace.Trips.end() ? 1 : It->second;
      bool IsUnrolled = none_of(Kernel.Work, [&](const WorkLevel &Level) {
        return Level.AreLoadsOrdered && !Level.Loops.empty() &&
               Level.Loops.back().Number == Site.Loops.back().Number;
      });
      if (IsUnrolled)
        Together = std::min(double(UnrolledIterations), std::max(1.0, Trips));
    }
    LoadsOfWarp += Together * 32 * Site.Size;
  }
  Out.Warps = std::min(Trace.TotalWarps,
                       double(Trace.ResidentWarps) * Machine.Multiprocessors);
  Out.UnderWay = Out.Warps * LoadsOfWarp;
  double Latency = IsInL2 ? Machine.L2Latency : Machine.DramLatency;
  Out.NeededUnderWay = Out.BestGBs * Latency / Machine.ClockGHz;
}

ResourceTimes ReductionAnalysis::timeOf(const WarpTrace &Of) const {
  MemoryCounts OfCounts = replayTrace(Kernel, Of, Machine, Addresses);
  DramTraffic Dram;
  Dram.ReadBytes = Out.Bytes;
  return resourceTimes(Kernel, Of, OfCounts, Dram, Machine);
}

/// The form that reductionAdvice() describes, in any number of blocks.
void ReductionAnalysis::adviseForm() {
  double Again = 0;
  for (const ArrayBytes &A : Arrays)
    if (A.Lanes >= ReadsOfOnce * A.Distinct &&
        A.Distinct > double(Machine.L1Bytes) / 2)
      Again += A.Lanes;
  double Work = std::max(Out.Bytes / (Out.BestGBs * 1e9),
                         (Out.Bytes + Again) / (Machine.L2GBs * 1e9));
  if (Out.Kind == ReductionKind::Counters)
    Work = std::max(
        Work, Counts.AtomicLanes / WarpSize * Machine.SharedCounterCycles /
                  (Machine.Multiprocessors * Machine.ClockGHz * 1e9));
  double Fixed =
      Machine.JoinMicroseconds * 1e-6 + Machine.LaunchMicroseconds * 1e-6;
  // Of the advised size. Where each thread has sums of its own, more blocks
  // would have more parts to join.
  double FullBlocks = Machine.MaxWarps * WarpSize / Out.WantedThreads;
  Out.WantedBlocks =
      Machine.Multiprocessors * FullBlocks / (Out.SumsAcross ? 2 : 1);
  Out.BestSeconds = Work + Fixed;
  // Little's law, one thread's loads at a time.
  double Latency = (IsInL2 ? Machine.L2Latency : Machine.DramLatency) /
                   (Machine.ClockGHz * 1e9);
  double OfBlock = Out.WantedThreads * AdvisedLoads * LoadBytes / Latency;
  for (double Blocks = Out.WantedBlocks / 16; Blocks <= Out.WantedBlocks;
       Blocks *= 2) {
    double Seconds = std::max(Work, Out.Bytes / (Blocks * OfBlock)) + Fixed;
    Out.ByBlocks.push_back({Blocks, Seconds, Out.Bytes / Seconds * 1e-9});
  }
}

/// The kernel as it is, in other numbers of blocks.
void ReductionAnalysis::adviseBlocks() {
  unsigned Threads = Launch.Block[0] * Launch.Block[1] * Launch.Block[2];
  unsigned PerBlock = (Threads + 31) / 32;
  Out.WantedThreads = Threads;
  double Room =
      std::max(1u, std::min({Machine.MaxBlocks, Machine.MaxWarps / PerBlock,
                             Machine.blocksByShared(Launch.DynamicShared)}));
  // More threads than elements are of no use.
  double Most = std::max(1.0, Out.Blocks * Out.Trips);
  std::vector<double> Candidates = {Out.Blocks};
  for (double Share = 0.5; Share <= Room; Share *= 2)
    if (double N = Machine.Multiprocessors * Share; N <= Most)
      Candidates.push_back(N);
  llvm::sort(Candidates);
  for (double N : Candidates) {
    ResourceTimes Time = Out.Now;
    if (N != Out.Blocks && Out.IsOfGrid) {
      LaunchValues Other = Launch;
      Other.Grid = {uint32_t(N), 1, 1};
      Time = timeOf(traceWarps(Kernel, Other, Machine));
    } else if (N != Out.Blocks) {
      double Full = Room * Machine.Multiprocessors;
      Time.Busy[unsigned(Resource::Latency)] *=
          std::min(Out.Blocks, Full) / std::min(N, Full);
    }
    double Seconds = Time.seconds();
    // What several blocks have of a sum has to be joined.
    if (N > Out.Blocks && !Out.IsOfGrid)
      Seconds += Machine.JoinMicroseconds * 1e-6;
    Out.ByBlocks.push_back({N, Seconds, Out.Bytes / Seconds * 1e-9});
  }
  auto Best = llvm::min_element(Out.ByBlocks, [](const auto &A, const auto &B) {
    return A.Seconds < B.Seconds;
  });
  const BlocksReach &Wanted = *llvm::find_if(Out.ByBlocks, [&](const auto &R) {
    return NearlyBest * R.Seconds <= Best->Seconds;
  });
  Out.WantedBlocks = Wanted.Blocks;
  Out.BestSeconds = Wanted.Seconds;
  // As many as there are do no harm.
  if (Out.Blocks >= Wanted.Blocks) {
    Out.WantedBlocks = Out.Blocks;
    Out.BestSeconds = Out.Now.seconds();
  }
}

void ReductionAnalysis::compareWithHost() {
  HostComparison &H = Out.Host;
  H.Cores = Machine.HostCores;
  H.GBs = std::min(Machine.HostGBs, Machine.HostCores * Machine.HostCoreGBs);
  double Call = Machine.HostCallMicroseconds * 1e-6;
  H.Seconds = Out.Bytes / (H.GBs * 1e9) + Call;
  double Ahead = Machine.LaunchWaitMicroseconds * 1e-6 - Call;
  double PerByte = 1e-9 / H.GBs - 1e-9 / Machine.DramReadGBs;
  double Copied = PerByte - 1e-9 / Machine.HostLinkGBs;
  H.PaysFromBytes = PerByte > 0 ? std::max(1.0, Ahead / PerByte) : 0;
  H.CopiedPaysFromBytes = Copied > 0 ? std::max(1.0, Ahead / Copied) : 0;
  H.PassesForCopy =
      PerByte > 0 ? std::ceil(1e-9 / Machine.HostLinkGBs / PerByte) : 0;
}

ReductionAdviceReason ReductionAnalysis::reasonToStay() const {
  if (!Trace.AreTripCountsKnown)
    return ReductionAdviceReason::UnknownTripCounts;
  Resource Limit = Out.Now.limit();
  if (Limit == Resource::Dram)
    return ReductionAdviceReason::MemoryBusy;
  // Of a tree with an element a thread, the steps are most of the work.
  if ((Limit == Resource::Issue || Limit == Resource::Pipes) && !Out.IsBareTree)
    return ReductionAdviceReason::ComputeBound;
  if (Out.gain() < (IsLaunchOnly ? MinBlocksGain : MinGain))
    return ReductionAdviceReason::NoGain;
  return ReductionAdviceReason::None;
}

ReductionAdvice ReductionAnalysis::run() {
  Counts = replayTrace(Kernel, Trace, Machine, Addresses);
  countBytes();
  classify();
  findLoop();
  Out.Now = timeOf(Trace);
  IsInL2 = Out.Bytes < 0.8 * double(Machine.L2Bytes);
  Out.BestGBs = IsInL2 ? Machine.L2GBs : Machine.DramReadGBs;
  Out.Blocks = Trace.BlocksOfLaunch;
  Out.ReachedGBs = Out.Bytes / Out.Now.seconds() * 1e-9;
  findUnderWay();
  if (Out.Kind != ReductionKind::None && !isStream())
    Out.Reason = ReductionAdviceReason::ReadsAgain;
  if (Out.Kind == ReductionKind::None ||
      Out.Reason == ReductionAdviceReason::ReadsAgain)
    return std::move(Out);
  IsLaunchOnly = (Out.Kind == ReductionKind::Block && !Out.IsBareTree) ||
                 (Out.IsOfGrid && Out.Kind == ReductionKind::Serial);
  if (IsLaunchOnly)
    adviseBlocks();
  else
    adviseForm();
  compareWithHost();
  Out.Reason = reasonToStay();
  Out.IsRecommended = Out.Reason == ReductionAdviceReason::None;
  return std::move(Out);
}

ReductionAdvice analyzeReductions(const KernelSites &Kernel,
                                  const WarpTrace &Trace,
                                  const LaunchValues &Launch,
                                  const MachineModel &Machine) {
  if (Trace.Events.empty())
    return {};
  return ReductionAnalysis(Kernel, Trace, Launch, Machine).run();
}

} // namespace gridspan
