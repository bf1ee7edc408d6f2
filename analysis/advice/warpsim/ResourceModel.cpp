//===- ResourceModel.cpp - What bounds the time of a launch
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
// request has and the more places in memory are asked.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/ResourceModel.h"
#include "analysis/machine/WarpRequest.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <cmath>
#include <functional>

using namespace llvm;

namespace gridspan {

/// Iterations whose loads are under way together.
static constexpr double UnrolledLoads = 4;

/// From the use of one result to the next instruction that needs it.
static constexpr double InstructionLatency = 4.5;

/// Cycles by which each sector of a request delays it (measured: the kernel
/// with few warps of bench/layout, in two layouts).
static constexpr double SectorCycles = 5.6;

/// Cycles by which a warp waits longer where its loads are in twice as many
/// neighbourhoods: for the slowest of them (measured with 1 to 32:
/// bench/probes/request_latency.cu).
static constexpr double DramPlaceCycles = 88, L2PlaceCycles = 14;

/// Lanes of atomics to a line of L2 in a cycle (measured:
/// bench/layout/block_counts.cu).
static constexpr double AtomicsOfLine = 0.25;

/// Of the time of the second busiest resource, what does not overlap with that
/// of the busiest.
static constexpr double SecondShare = 0.15;

/// Of the issue slots that a full multiprocessor uses (measured: all-pairs and
/// inverse-distance kernels of bench/layout, 0.75 to 0.88).
static constexpr double IssueEfficiency = 0.8;

/// Streams beyond which rows of DRAM are opened over and over, and what is left
/// of the bandwidth then (measured: the lattice of bench/layout).
static constexpr unsigned ManyStreams = 12;
static constexpr double ManyStreamsShare = 0.92;

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
  std::sort(Sorted.begin(), Sorted.end(), std::greater<double>());
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

/// How often a thread executes the level.
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
    double Together = IsLoop && !IsOrdered ? UnrolledLoads : 1;
    Together = std::min(Together, std::max(1.0, Trips));
    bool IsInDram = Footprint > double(Machine.L2Bytes);
    double Places = 0;
    for (size_t I = 0; I != Kernel.Sites.size(); ++I)
      if (isInLevel(Kernel.Sites[I], Level))
        Places += Counts.Places[I];
    double Farther = std::log2(std::max(1.0, Places * Together)) *
                     (IsInDram ? DramPlaceCycles : L2PlaceCycles);
    for (size_t I = 0; I != Kernel.Sites.size(); ++I) {
      const MemorySite &Site = Kernel.Sites[I];
      if (Site.Space != MemorySpace::Global || Site.Kind != SiteKind::Load ||
          !isInLevel(Site, Level) || Counts.HitShare[I] < 0)
        continue;
      double Missed = IsInDram ? Machine.DramLatency : Machine.L2Latency;
      Missed += SectorCycles * Counts.Sectors[I] + Farther;
      // One miss is waited for by all that are under way with it.
      double Share = std::min(1.0, (1 - Counts.HitShare[I]) * Together);
      Wait = std::max(Wait,
                      Machine.L1Latency + Share * (Missed - Machine.L1Latency));
    }
    Cycles += Trips * (Wait / Together + Level.Issue / Machine.Schedulers);
    if (Wait > 0)
      Cycles += Trips * InstructionLatency;
  }
  return Cycles;
}

ResourceTimes resourceTimes(const KernelSites &Kernel, const WarpTrace &Trace,
                            const MemoryCounts &Counts, const DramTraffic &Dram,
                            const MachineModel &Machine,
                            ArrayRef<double> ExtraIssue) {
  ResourceTimes Out;
  double Hertz = Machine.ClockGHz * 1e9, Sms = Machine.Multiprocessors;
  auto busy = [&](Resource R) -> double & { return Out.Busy[unsigned(R)]; };
  // Cycles of one multiprocessor's share.
  double Warps = Trace.TotalWarps / Sms, Issue = 0, Pipes = 0;
  for (size_t I = 0; I != Kernel.Work.size(); ++I) {
    const WorkLevel &Level = Kernel.Work[I];
    double Trips = tripsOf(Level, Trace);
    double Instructions =
        Level.Issue + (ExtraIssue.empty() ? 0 : ExtraIssue[I]);
    Issue +=
        Warps * Trips * Instructions / (Machine.Schedulers * IssueEfficiency);
    Pipes = std::max({Pipes, Warps * Trips * 32 * Level.Fp32 / Machine.Fp32,
                      Warps * Trips * 32 * Level.Fp64 / Machine.Fp64,
                      Warps * Trips * 32 * Level.Sfu / Machine.Sfu});
  }
  busy(Resource::Issue) = Issue / Hertz;
  busy(Resource::Pipes) = Pipes / Hertz;
  busy(Resource::L1) = Counts.L1Cycles / Sms / Hertz;
  // Without the sectors of atomics, which count there.
  busy(Resource::L2) = (Counts.loadBytes() + Counts.storeBytes() -
                        Counts.AtomicSectors * SectorBytes) /
                       (Machine.L2GBs * 1e9);
  double Bytes = Dram.ReadBytes + Dram.WriteBytes;
  // Turning the bus around costs most where as much is written as read.
  double Mixed = Bytes > 0 ? std::min(1.0, 3 * Dram.WriteBytes / Bytes) : 0;
  busy(Resource::Dram) = Bytes / 1e9 /
                         (Machine.DramReadGBs +
                          Mixed * (Machine.DramCopyGBs - Machine.DramReadGBs)) /
                         (Dram.Streams > ManyStreams ? ManyStreamsShare : 1);
  // Few places of many lanes wait for each other.
  busy(Resource::Atomics) =
      std::max(Counts.LanesOfLine / AtomicsOfLine,
               Counts.AtomicLanes / Machine.AtomicsPerCycle +
                   Counts.AtomicSectors / Machine.AtomicSectorsPerCycle +
                   Counts.SameAddress / Machine.AtomicsOnePerCycle +
                   Counts.OrderedLanes) /
      Hertz;
  busy(Resource::Blocks) =
      Trace.BlocksOfLaunch * Machine.BlockNanoseconds * 1e-9;
  double Resident = std::max(1u, Trace.ResidentWarps);
  double Waves = std::max(1.0, Warps / Resident);
  busy(Resource::Latency) =
      Waves * warpCycles(Kernel, Trace, Counts, Machine) / Hertz;
  Out.Launch = Machine.LaunchMicroseconds * 1e-6;
  return Out;
}

} // namespace gridspan
