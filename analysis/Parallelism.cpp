//===- Parallelism.cpp - Does a launch keep the memory busy? -------------===//
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
//===----------------------------------------------------------------------===//

#include "gridspan/Analysis/Parallelism.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace gridspan {

/// What restructuring must gain to be worth it.
static constexpr double MinGain = 1.3;

/// Iterations whose loads are under way together, in a plain loop.
static constexpr double UnrolledLoads = 4;

/// Blocks of 256 threads of a multiprocessor for the best bandwidth: where the
/// threads of a block share a sum, and where each has sums of its own, of which
/// more blocks would have more parts to join.
static constexpr unsigned BlocksOfMultiprocessor = 8;
static constexpr unsigned BlocksAcross = 4;

/// Of a load.
static constexpr unsigned LoadBytes = 16;

/// Of joining the parts of a sum, in a block and between blocks.
static constexpr double JoinSeconds = 1.5e-6;

/// From the call of a launch to the end of waiting for it, of an empty kernel.
static constexpr double WaitSeconds = 7.5e-6;

StringRef reductionName(ReductionKind Kind) {
  switch (Kind) {
  case ReductionKind::None:
    return "loop";
  case ReductionKind::Serial:
    return "serial reduction";
  case ReductionKind::Block:
    return "reduction by blocks";
  case ReductionKind::Atomic:
    return "reduction by atomics";
  }
  llvm_unreachable("kind without a name");
}

static ReductionKind kindOf(const KernelSites &Kernel,
                            const MemoryCounts &Counts) {
  if (Counts.AtomicLanes > 0 && Counts.SameAddress > 0.25 * Counts.AtomicLanes)
    return ReductionKind::Atomic;
  bool IsSerial = false, IsJoined = false;
  for (const WorkLevel &Level : Kernel.Work) {
    IsSerial |= Level.HasReduction && !Level.Loops.empty();
    IsJoined |= Level.HasBarrier;
  }
  bool HasShared = any_of(Kernel.Sites, [](const MemorySite &Site) {
    return Site.Space == MemorySpace::Shared;
  });
  if (IsJoined && HasShared && IsSerial)
    return ReductionKind::Block;
  return IsSerial ? ReductionKind::Serial : ReductionKind::None;
}

