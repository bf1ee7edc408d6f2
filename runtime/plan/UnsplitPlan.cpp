//===- UnsplitPlan.cpp - Launches that cannot gain ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The planner looks for a split only if the unsplit launch is predicted to take
// longer than the fan-out over two devices saves (Planner.cpp). Its prediction,
// the formula of SplitCandidate.cpp for one tile, is at most
//
//   max(2 * work / rate, bytes / slowest memory that is touched),
//
// (twice: blocks may be spread unevenly; with fewer than multiprocessors, of
// which one then takes longer still, each tile would take as long as the
// unsplit launch) and the bytes are bounded twice: by the allocations, read
// once each and, as parts of a fetched piece are read before they are written,
// twice for writes; and by the work, of which every issue slot moves at most
// the largest element or a share of a piece. So below a limit of the work no
// ranges can make a split pay. The second bound is that of the bytes really
// touched, which ranges only overestimate, and needs work that is no guess.
//
// By the prediction alone the limit is higher. A split over N devices takes the
// fan-out and an N-th of the launch at least, if all memory is as near as it
// can be, so that launches up to
//
//   fan-out over N devices / (1 - least gain - 1 / N)
//
// do not pay. Measured times may show that they are longer than predicted, so
// this holds for a kernel's first launches only, which the first plan of all,
// whose code and data are in no cache yet, would delay by several launches.
//
// Longer ones may pay, but the first plan of a kernel takes the host 40 to 60
// us, before the first launch, when devices have nothing to do. A program with
// few launches never earns that back, and one that enqueues several at once has
// it for nothing behind the first ones. So as many go first as are predicted to
// take FirstSeconds together, which a split could have saved but for an N-th.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/UnsplitPlan.h"
#include "gridspan/RangeOps.h"
#include "runtime/plan/ByteInterval.h"
#include "runtime/plan/LaunchHistory.h"
#include "runtime/plan/Planner.h"
#include "runtime/plan/SplitCandidate.h"
#include "runtime/plan/SplitLegality.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace gridspan {

static constexpr double AnyWork = std::numeric_limits<double>::infinity();

/// The most bytes that an issue slot moves besides its element: an access takes
/// four slots at least, and reads and writes a piece of 64 bytes at most.
static constexpr double MovedPerIssue = 2 * 64 / 4;

/// Returns the bytes per second of the slowest memory that the launch may
/// touch.
static double slowestMemory(const PlanInput &In, const SystemInfo &System) {
  double Slowest = linkBandwidth(System, 0, 0);
  auto Add = [&](Location Home) {
    // Unreachable is no time to compare with.
    Slowest = std::min(Slowest, linkBandwidth(System, 0, Home));
  };
  for (const PlacedAllocation &A : In.Allocations) {
    if (!A.Homes)
      Add(Host);
    else
      A.Homes->forRuns(0, A.Bytes,
                       [&](const PageHomes::Run &R) { Add(R.Where); });
  }
  return Slowest;
}

double bytesOfAllocations(const PlanInput &In) {
  constexpr uint32_t Writes = GridspanWrite | GridspanAtomic;
  std::vector<uint32_t> Modes(In.Allocations.size());
  for (uint32_t I = 0; I < In.Kernel->NumPointers; ++I)
    if (In.Pointers[I].Allocation >= 0)
      Modes[In.Pointers[I].Allocation] |= In.Kernel->Pointers[I].Modes;
  double Sum = 0;
  for (size_t A = 0; A < Modes.size(); ++A) {
    const auto Bytes = static_cast<double>(In.Allocations[A].Bytes);
    Sum += (Modes[A] & GridspanRead ? Bytes : 0) +
           (Modes[A] & Writes ? 2 * Bytes : 0);
  }
  return Sum;
}

bool writesOthersMemory(const PlanInput &In) {
  for (uint32_t I = 0; I < In.Kernel->NumPointers; ++I)
    if (const int A = In.Pointers[I].Allocation;
        A >= 0 &&
        (!In.Allocations[A].Homes ||
         isAtEnd(In.Pointers[I].Offset, In.Allocations[A].Bytes)) &&
        (In.Kernel->Pointers[I].Modes & (GridspanWrite | GridspanAtomic)))
      return true;
  return false;
}

