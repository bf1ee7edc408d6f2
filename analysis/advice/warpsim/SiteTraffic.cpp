//===- SiteTraffic.cpp - Requests of one memory site ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks, warps of a block and iterations of the loops around the site are
// visited with WarpSampler, and each warp's lanes evaluated.
//
// Where there are too many requests, each grid axis and each loop is thinned to
// few positions (samplePositions). Warps of a block are never thinned.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/SiteTraffic.h"
#include "analysis/advice/warpsim/WarpSampler.h"
#include "analysis/expr/LaunchDefaults.h"
#include "analysis/machine/WarpRequest.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace gridspan {

namespace {

/// Positions of an axis or loop that are always visited.
constexpr uint64_t MinLimit = 3;

class Evaluation {
public:
  Evaluation(const ExprGraph &Graph, const MemorySite &Site,
             const LaunchValues &Launch, const TrafficOptions &Options,
             LaunchMemo *Memo, std::optional<unsigned> Try = std::nullopt)
      : Graph(Graph), Site(Site), Launch(Launch), Options(Options),
        Offset(Try ? Site.OpenOffset : Site.Offset),
        Sampler(Graph, Launch, Memo), Trips(Site.Loops.size()),
        Iteration(Site.Loops.size()) {
    if (Try)
      Sampler.setTry(*Try);
    for (size_t I = 0; I != Site.Loops.size(); ++I)
      OuterGuards.push_back(Sampler.guardsBefore(Site, I));
  }

  SiteTraffic run();

private:
  void chooseLimit();
  double productWith(uint64_t L);
  std::vector<SamplePosition> positions(uint64_t Count, uint64_t Limit);
  LaneTrips tripsAt(size_t Depth);
  void visitWarps(double Weight);
  void visitLoops(size_t Depth, double Weight);
  void visitRequest(double Weight);
  void addRequest(const WarpRequest &Request, double Weight);
  void noteDistances(const WarpRequest &Request);

  const ExprGraph &Graph;
  const MemorySite &Site;
  const LaunchValues &Launch;
  const TrafficOptions &Options;
  const ExprId Offset;
  WarpSampler Sampler;
  SiteTraffic Out;
  TrafficSums Sums;
  /// The conditions that do not depend on a loop or inner ones, and its trips
  /// where the walk stands; both by loop.
  std::vector<SmallVector<ExprId, 4>> OuterGuards;
  std::vector<LaneTrips> Trips;
  std::vector<uint64_t> Iteration; ///< by loop
  uint64_t Limit = 0;              ///< positions of an axis or loop at most
  uint64_t NumVisited = 0;
  bool IsUniformStride = true, IsBroadcast = true;
  bool HasFailed = false;
};

} // namespace

std::vector<SamplePosition> Evaluation::positions(uint64_t Count,
                                                  uint64_t Limit) {
  Out.IsSampled |= Count > Limit;
  return samplePositions(Count, Limit);
}

/// Returns the trips of the loop in the warp, outer loops as they stand.
LaneTrips Evaluation::tripsAt(size_t Depth) {
  Sampler.setIteration(Site.Loops[Depth].Number, 0);
  auto [Lanes, Open] = Sampler.reaching(OuterGuards[Depth], Sampler.lanes());
  return Sampler.tripsOf(Site.Loops[Depth], Lanes);
}

/// Returns about how many requests are visited with at most L positions. The
/// trip count in the middle of the launch stands for all.
double Evaluation::productWith(uint64_t L) {
  double Product = Sampler.warpsPerBlock();
  for (uint32_t G : Launch.Grid)
    Product *= double(std::min<uint64_t>(G, L));
  Sampler.setBlock(
      {Launch.Grid[0] / 2, Launch.Grid[1] / 2, Launch.Grid[2] / 2});
  Sampler.setWarp(0);
  for (size_t I = 0; I != Site.Loops.size(); ++I) {
    uint64_t Most = tripsAt(I).Most;
    // It may run elsewhere.
    if (Most == 0)
      Most = UnknownTrips;
    Sampler.setIteration(Site.Loops[I].Number, Most / 2);
    Product *= double(std::min(Most, L));
  }
  return Product;
}

/// Sets the largest limit for which the requests fit the budget.
void Evaluation::chooseLimit() {
  for (uint64_t L : {std::max<uint64_t>(Options.MaxRequests, MinLimit),
                     uint64_t(64), uint64_t(32), uint64_t(16), uint64_t(10),
                     uint64_t(6), uint64_t(4), MinLimit}) {
    Limit = L;
    if (productWith(L) <= Options.MaxRequests)
      return;
  }
}

