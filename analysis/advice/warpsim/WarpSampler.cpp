//===- WarpSampler.cpp - Blocks, warps and iterations of a launch ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane takes part unless one of three things holds. A condition fails; a
// value of the condition does not exist, as it is only defined for threads that
// get here; or a loop has ended for the lane. Unknown conditions and trips
// count as taking part, and the result says so.
//
// The range of positions is divided into equal strata, and one position
// anywhere in each is sampled. Even spacing would follow the period of the
// alignment; the golden ratio spreads them (Weyl's sequence). Where a grid is
// larger than its data, the last block that works may be anywhere between two
// positions, so steps of the work are bisected.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/WarpSampler.h"
#include "analysis/expr/LaunchDefaults.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cassert>
#include <cmath>

using namespace llvm;

namespace gridspan {

/// Iterations of a loop that are gone through to find out when it ends.
static constexpr uint64_t MaxFollowedTrips = 4096;

/// Steps of the work that are looked for, and how many times as much one is.
static constexpr unsigned MaxSteps = 2;
static constexpr double StepRatio = 4;
/// The least length of a run between two steps, in mean distances of positions.
static constexpr double ShortestRun = 0.25;

std::vector<SamplePosition> samplePositions(uint64_t Count, uint64_t Limit) {
  std::vector<SamplePosition> Out;
  if (Count <= Limit) {
    for (uint64_t I = 0; I != Count; ++I)
      Out.push_back({I, 1});
    return Out;
  }
  assert(Limit > 2 && "the first, the last, and one between");
  uint64_t Inner = Limit - 2, Others = Count - 2;
  Out.push_back({0, 1});
  for (uint64_t I = 0; I != Inner; ++I) {
    double Jitter = double(I) * 0.6180339887498949;
    Jitter -= std::floor(Jitter);
    uint64_t At = uint64_t((double(I) + Jitter) * double(Others) / Inner);
    Out.push_back({1 + std::min(At, Others - 1), double(Others) / Inner});
  }
  Out.push_back({Count - 1, 1});
  return Out;
}

std::vector<SamplePosition>
withStepsFound(std::vector<SamplePosition> Of, uint64_t Count,
               function_ref<double(uint64_t)> WorkOf) {
  auto IsStep = [&](uint64_t A, uint64_t B) {
    const auto [Less, More] = std::minmax({WorkOf(A), WorkOf(B)});
    return B - A > 1 && More > StepRatio * Less;
  };
  std::vector<uint64_t> At, Steps;
  for (size_t I = 0; I != Of.size(); ++I) {
    if (I != 0 && IsStep(Of[I - 1].At, Of[I].At))
      Steps.push_back(I);
    At.push_back(Of[I].At);
  }
  if (Steps.empty() || Steps.size() > MaxSteps)
    return Of;
  for (uint64_t Step : Steps) {
    uint64_t Low = Of[Step - 1].At, High = Of[Step].At;
    const double Middle = std::sqrt((WorkOf(Low) + 1) * (WorkOf(High) + 1)) - 1;
    const bool IsLowMore = WorkOf(Low) > Middle;
    while (High - Low > 1) {
      const uint64_t Between = Low + (High - Low) / 2;
      ((WorkOf(Between) > Middle) == IsLowMore ? Low : High) = Between;
    }
    At.insert(At.end(), {Low, High});
  }
  llvm::sort(At);
  At.erase(llvm::unique(At), At.end());
  // A sample would hardly meet a short run between two steps, if there were no
  // others like it.
  if (Steps.size() == 2 && Steps[1] == Steps[0] + 1) {
    const auto Peak = llvm::lower_bound(At, Of[Steps[0]].At);
    const uint64_t From = Peak == At.begin() ? *Peak : *std::prev(Peak);
    const uint64_t To = std::next(Peak) == At.end() ? *Peak : *std::next(Peak);
    if (double(To - From) < ShortestRun * double(Count) / double(Of.size()))
      return Of;
  }
  // Each stands for what is nearer to it than to others.
  Of.clear();
  double From = 0;
  for (size_t I = 0; I != At.size(); ++I) {
    const double To =
        I + 1 == At.size() ? double(Count) : double(At[I] + At[I + 1] + 1) / 2;
    Of.push_back({At[I], To - From});
    From = To;
  }
  return Of;
}

void LaneTrips::limit(uint64_t Limit) {
  for (uint64_t &Trips : OfLane)
    Trips = std::min(Trips, Limit);
  Most = std::min(Most, Limit);
}

uint32_t LaneTrips::runningIn(uint64_t K, uint32_t Mask) const {
  uint32_t Running = 0;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
    if (Mask >> Lane & 1 && K < OfLane[Lane])
      Running |= 1u << Lane;
  return Running;
}

uint64_t WarpSampler::numBlocks() const {
  return uint64_t(Launch.Grid[0]) * Launch.Grid[1] * Launch.Grid[2];
}

unsigned WarpSampler::warpsPerBlock() const {
  return divideCeil(
      uint64_t(Launch.Block[0]) * Launch.Block[1] * Launch.Block[2], WarpSize);
}

std::array<uint32_t, 3> WarpSampler::blockAt(uint64_t Number) const {
  assert(Number < numBlocks() && "no such block");
  return {uint32_t(Number % Launch.Grid[0]),
          uint32_t(Number / Launch.Grid[0] % Launch.Grid[1]),
          uint32_t(Number / Launch.Grid[0] / Launch.Grid[1])};
}

WarpSampler::Reaching WarpSampler::reaching(ArrayRef<ExprId> Guards,
                                            uint32_t Mask) {
  Reaching Out = {Mask, 0};
  for (ExprId Guard : Guards) {
    if (!Out.Lanes)
      break;
    uint32_t Open = 0;
    Out.Lanes &= Eval.lanesWhere(Guard, Open);
    Out.Open |= Open;
  }
  Out.Open &= Out.Lanes;
  return Out;
}

LaneTrips WarpSampler::tripsOf(const SiteLoop &Loop, uint32_t Mask) {
  LaneTrips Out;
  bool IsFirst = true;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
    if (!(Mask >> Lane & 1))
      continue;
    ConcreteValue Taken;
    if (Loop.BackedgeTaken != NoExpr)
      Taken = Eval.value(Loop.BackedgeTaken, Lane);
    // The count means nothing in a thread that does not get to the loop.
    if (Taken.State == ConcreteValue::Inactive)
      continue;
    uint64_t Trips = UnknownTrips;
    bool IsKnown = false;
    if (Taken.isKnown()) {
      uint64_t Ones =
          maskTrailingOnes<uint64_t>(Graph[Loop.BackedgeTaken].Width);
      // Of all ones: what a guard before the loop excludes.
      IsKnown = (uint64_t(Taken.Value) & Ones) != Ones;
      if (IsKnown)
        Trips = (uint64_t(Taken.Value) & Ones) + 1;
      Out.IsBounded |= IsKnown;
      IsKnown &= Loop.IsExact;
    }
    Out.IsKnown &= IsKnown;
    Out.IsUniform &= IsFirst || Trips == Out.Most;
    IsFirst = false;
    Out.OfLane[Lane] = Trips;
    Out.Most = std::max(Out.Most, Trips);
  }
  if (!Out.IsKnown && Loop.Stay != NoExpr)
    if (std::optional<LaneTrips> Followed = followedTrips(Loop, Mask))
      return *Followed;
  return Out;
}

