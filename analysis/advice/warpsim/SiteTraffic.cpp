//===- SiteTraffic.cpp - Requests of a memory site in a launch ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks, warps of a block and iterations of the loops around are enumerated,
// and each warp's lanes evaluated. Threads of a block are numbered with x
// fastest and cut into warps of 32, so that a warp may span rows.
//
// Where there are too many requests, each grid axis and each loop is thinned to
// few positions: the first and the last, where guards and alignment differ,
// stand for themselves, and evenly spread inner ones for all others. Warps of a
// block are never thinned.
//
// A lane takes part unless a condition fails, a value of it does not exist (the
// value is only defined for threads that get here), or a loop has ended for it.
// What is not known counts as taking part, and is said.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/SiteTraffic.h"
#include "analysis/machine/WarpRequest.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace gridspan {

namespace {

/// A position that stands for Weight of them.
struct Position {
  uint64_t At;
  double Weight;
};

/// Positions of an axis or loop that are always looked at.
constexpr uint64_t MinLimit = 3;

/// Iterations looked at of a loop whose trip count is unknown.
constexpr uint64_t AssumedIterations = 4;

/// Of a loop that does not run where it was looked at, for the budget only.
constexpr uint64_t TypicalTrips = 64;

class Evaluation {
public:
  Evaluation(const ExprPool &Pool, const MemorySite &Site,
             const LaunchValues &Launch, const TrafficOptions &Options)
      : Pool(Pool), Site(Site), Launch(Launch), Options(Options),
        Eval(Pool, rootsOf(Site), Launch) {
    for (size_t I = 0; I != Site.Loops.size(); ++I)
      OuterGuards.push_back(guardsBefore(I));
  }

  SiteTraffic run();

private:
  static std::vector<ExprId> rootsOf(const MemorySite &Site);
  void thin();
  std::vector<Position> positions(uint64_t Count, uint64_t Limit);
  void visitWarps(double Weight);
  void visitLoops(unsigned Warp, size_t Depth, double Weight);
  void visitRequest(unsigned Warp, double Weight);
  void addRequest(WarpRequest Request, double Weight);
  bool setLane(unsigned Warp, unsigned Lane);
  std::optional<uint64_t> iterations(unsigned Warp, size_t Depth);
  void fail(StringRef Why);
  bool isOut(ExprId Guard);
  SmallVector<ExprId, 4> guardsBefore(size_t Depth) const;

  const ExprPool &Pool;
  const MemorySite &Site;
  const LaunchValues &Launch;
  const TrafficOptions &Options;
  ConcreteEval Eval;
  SiteTraffic Out;
  TrafficSums Sums;
  /// For each loop, the conditions that do not depend on it or inner ones.
  std::vector<SmallVector<ExprId, 4>> OuterGuards;
  uint64_t Limit = 0; ///< positions of an axis or loop at most
  uint64_t NumVisited = 0;
  bool IsUniformStride = true, IsBroadcast = true;
  bool HasFailed = false;
};

} // namespace

std::vector<ExprId> Evaluation::rootsOf(const MemorySite &Site) {
  std::vector<ExprId> Roots = {Site.Offset};
  Roots.insert(Roots.end(), Site.Guards.begin(), Site.Guards.end());
  for (const SiteLoop &L : Site.Loops)
    if (L.BackedgeTaken != NoExpr)
      Roots.push_back(L.BackedgeTaken);
  return Roots;
}

SmallVector<ExprId, 4> Evaluation::guardsBefore(size_t Depth) const {
  SmallVector<ExprId, 4> Out;
  for (ExprId Guard : Site.Guards) {
    auto IsLater = [&](const ExprNode &Node) {
      return Node.Kind == ExprKind::Iter &&
             any_of(drop_begin(Site.Loops, Depth),
                    [&](const SiteLoop &L) { return L.Number == Node.B; });
    };
    if (Pool.findBelow(Guard, IsLater) == NoExpr)
      Out.push_back(Guard);
  }
  return Out;
}

/// Whether the condition certainly fails in the thread.
bool Evaluation::isOut(ExprId Guard) {
  ConcreteValue V = Eval.value(Guard);
  return V.State == ConcreteValue::Inactive || (V.isKnown() && V.Value == 0);
}

void Evaluation::fail(StringRef Why) {
  if (!HasFailed)
    Out.Why = Why.str();
  HasFailed = true;
}

std::vector<Position> Evaluation::positions(uint64_t Count, uint64_t Limit) {
  std::vector<Position> Out;
  if (Count <= Limit) {
    for (uint64_t I = 0; I != Count; ++I)
      Out.push_back({I, 1});
    return Out;
  }
  this->Out.IsSampled = true;
  uint64_t Inner = Limit - 2, Others = Count - 2;
  Out.push_back({0, 1});
  // One anywhere in each of equal parts: even spacing would follow the period
  // of the alignment. The golden ratio spreads them.
  for (uint64_t I = 0; I != Inner; ++I) {
    double Jitter = I * 0.6180339887498949;
    Jitter -= std::floor(Jitter);
    uint64_t At = uint64_t((I + Jitter) * double(Others) / Inner);
    Out.push_back({1 + std::min(At, Others - 1), double(Others) / Inner});
  }
  Out.push_back({Count - 1, 1});
  return Out;
}

