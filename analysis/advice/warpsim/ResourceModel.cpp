//===- ResourceModel.cpp - Time of a launch by resource -------------------===//
//------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Throughputs: what is to be done over what the machine does in a second.
// Latency: a warp passes each level of the kernel as often as its loops say,
// and waits once for the loads there; those of unrolled iterations wait
// together, unless one load gives the next one's address. Warps that a
// multiprocessor has at once wait together too, further ones after them. A wait
// is for the slowest of what is under way: the longer, the more sectors the
// request has and the more rows of memory are asked.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/ResourceModel.h"
#include "analysis/expr/LaunchDefaults.h"
#include "analysis/machine/WarpRequest.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <cmath>
#include <functional>

using namespace llvm;

namespace gridspan {

StringRef resourceName(Resource R) {
  switch (R) {
  case Resource::Issue:
    return "instruction issue";
  case Resource::Pipes:
    return "arithmetic";
  case Resource::L1:
    return "load and store units";
  case Resource::L2:
    return "L2 cache";
  case Resource::Dram:
    return "DRAM";
  case Resource::Atomics:
    return "atomics";
  case Resource::Latency:
    return "latency";
  case Resource::Blocks:
    return "start of blocks";
  }
  llvm_unreachable("resource without a name");
}

/// L2 does the atomics, and serves loads and stores in between.
static std::array<double, NumResources>
withAtomicsInL2(const std::array<double, NumResources> &Busy) {
  std::array<double, NumResources> Out = Busy;
  double &Atomics = Out[unsigned(Resource::Atomics)];
  double &L2 = Out[unsigned(Resource::L2)];
  double Both = Atomics + L2;
  (Atomics > L2 ? Atomics : L2) = Both;
  (Atomics > L2 ? L2 : Atomics) = 0;
  return Out;
}

double ResourceTimes::seconds() const {
  std::array<double, NumResources> Sorted = withAtomicsInL2(Busy);
  std::sort(Sorted.begin(), Sorted.end(), std::greater<>());
  return Sorted[0] + SecondShare * Sorted[1] + Launch;
}

Resource ResourceTimes::limit() const {
  std::array<double, NumResources> All = withAtomicsInL2(Busy);
  return Resource(std::max_element(All.begin(), All.end()) - All.begin());
}

bool ResourceTimes::isBoundByMemory() const {
  Resource R = limit();
  return R == Resource::L1 || R == Resource::L2 || R == Resource::Dram;
}

/// Returns how often a thread executes the level.
static double tripsOf(const WorkLevel &Level, const WarpTrace &Trace) {
  double Trips = 1;
  for (const SiteLoop &L : Level.Loops) {
    auto It = Trace.Trips.find(L.Number);
    // A loop without memory sites was not looked at.
    Trips *= It == Trace.Trips.end() ? 1 : It->second;
  }
  return Trips;
}

static bool isInLevel(const MemorySite &Site, const WorkLevel &Level) {
  return Site.Loops.size() == Level.Loops.size() &&
         (Site.Loops.empty() ||
          Site.Loops.back().Number == Level.Loops.back().Number);
}

double warpCycles(const KernelSites &Kernel, const WarpTrace &Trace,
                  const MemoryCounts &Counts, const MachineModel &Machine) {
  double Cycles = 0;
  double Footprint = Counts.loadBytes();
  for (const WorkLevel &Level : Kernel.Work) {
    double Trips = tripsOf(Level, Trace), Wait = 0;
    bool IsLoop = !Level.Loops.empty();
    bool IsOrdered = Level.HasDependentLoads || Level.AreLoadsOrdered;
    double Together = IsLoop && !IsOrdered ? double(UnrolledIterations) : 1;
    Together = std::min(Together, std::max(1.0, Trips));
    bool IsInDram = Footprint > double(Machine.L2Bytes);
    double Rows = 0;
    for (size_t I = 0; I != Kernel.Sites.size(); ++I)
      if (isInLevel(Kernel.Sites[I], Level))
        Rows += Counts.Rows[I];
    double Farther = std::log2(std::max(1.0, Rows * Together)) *
                     (IsInDram ? Machine.DramRowCycles : Machine.L2RowCycles);
    for (size_t I = 0; I != Kernel.Sites.size(); ++I) {
      const MemorySite &Site = Kernel.Sites[I];
      if (Site.Space != MemorySpace::Global || Site.Kind != SiteKind::Load ||
          !isInLevel(Site, Level) || Counts.HitShare[I] < 0)
        continue;
      double Missed = IsInDram ? Machine.DramLatency : Machine.L2Latency;
      Missed += Machine.SectorWaitCycles * Counts.Sectors[I] + Farther;
      // One miss is waited for by all that are under way with it.
      double Share = std::min(1.0, (1 - Counts.HitShare[I]) * Together);
      Wait = std::max(Wait,
                      Machine.L1Latency + Share * (Missed - Machine.L1Latency));
    }
    Cycles += Trips * (Wait / Together + Level.Issue / Machine.Schedulers);
    if (Wait > 0)
      Cycles += Trips * Machine.Fp32Latency;
  }
  return Cycles;
}

ResourceTimes resourceTimes(const KernelSites &Kernel, const WarpTrace &Trace,
                            const MemoryCounts &Counts, const DramTraffic &Dram,
                            const MachineModel &Machine,
                            ArrayRef<double> ExtraIssue) {
  ResourceTimes Out;
  double Hertz = Machine.ClockGHz * 1e9, Sms = Machine.Multiprocessors;
  auto Busy = [&](Resource R) -> double & { return Out.Busy[unsigned(R)]; };
  // Cycles of one multiprocessor's share.
  double Warps = Trace.TotalWarps / Sms, Issue = 0, Pipes = 0;
  for (size_t I = 0; I != Kernel.Work.size(); ++I) {
    const WorkLevel &Level = Kernel.Work[I];
    double Trips = tripsOf(Level, Trace);
    double Instructions =
        Level.Issue + (ExtraIssue.empty() ? 0 : ExtraIssue[I]);
    Issue += Warps * Trips * Instructions /
             (Machine.Schedulers * Machine.IssueShare);
    Pipes =
        std::max({Pipes, Warps * Trips * WarpSize * Level.Fp32 / Machine.Fp32,
                  Warps * Trips * WarpSize * Level.Fp64 / Machine.Fp64,
                  Warps * Trips * WarpSize * Level.Sfu / Machine.Sfu});
  }
  Busy(Resource::Issue) = Issue / Hertz;
  Busy(Resource::Pipes) = Pipes / Hertz;
  Busy(Resource::L1) = Counts.L1Cycles / Sms / Hertz;
  // Without the sectors of atomics, which count there.
  Busy(Resource::L2) = (Counts.loadBytes() + Counts.storeBytes() -
                        Counts.AtomicSectors * SectorBytes) /
                       (Machine.L2GBs * 1e9);
  double Bytes = Dram.ReadBytes + Dram.WriteBytes;
  // Turning the bus around costs most where as much is written as read.
  double Mixed = Bytes > 0 ? std::min(1.0, 3 * Dram.WriteBytes / Bytes) : 0;
  Busy(Resource::Dram) =
      Bytes / 1e9 /
      (Machine.DramReadGBs +
       Mixed * (Machine.DramCopyGBs - Machine.DramReadGBs)) /
      (Dram.OpenArrays > Machine.DramOpenArrays ? Machine.DramManyArraysShare
                                                : 1);
  // Few addresses of many lanes wait for each other.
  Busy(Resource::Atomics) =
      std::max(Counts.LanesOfLine / Machine.AtomicsOfLinePerCycle,
               Counts.AtomicLanes / Machine.AtomicsPerCycle +
                   Counts.AtomicSectors / Machine.AtomicSectorsPerCycle +
                   Counts.SameAddress / Machine.AtomicsOnePerCycle +
                   Counts.OrderedLanes / Machine.AtomicsOrderedPerCycle) /
      Hertz;
  Busy(Resource::Blocks) =
      Trace.BlocksOfLaunch * Machine.BlockNanoseconds * 1e-9;
  double Resident = std::max(1u, Trace.ResidentWarps);
  double Waves = std::max(1.0, Warps / Resident);
  Busy(Resource::Latency) =
      Waves * warpCycles(Kernel, Trace, Counts, Machine) / Hertz;
  Out.SecondShare = Machine.FitSecondShare;
  Out.Launch = Machine.LaunchMicroseconds * 1e-6;
  return Out;
}

} // namespace gridspan