void Evaluation::addRequest(const WarpRequest &Request, double Weight) {
  auto UnitsAt = [&](uint64_t Base, bool Ideal) -> unsigned {
    WarpRequest R = Request;
    for (uint64_t &Address : R.Address)
      Address += Base;
    if (Site.Space == MemorySpace::Global)
      return Ideal ? idealSectorsOf(R) : sectorsOf(R);
    const SharedAccess Kind = sharedAccessOf(Site);
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

void Evaluation::noteDistances(const WarpRequest &Request) {
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
}

void Evaluation::visitRequest(double Weight) {
  ++NumVisited;
  uint32_t Mask = Sampler.lanes();
  // Iterations go as far as the longest lane's: others may have ended.
  for (size_t I = 0; I != Trips.size(); ++I)
    Mask = Trips[I].runningIn(Iteration[I], Mask);
  auto [Lanes, Open] = Sampler.reaching(Site.Guards, Mask);
  WarpRequest Request;
  Request.Size = Site.Piece;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
    if (!(Lanes >> Lane & 1))
      continue;
    ConcreteValue Place = Sampler.value(Offset, Lane);
    if (Place.State == ConcreteValue::Inactive)
      continue;
    if (!Place.isKnown()) {
      StringRef Why = Graph.unknownReason(Offset);
      if (Why.empty())
        Why = Graph.carriedReason(Offset);
      Out.Why = !Why.empty() ? Why.str()
                : Graph.containsKind(Offset, ExprKind::Merge)
                    ? "a value that comes in several ways"
                : Graph.containsKind(Offset, ExprKind::Bounded)
                    ? "a count of bits"
                    : "it depends on a parameter without a value";
      HasFailed = true;
      return;
    }
    // Far from zero, so that negative offsets stay in order.
    Request.add(Lane, (uint64_t(1) << 62) + Options.BaseAlignment +
                          uint64_t(Place.Value));
  }
  if (!Request.Active)
    return;
  Out.AreGuardsKnown &= !(Open & Request.Active);
  noteDistances(Request);
  // A wide access is one instruction for each piece.
  for (unsigned At = 0; At < Site.Size; At += Site.Piece) {
    addRequest(Request, Weight);
    for (uint64_t &Address : Request.Address)
      Address += Site.Piece;
  }
}

void Evaluation::visitLoops(size_t Depth, double Weight) {
  if (HasFailed)
    return;
  if (Depth == Site.Loops.size())
    return visitRequest(Weight);
  Trips[Depth] = tripsAt(Depth);
  Out.AreTripCountsKnown &= Trips[Depth].IsKnown;
  Out.DoLoopsDiverge |= !Trips[Depth].IsUniform;
  // The estimate behind Limit may have been far off.
  bool IsOver = NumVisited > 4 * uint64_t(Options.MaxRequests);
  for (SamplePosition P :
       positions(Trips[Depth].Most, IsOver ? MinLimit : Limit)) {
    Sampler.setIteration(Site.Loops[Depth].Number, P.At);
    Iteration[Depth] = P.At;
    visitLoops(Depth + 1, Weight * P.Weight);
  }
}

void Evaluation::visitWarps(double Weight) {
  for (unsigned Warp = 0, End = Sampler.warpsPerBlock(); Warp != End; ++Warp) {
    Sampler.setWarp(Warp);
    visitLoops(0, Weight);
  }
}

SiteTraffic Evaluation::run() {
  if (Offset == Site.Offset && !Site.Why.empty() &&
      Graph[Offset].Kind == ExprKind::Unknown) {
    Out.Why = Site.Why;
    return Out;
  }
  chooseLimit();
  for (SamplePosition Z : positions(Launch.Grid[2], Limit))
    for (SamplePosition Y : positions(Launch.Grid[1], Limit))
      for (SamplePosition X : positions(Launch.Grid[0], Limit)) {
        if (HasFailed)
          return Out;
        Sampler.setBlock({uint32_t(X.At), uint32_t(Y.At), uint32_t(Z.At)});
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

SiteTraffic evaluateTraffic(const ExprGraph &Graph, const MemorySite &Site,
                            const LaunchValues &Launch,
                            const TrafficOptions &Options, LaunchMemo *Memo) {
  return Evaluation(Graph, Site, Launch, Options, Memo).run();
}

SiteTraffic tryTraffic(const ExprGraph &Graph, const MemorySite &Site,
                       const LaunchValues &Launch,
                       const TrafficOptions &Options, unsigned Try,
                       LaunchMemo *Memo) {
  assert(Site.OpenOffset != NoExpr && "nothing is open");
  SiteTraffic Out = Evaluation(Graph, Site, Launch, Options, Memo, Try).run();
  Out.IsExact = false;
  return Out;
}

} // namespace gridspan