/// Returns the most work of launches that take so many seconds; nothing if that
/// cannot be said.
static std::optional<WorkLimit> workWithin(double Seconds, const PlanInput &In,
                                           const SystemInfo &System) {
  const GridspanKernel &Kernel = *In.Kernel;
  const double Rate = std::max(1.0, System.Devices[0].InstructionRate) / 2;
  const double BlockSeconds = System.Devices[0].BlockSeconds;
  const double Blocks = BlockSeconds > 0 ? Seconds / BlockSeconds : AnyWork;
  const double Memory = slowestMemory(In, System);
  if (Memory <= 0)
    return std::nullopt;
  if (bytesOfAllocations(In) <= Seconds * Memory)
    return WorkLimit{Kernel.Work ? Seconds * Rate : AnyWork, false, Blocks};
  if (!Kernel.Work || (Kernel.Flags & GridspanWorkIsGuess))
    return std::nullopt;
  double Element = MovedPerIssue;
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I)
    Element = std::max(Element, double(Kernel.Accesses[I].ElementSize));
  return WorkLimit{Seconds * std::min(Rate, Memory / Element), true, Blocks};
}

/// Returns true if devices own bytes of what the launch touches: to run
/// unsplit, it has them brought home.
static bool isAnythingAway(const PlanInput &In) {
  return std::any_of(
      In.Allocations.begin(), In.Allocations.end(),
      [](const PlacedAllocation &A) { return A.Copies.bytesAway() > 0; });
}

std::optional<WorkLimit> runsUnsplitUpTo(const PlanInput &In,
                                         const SystemInfo &System,
                                         Schedule Schedule) {
  if (System.numDevices() > 1 && writesOthersMemory(In))
    return std::nullopt;
  if (whyNotSplit(In, System, Schedule) != LaunchReason::None)
    return WorkLimit{AnyWork, false, AnyWork};
  if (Schedule != Schedule::Auto || System.FanOutSeconds.size() <= 2 ||
      isAnythingAway(In))
    return std::nullopt;
  return workWithin(System.FanOutSeconds[2] / (1 - LeastGain), In, System);
}

/// The launches of a kernel before which none is planned that cannot pay as
/// predicted: a process's first plan takes as long as four or so of them.
static constexpr uint64_t ManyLaunches = 128;
/// The seconds that launches which may pay take together before the first plan,
/// and the least and most of these.
static constexpr double FirstSeconds = 500e-6;
static constexpr uint64_t FewestLaunches = 3, MostLaunches = 12;

std::optional<FirstLaunches> runsUnsplitAtFirst(const PlanInput &In,
                                                const SystemInfo &System,
                                                Schedule Schedule,
                                                uint64_t Launches) {
  // Where devices do not reach each other, later launches may leave bytes away.
  if (Launches >= ManyLaunches || Schedule != Schedule::Auto ||
      System.FanOutSeconds.size() <= 2 || !System.allReachAll() ||
      !In.Kernel->Work || (In.Kernel->Flags & GridspanWorkIsGuess) ||
      writesOthersMemory(In) || isAnythingAway(In) ||
      slowestMemory(In, System) < linkBandwidth(System, 0, 0))
    return std::nullopt;
  double Seconds = std::numeric_limits<double>::infinity();
  for (size_t N = 2; N != System.FanOutSeconds.size(); ++N)
    Seconds = std::min(Seconds, System.FanOutSeconds[N] /
                                    (1 - LeastGain - 1.0 / double(N)));
  const auto Within = [&](double Longest) {
    std::optional<WorkLimit> Limit = workWithin(Longest, In, System);
    if (Limit)
      Limit->OnlySure = true;
    return Limit && isWithin(*Limit, *In.Kernel, In.Box) ? Limit : std::nullopt;
  };
  if (const std::optional<WorkLimit> Limit = Within(Seconds))
    return FirstLaunches{*Limit, ManyLaunches};
  for (uint64_t Count = MostLaunches;
       Count >= FewestLaunches && Launches < Count; Count /= 2)
    if (const std::optional<WorkLimit> Limit =
            Within(FirstSeconds / double(Count)))
      return FirstLaunches{*Limit, Count};
  return std::nullopt;
}