void Evaluation::thin() {
  // The largest limit for which the product fits the budget, loops counted with
  // as many iterations as the limit lets them have.
  uint64_t Threads =
      uint64_t(Launch.Block[0]) * Launch.Block[1] * Launch.Block[2];
  double Warps = std::ceil(double(Threads) / WarpSize);
  for (uint64_t L : {std::max<uint64_t>(Options.MaxRequests, MinLimit),
                     uint64_t(64), uint64_t(32), uint64_t(16), uint64_t(10),
                     uint64_t(6), uint64_t(4), MinLimit}) {
    Limit = L;
    double Product = Warps;
    for (uint32_t G : Launch.Grid)
      Product *= double(std::min<uint64_t>(G, L));
    for (size_t I = 0; I != Site.Loops.size(); ++I) {
      // The trip count in the middle of the launch stands for all.
      Eval.setBlock(
          {Launch.Grid[0] / 2, Launch.Grid[1] / 2, Launch.Grid[2] / 2});
      Eval.setIteration(Site.Loops[I].Number, 0);
      uint64_t Trips = iterations(0, I).value_or(AssumedIterations);
      if (Trips == 0)
        Trips = TypicalTrips;
      Eval.setIteration(Site.Loops[I].Number, Trips / 2);
      Product *= double(std::min(Trips, L));
    }
    if (Product <= Options.MaxRequests)
      return;
  }
}

bool Evaluation::setLane(unsigned Warp, unsigned Lane) {
  uint64_t T = uint64_t(Warp) * WarpSize + Lane;
  const auto &B = Launch.Block;
  if (T >= uint64_t(B[0]) * B[1] * B[2])
    return false;
  Eval.setThread({uint32_t(T % B[0]), uint32_t(T / B[0] % B[1]),
                  uint32_t(T / B[0] / B[1])});
  return true;
}

/// How often the loop runs at most in a lane of the warp.
std::optional<uint64_t> Evaluation::iterations(unsigned Warp, size_t Depth) {
  const SiteLoop &L = Site.Loops[Depth];
  if (L.BackedgeTaken == NoExpr)
    return std::nullopt;
  unsigned Width = Pool[L.BackedgeTaken].Width;
  uint64_t Most = 0;
  bool Any = false;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
    if (!setLane(Warp, Lane))
      break;
    // The count means nothing in a thread that does not get to the loop.
    if (any_of(OuterGuards[Depth], [&](ExprId G) { return isOut(G); }))
      continue;
    ConcreteValue V = Eval.value(L.BackedgeTaken);
    if (V.State == ConcreteValue::Inactive)
      continue;
    if (!V.isKnown())
      return std::nullopt;
    uint64_t Taken = Width == 64
                         ? uint64_t(V.Value)
                         : uint64_t(V.Value) & ((uint64_t(1) << Width) - 1);
    if (Taken == ~uint64_t(0))
      return std::nullopt;
    Out.DoLoopsDiverge |= Any && Most != Taken + 1;
    Most = std::max(Most, Taken + 1);
    Any = true;
  }
  return Any ? Most : 0;
}

void Evaluation::addRequest(WarpRequest Request, double Weight) {
  auto UnitsAt = [&](uint64_t Base, bool Ideal) -> unsigned {
    WarpRequest R = Request;
    for (uint64_t &Address : R.Address)
      Address += Base;
    if (Site.Space == MemorySpace::Global)
      return Ideal ? idealSectorsOf(R) : sectorsOf(R);
    SharedAccess Kind = Site.Kind == SiteKind::Load    ? SharedAccess::Load
                        : Site.Kind == SiteKind::Store ? SharedAccess::Store
                                                       : SharedAccess::Atomic;
    return Ideal ? idealSharedWavefrontsOf(R, Kind)
                 : sharedWavefrontsOf(R, Kind);
  };
  unsigned Units = UnitsAt(0, false), Worst = Units;
  // Moving all addresses alike turns the banks, nothing else.
  if (Site.Space == MemorySpace::Global)
    for (unsigned Base = Site.Piece; Base < SectorBytes; Base += Site.Piece)
      Worst = std::max(Worst, UnitsAt(Base, false));
  Sums.MinUnits = Sums.Requests == 0 ? Units : std::min(Sums.MinUnits, Units);
  Sums.MaxUnits = std::max(Sums.MaxUnits, Units);
  Sums.Requests += Weight;
  Sums.Lanes += Weight * Request.activeLanes();
  Sums.Units += Weight * Units;
  Sums.Ideal += Weight * UnitsAt(0, true);
  Sums.WorstUnits += Weight * Worst;
}