/// Goes round the loop until no lane stays in it, or gives up.
std::optional<LaneTrips> WarpSampler::followedTrips(const SiteLoop &Loop,
                                                    uint32_t Mask) {
  LaneTrips Out;
  Out.IsBounded = true;
  uint32_t Entered = 0, Running = Mask;
  for (uint64_t K = 0; Running; ++K) {
    if (K == MaxFollowedTrips)
      return std::nullopt;
    setIteration(Loop.Number, K);
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
      if (!(Running >> Lane & 1))
        continue;
      ConcreteValue Stays = Eval.value(Loop.Stay, Lane);
      if (Stays.State == ConcreteValue::Unknown)
        return std::nullopt;
      // In the first iteration: the thread does not get to the loop.
      bool IsIn = Stays.isKnown();
      if (!IsIn && K != 0)
        return std::nullopt;
      if (IsIn) {
        Out.OfLane[Lane] = K + 1;
        Entered |= 1u << Lane;
      }
      if (!IsIn || Stays.Value == 0)
        Running &= ~(1u << Lane);
    }
  }
  Out.Most = *llvm::max_element(Out.OfLane);
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
    Out.IsUniform &= !(Entered >> Lane & 1) || Out.OfLane[Lane] == Out.Most;
  return Out;
}

SmallVector<ExprId, 4> WarpSampler::guardsBefore(const MemorySite &Site,
                                                 size_t Depth) const {
  assert(Depth < Site.Loops.size() && "no such loop");
  ArrayRef<SiteLoop> Inner = ArrayRef(Site.Loops).drop_front(Depth);
  SmallVector<ExprId, 4> Out;
  for (ExprId Guard : Site.Guards) {
    DenseSet<ExprId> Seen;
    SmallVector<ExprId, 16> Work = {Guard};
    bool IsBefore = true;
    while (!Work.empty()) {
      ExprId Id = Work.pop_back_val();
      if (Id == NoExpr || !Seen.insert(Id).second)
        continue;
      const ExprNode &Node = Graph[Id];
      Work.append(Node.Ops.begin(), Node.Ops.end());
      const StandIn *Carried = Graph.standInOf(Id);
      std::optional<int64_t> Of;
      if (Node.Kind == ExprKind::Iter)
        Of = Node.B;
      else if (Carried && Carried->Kind == StandIn::Carried)
        Of = Carried->Loop;
      IsBefore &= !Of || none_of(Inner, [&](const SiteLoop &L) {
        return L.Number == *Of;
      });
    }
    if (IsBefore)
      Out.push_back(Guard);
  }
  return Out;
}

} // namespace gridspan