static double blocksOf(const GridspanBox &Box) {
  return double(Box.BlockCount[0]) * Box.BlockCount[1] * Box.BlockCount[2];
}

WorkLimit likeThatOf(const GridspanKernel &Kernel, const GridspanBox &Box) {
  double Most = AnyWork;
  if (Kernel.Work)
    if (const double Work = Kernel.Work(&Box); std::isfinite(Work))
      Most = std::exp2(std::floor(std::log2(std::max(1.0, Work))) + 1);
  return {Most, false, blocksOf(Box)};
}

bool isWithin(const WorkLimit &Limit, const GridspanKernel &Kernel,
              const GridspanBox &Box) {
  if (blocksOf(Box) > Limit.Blocks)
    return false;
  if (Limit.Work == AnyWork)
    return true;
  const uint64_t Guesses = __gridspan_range_guesses();
  const double Work = Kernel.Work(&Box);
  return Work >= Limit.Least && Work <= Limit.Work &&
         !(Limit.OnlySure && __gridspan_range_guesses() != Guesses);
}

bool isByGuess(WorkLimit Limit, const GridspanKernel &Kernel,
               const GridspanBox &Box) {
  Limit.OnlySure = true;
  return Limit.Work != AnyWork && ((Kernel.Flags & GridspanWorkIsGuess) != 0 ||
                                   !isWithin(Limit, Kernel, Box));
}

std::optional<Plan> planUnsplit(const PlanInput &In, const SystemInfo &System,
                                Schedule Schedule) {
  for (const PlacedAllocation &A : In.Allocations) {
    if (!A.Homes || !A.Movable)
      continue;
    bool Misplaced = false;
    A.Homes->forRuns(0, A.Bytes, [&](const PageHomes::Run &R) {
      Misplaced |= R.Where != 0;
    });
    if (Misplaced)
      return std::nullopt;
  }
  Plan Out;
  Out.WhyUnsplit = whyNotSplit(In, System, Schedule);
  if (Out.WhyUnsplit == LaunchReason::None)
    Out.WhyUnsplit = LaunchReason::DoesNotPay;
  TilePlan Tile;
  std::copy_n(In.Box.BlockCount, 3, Tile.Count.begin());
  Out.Tiles.push_back(Tile);
  addWrites(In, Out);
  // The plan serves any memory that is not ours, also a pointer beside ours.
  for (const PlacedPointer &P : In.Pointers)
    Out.TouchesAnywhere |=
        P.Allocation >= 0 && !In.Allocations[P.Allocation].Homes;
  return Out;
}

std::optional<Plan> planUnsplitAgain(const PlanInput &In,
                                     const LaunchHistory &History,
                                     const SystemInfo &System,
                                     Schedule Schedule, bool NeedsTimes) {
  const Division Unsplit;
  if (Schedule != Schedule::Auto || History.Last != Unsplit ||
      (NeedsTimes && !History.measured(Unsplit)) || writesOthersMemory(In) ||
      whyNotSplit(In, System, Schedule) != LaunchReason::None)
    return std::nullopt;
  std::optional<Plan> Out = planUnsplit(In, System, Schedule);
  if (!Out)
    return std::nullopt;
  // What its pointers lead to beyond their allocations is noted as written.
  if (!Out->WritesAnywhere || !Out->TouchesAnywhere)
    noteOutside(evaluateSplitCandidate(In, System, 0, {In.Box}), *Out);
  if (History.isAnySplitTimed())
    Out->WhyUnsplit = LaunchReason::MeasuredSlower;
  Out->Timed = Unsplit;
  return Out;
}

} // namespace gridspan