void Evaluation::visitRequest(unsigned Warp, double Weight) {
  ++NumVisited;
  WarpRequest Request;
  Request.Size = Site.Piece;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
    if (!setLane(Warp, Lane))
      break;
    bool IsOut = false, IsOpen = false;
    for (ExprId G : Site.Guards) {
      if (isOut(G))
        IsOut = true;
      else if (!Eval.value(G).isKnown())
        IsOpen = true;
    }
    for (const SiteLoop &L : Site.Loops) {
      if (L.BackedgeTaken == NoExpr)
        continue;
      // Iterations go as far as the longest lane's: this one may have ended.
      ConcreteValue V = Eval.value(L.BackedgeTaken);
      unsigned Width = Pool[L.BackedgeTaken].Width;
      uint64_t Mask = Width == 64 ? ~uint64_t(0) : (uint64_t(1) << Width) - 1;
      if (V.State == ConcreteValue::Inactive ||
          (V.isKnown() &&
           Eval.iteration(L.Number) > (uint64_t(V.Value) & Mask)))
        IsOut = true;
    }
    ConcreteValue Offset = Eval.value(Site.Offset);
    if (IsOut || Offset.State == ConcreteValue::Inactive)
      continue;
    Out.AreGuardsKnown &= !IsOpen;
    if (!Offset.isKnown()) {
      StringRef Why = Pool.unknownReason(Site.Offset);
      return fail(Why.empty() ? "it depends on a parameter without a value"
                              : Why);
    }
    Request.add(Lane, uint64_t(Offset.Value));
  }
  if (!Request.Active)
    return;

  // Far from zero, so that negative offsets stay in order.
  for (uint64_t &Address : Request.Address)
    Address += (uint64_t(1) << 62) + Options.BaseAlignment;
  bool IsFull = Request.activeLanes() == WarpSize;
  int64_t Step = int64_t(Request.Address[1] - Request.Address[0]);
  int FirstLane = __builtin_ctz(Request.Active);
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
    if (!Request.isActive(Lane))
      continue;
    IsBroadcast &= Request.Address[Lane] == Request.Address[FirstLane];
    if (IsFull && Lane)
      IsUniformStride &=
          int64_t(Request.Address[Lane] - Request.Address[Lane - 1]) == Step;
  }
  if (IsFull) {
    IsUniformStride &= !Out.LaneStride || *Out.LaneStride == Step;
    Out.LaneStride = Step;
  }
  // A wide access is one instruction for each piece.
  for (unsigned At = 0; At < Site.Size; At += Site.Piece) {
    addRequest(Request, Weight);
    for (uint64_t &Address : Request.Address)
      Address += Site.Piece;
  }
}

void Evaluation::visitLoops(unsigned Warp, size_t Depth, double Weight) {
  if (HasFailed)
    return;
  if (Depth == Site.Loops.size())
    return visitRequest(Warp, Weight);
  Eval.setIteration(Site.Loops[Depth].Number, 0);
  std::optional<uint64_t> Count = iterations(Warp, Depth);
  if (!Count) {
    Out.AreTripCountsKnown = false;
    Count = AssumedIterations;
  }
  Out.AreTripCountsKnown &= Site.Loops[Depth].IsExact;
  // The estimate behind Limit may have been far off.
  bool IsOver = NumVisited > 4 * uint64_t(Options.MaxRequests);
  for (Position P : positions(*Count, IsOver ? MinLimit : Limit)) {
    Eval.setIteration(Site.Loops[Depth].Number, P.At);
    visitLoops(Warp, Depth + 1, Weight * P.Weight);
  }
}

void Evaluation::visitWarps(double Weight) {
  uint64_t Threads =
      uint64_t(Launch.Block[0]) * Launch.Block[1] * Launch.Block[2];
  for (unsigned Warp = 0; Warp * uint64_t(WarpSize) < Threads; ++Warp)
    visitLoops(Warp, 0, Weight);
}

SiteTraffic Evaluation::run() {
  if (!Site.Why.empty() && Pool[Site.Offset].Kind == ExprKind::Unknown) {
    Out.Why = Site.Why;
    return Out;
  }
  thin();
  for (Position Z : positions(Launch.Grid[2], Limit))
    for (Position Y : positions(Launch.Grid[1], Limit))
      for (Position X : positions(Launch.Grid[0], Limit)) {
        if (HasFailed)
          return Out;
        Eval.setBlock({uint32_t(X.At), uint32_t(Y.At), uint32_t(Z.At)});
        visitWarps(Z.Weight * Y.Weight * X.Weight);
      }
  if (HasFailed)
    return Out;
  if (!IsUniformStride)
    Out.LaneStride.reset();
  Out.IsBroadcast = IsBroadcast && Sums.Requests > 0;
  Out.IsExact = !Out.IsSampled && Out.AreGuardsKnown &&
                Out.AreTripCountsKnown && !Out.DoLoopsDiverge;
  // Weights are quotients: what they add up to is rounded to what it means.
  for (double *Sum : {&Sums.Requests, &Sums.Lanes, &Sums.Units, &Sums.Ideal,
                      &Sums.WorstUnits})
    *Sum = std::round(*Sum * 1000) / 1000;
  Out.Sums = Sums;
  return Out;
}

SiteTraffic evaluateTraffic(const ExprPool &Pool, const MemorySite &Site,
                            const LaunchValues &Launch,
                            const TrafficOptions &Options) {
  return Evaluation(Pool, Site, Launch, Options).run();
}

} // namespace gridspan