/// Whether neighbouring lanes load neighbouring elements at the site.
static bool isSideBySide(const MemorySite &Site, uint32_t Index,
                         const LaunchTrace &Trace) {
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

KernelParallelism analyzeParallelism(const KernelSites &Kernel,
                                     const LaunchTrace &Trace,
                                     const LaunchValues &Launch,
                                     const MachineModel &Machine) {
  KernelParallelism Out;
  if (Trace.Events.empty())
    return Out;
  std::vector<SitePlacement> Placements = presentPlacements(Kernel);
  MemoryCounts Counts = replay(Kernel, Trace, Machine, Placements);
  Out.Kind = kindOf(Kernel, Counts);

  // Distinct bytes: between the lowest and the highest offset of each array.
  DramTraffic Dram;
  double LoadsOfWarp = 0;
  for (size_t A = 0; A != Counts.Arrays.size(); ++A) {
    OffsetRange Load;
    for (size_t I = 0; I != Kernel.Sites.size(); ++I) {
      const MemorySite &Site = Kernel.Sites[I];
      const OffsetRange &R = Trace.Ranges[I];
      if (Placements[I].Array != A || Site.Kind != SiteKind::Load ||
          Site.Space != MemorySpace::Global || R.isEmpty())
        continue;
      OffsetRange Bytes = {R.Lo, R.Hi + int64_t(Site.Size)};
      Load = Load.isEmpty() ? Bytes
                            : OffsetRange{std::min(Load.Lo, Bytes.Lo),
                                          std::max(Load.Hi, Bytes.Hi)};
    }
    double Asked = Counts.Arrays[A].LoadBytes;
    Dram.ReadBytes +=
        Load.isEmpty() ? Asked : std::min(Asked, double(Load.Hi - Load.Lo));
  }
  Out.Bytes = Dram.ReadBytes;
  Out.Now = launchTime(Kernel, Trace, Counts, Dram, Machine);

  for (uint32_t Index = 0; Index != Kernel.Sites.size(); ++Index) {
    const MemorySite &Site = Kernel.Sites[Index];
    if (Site.Space != MemorySpace::Global || Site.Kind != SiteKind::Load)
      continue;
    double Together = 1;
    if (!Site.Loops.empty()) {
      double Trips = 1;
      if (auto It = Trace.Trips.find(Site.Loops.back().Number);
          It != Trace.Trips.end())
        Trips = It->second;
      Together = std::min(UnrolledLoads, std::max(1.0, Trips));
      if (Trips > Out.Trips) {
        Out.Trips = Trips;
        Out.Where = Site.Where;
        Out.SumsAcross =
            Site.Size < LoadBytes && isSideBySide(Site, Index, Trace)
                ? 32 * LoadBytes / Site.Size
                : 0;
      }
    } else if (Out.Where.empty()) {
      Out.Where = Site.Where;
    }
    LoadsOfWarp += Together * 32 * Site.Size;
  }
  Out.Warps = std::min(Trace.TotalWarps,
                       double(Trace.ResidentWarps) * Machine.Multiprocessors);
  Out.UnderWay = Out.Warps * LoadsOfWarp;
  bool IsInL2 = Out.Bytes < 0.8 * double(Machine.L2Bytes);
  double Latency = IsInL2 ? Machine.L2Latency : Machine.DramLatency;
  Out.BestGBs = IsInL2 ? Machine.L2GBs : Machine.DramReadGBs;
  Out.NeededUnderWay = Out.BestGBs * Latency / Machine.ClockGHz;
  Out.ReachedGBs = Out.Bytes / Out.Now.seconds() * 1e-9;
  Out.BestSeconds = Out.Bytes / (Out.BestGBs * 1e9) + JoinSeconds +
                    Machine.LaunchMicroseconds * 1e-6;
  if (Out.Kind != ReductionKind::Serial)
    Out.SumsAcross = 0;
  Out.WantedBlocks = Machine.Multiprocessors *
                     (Out.SumsAcross ? BlocksAcross : BlocksOfMultiprocessor);

  double Host =
      std::min(Machine.HostGBs, Machine.HostCores * Machine.HostCoreGBs) * 1e9;
  Out.HostSeconds = Out.Bytes / Host + Machine.HostCallMicroseconds * 1e-6;
  double PerByte = 1 / Host - 1 / (Out.BestGBs * 1e9);
  double Ahead = WaitSeconds - Machine.HostCallMicroseconds * 1e-6;
  Out.HostBytes = PerByte > 0 && Ahead > 0 ? Ahead / PerByte : 0;

  Resource Limit = Out.Now.limit();
  bool IsSlow = Limit == Resource::Latency || Limit == Resource::Atomics ||
                Limit == Resource::L1 || Limit == Resource::L2;
  bool Gathers =
      Out.Kind == ReductionKind::Serial || Out.Kind == ReductionKind::Atomic;
  // What reads its data again and again is no reduction of an array.
  double LaneBytes = 0;
  for (const TraceEvent &Event : Trace.Events)
    if (Kernel.Sites[Event.Site].Space == MemorySpace::Global &&
        Kernel.Sites[Event.Site].Kind == SiteKind::Load)
      LaneBytes += Event.Weight * llvm::popcount(Event.Active) *
                   Kernel.Sites[Event.Site].Size;
  bool IsStream = Out.Bytes > 0 && LaneBytes * Trace.scale() < 1.5 * Out.Bytes;
  Out.IsRecommended = Gathers && IsSlow && IsStream &&
                      Trace.AreTripCountsKnown &&
                      Out.Now.seconds() >= MinGain * Out.BestSeconds;
  return Out;
}

std::string parallelismMessage(const KernelParallelism &P) {
  std::string Out =
      formatv("{0} reaches about {1:f0} of {2:f0} GB/s, bound by the {3}",
              reductionName(P.Kind), P.ReachedGBs, P.BestGBs,
              resourceName(P.Now.limit()));
  if (P.Kind != ReductionKind::Atomic && P.UnderWay < P.NeededUnderWay)
    Out += formatv("; {0:f0} warps have {1:f0} KB under way and {2:f0} are "
                   "needed",
                   P.Warps, P.UnderWay / 1024, P.NeededUnderWay / 1024);
  return Out;
}

std::string parallelismAdvice(const KernelParallelism &P) {
  std::string How =
      P.Kind == ReductionKind::Atomic
          ? "add up in registers and shared memory, one atomic or one part a "
            "block"
      : P.SumsAcross
          ? formatv("let a block take {0} neighbouring sums, {1} a thread by "
                    "loads of {2} bytes with eight of them under way, its "
                    "warps at different elements, and join them through shared "
                    "memory",
                    P.SumsAcross, P.SumsAcross / 32, LoadBytes)
                .str()
          : "let the threads of a block share each sum, neighbours at "
            "neighbouring elements with several loads under way, and join them "
            "through shared memory";
  std::string Out =
      formatv("{0}; about {1} blocks of 256 threads in all (split sums over "
              "blocks where there are fewer): predicted {2:f1} times as fast",
              How, P.WantedBlocks, P.Now.seconds() / P.BestSeconds);
  if (P.Bytes < P.HostBytes)
    Out += formatv("; for less than {0:f1} MB the host's cores are faster",
                   P.HostBytes * 1e-6);
  return Out;
}

} // namespace gridspan
