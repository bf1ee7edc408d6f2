//===- Planner.cpp - Decide how a launch runs -----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The candidates are the whole launch on device 0 and, for each number of
// devices, one cut along each axis. Each is costed by its footprints:
//
//   time = max over tiles of max(work / rate, local bytes / bandwidth,
//                                remote bytes / link)
//          + fan-out + copies into replicas
//
// which is a lower bound of a kernel's time that treats all candidates alike.
// The axis is the one with the least remote bytes, the number of devices the
// one with the least time.
//
// A page moves by the ski-rental rule: when the bytes that were accessed from
// afar, and would have been local after the move, have come to the bytes of the
// move plus what it costs to stop for it. So moving never costs more than twice
// what the best choice in hindsight would have. Every move of a buffer doubles
// what the next one takes, for programs whose kernels alternately want it
// otherwise.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"
#include "Footprint.h"
#include "TileCut.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace gridspan {

/// What stopping all devices to remap pages costs.
static constexpr double MoveOverheadSeconds = 2e-4;
/// What starting a copy into a replica costs.
static constexpr double CopyOverheadSeconds = 5e-6;
/// Splitting must be predicted to save this share of the time.
static constexpr double LeastGain = 0.05;
/// A replica is of the whole allocation, so that its use is right whatever the
/// ranges say. It is worth it when this share of its bytes would be remote.
static constexpr double ReplicaRemoteShare = 0.25;
/// Devices share a buffer when their parts add up to this much of its bytes.
static constexpr double SharedFactor = 1.5;

bool maySplit(const GridspanKernel &Kernel) {
  return Kernel.TiledStub && !Kernel.Refusal &&
         !(Kernel.Flags & (GridspanNotAnalysed | GridspanGridBarrier));
}

namespace {

struct Cut {
  unsigned Axis = 0;
  std::vector<GridspanBox> Boxes; ///< the K-th runs on device K
};

/// What one tile touches in one allocation.
struct Touch {
  Footprint Reads;
  Footprint Writes; ///< and atomics
};

/// A cut with its footprints and its cost.
struct Candidate {
  Cut C;
  std::vector<TilePlan> Tiles;
  /// [tile][allocation]
  std::vector<std::vector<Touch>> Touched;
  double Seconds = 0;
  double RemoteBytes = 0;
  bool Reachable = true; ///< every device can access what its tile touches
  bool UnknownRanges = false;
};

class LaunchPlanner {
public:
  LaunchPlanner(const PlanInput &In, const SystemInfo &System)
      : In(In), Kernel(*In.Kernel), System(System), Ranges(Kernel.NumAccesses) {
  }

  Plan run(Schedule Schedule);

private:
  std::string_view whyNotSplit(Schedule Schedule) const;
  bool atomicsReachHost() const;
  bool onlyReadThroughReplicable(unsigned Allocation) const;

  Cut wholeCut() const;
  Cut cutAlong(unsigned Axis, unsigned Devices) const;
  Candidate evaluate(Cut C);
  void addFootprints(const GridspanBox &Box, std::vector<Touch> &Out,
                     bool &Unknown);
  void chooseReplicas(Candidate &Out) const;
  void countBytes(Candidate &Out) const;
  void predict(Candidate &Out) const;
  Candidate bestOver(unsigned Devices);

  bool hasReplica(unsigned Allocation, int Device) const;
  double linkBandwidth(int Device, Location Home) const;
  void addEffects(const Candidate &Chosen, Plan &Out) const;
  void addMoves(const Candidate &Chosen, unsigned Allocation, Plan &Out) const;

  const PlanInput &In;
  const GridspanKernel &Kernel;
  const SystemInfo &System;
  std::vector<GridspanRange> Ranges; ///< scratch
};

} // namespace

//===--- Legality of splitting this launch ------------------------------===//

bool LaunchPlanner::atomicsReachHost() const {
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I) {
    const GridspanAccess &A = Kernel.Accesses[I];
    if (A.Mode != GridspanAtomic)
      continue;
    const int Allocation =
        A.Pointer < 0 ? -1 : In.Pointers[A.Pointer].Allocation;
    if (Allocation < 0) {
      if (A.Pointer < 0 && In.HostPagesExist)
        return true;
      continue;
    }
    const HomeMap *Homes = In.Allocations[Allocation].Homes;
    if (!Homes || Homes->anyAt(Host))
      return true;
  }
  return false;
}

std::string_view LaunchPlanner::whyNotSplit(Schedule Schedule) const {
  if (Kernel.Refusal)
    return Kernel.Refusal;
  if (Kernel.Flags & GridspanNotAnalysed)
    return "not-analysed";
  if (!Kernel.TiledStub || (Kernel.Flags & GridspanGridBarrier))
    return "no-tiled-clone";
  if (!In.RunWhole.empty())
    return In.RunWhole;
  if (System.numDevices() < 2)
    return "one-device";
  if (Schedule == Schedule::Single)
    return "schedule-single";
  const uint32_t *Count = In.Box.BlockCount;
  if (Count[0] == 1 && Count[1] == 1 && Count[2] == 1)
    return "one-block";
  if ((Kernel.Flags & GridspanHasAtomics) && !System.PeerAtomics)
    return "no-peer-atomics";
  if (atomicsReachHost())
    return "atomics-on-host-pages";
  return {};
}

//===--- Candidates -----------------------------------------------------===//

Cut LaunchPlanner::wholeCut() const { return {0, {In.Box}}; }

Cut LaunchPlanner::cutAlong(unsigned Axis, unsigned Devices) const {
  std::vector<double> Rates;
  for (unsigned I = 0; I < Devices; ++I)
    Rates.push_back(std::max(1.0, System.Devices[I].InstructionRate));
  const std::vector<uint32_t> Bounds =
      cutTiles(In.Box, Axis, Rates, Kernel.Work);
  Cut Out;
  Out.Axis = Axis;
  for (unsigned I = 0; I < Devices; ++I) {
    GridspanBox Box = In.Box;
    Box.BlockLo[Axis] = Bounds[I];
    Box.BlockCount[Axis] = Bounds[I + 1] - Bounds[I];
    Out.Boxes.push_back(Box);
  }
  return Out;
}

void LaunchPlanner::addFootprints(const GridspanBox &Box,
                                  std::vector<Touch> &Out, bool &Unknown) {
  for (const PlacedAllocation &A : In.Allocations)
    Out.push_back({Footprint(A.Bytes), Footprint(A.Bytes)});
  if (Kernel.NumAccesses == 0)
    return;
  Kernel.Ranges(&Box, Ranges.data());
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I) {
    const GridspanAccess &A = Kernel.Accesses[I];
    if (A.Pointer < 0) {
      Unknown = true; // its bytes are nobody's; nothing can be counted
      continue;
    }
    const PlacedPointer &P = In.Pointers[A.Pointer];
    if (P.Allocation < 0)
      continue;
    const bool Foreign = !In.Allocations[P.Allocation].Homes;
    if (Foreign && Ranges[I].State == GridspanRangeUnknown) {
      Unknown = true; // there is no allocation to count instead
      continue;
    }
    Touch &T = Out[P.Allocation];
    (A.Mode == GridspanRead ? T.Reads : T.Writes).add(Ranges[I], P.Offset);
    Unknown |= Ranges[I].State == GridspanRangeUnknown;
  }
}

/// Whether devices may read the allocation through other addresses: nothing in
/// the launch writes it, and no pointer into it is used for anything but loads.
bool LaunchPlanner::onlyReadThroughReplicable(unsigned Allocation) const {
  if (Kernel.Flags & GridspanUnknownWrite)
    return false;
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I) {
    if (In.Pointers[I].Allocation != static_cast<int>(Allocation))
      continue;
    const GridspanPointer &P = Kernel.Pointers[I];
    if (P.Modes == 0)
      continue;
    if (P.Modes != GridspanRead || !(P.Flags & GridspanReplicable))
      return false;
  }
  return true;
}

bool LaunchPlanner::hasReplica(unsigned Allocation, int Device) const {
  const PlacedAllocation &A = In.Allocations[Allocation];
  return A.Tracked && static_cast<size_t>(Device) < A.HasReplica.size() &&
         A.HasReplica[Device];
}

void LaunchPlanner::chooseReplicas(Candidate &Out) const {
  if (Out.Tiles.size() < 2)
    return;
  for (unsigned A = 0; A < In.Allocations.size(); ++A) {
    const PlacedAllocation &Placed = In.Allocations[A];
    if (!Placed.Homes || !onlyReadThroughReplicable(A))
      continue;
    uint64_t Lo = UINT64_MAX, Hi = 0;
    double Sum = 0;
    for (const std::vector<Touch> &Tile : Out.Touched) {
      const Footprint &Reads = Tile[A].Reads;
      if (Reads.empty())
        continue;
      Lo = std::min(Lo, Reads.lo());
      Hi = std::max(Hi, Reads.hi());
      Sum += static_cast<double>(Reads.hi() - Reads.lo());
    }
    if (Sum == 0)
      continue;
    const bool Shared = Sum >= SharedFactor * static_cast<double>(Hi - Lo);
    if (!Shared && Placed.Movable)
      continue;
    for (TilePlan &Tile : Out.Tiles) {
      const Footprint &Reads = Out.Touched[Tile.Device][A].Reads;
      const double Remote =
          Reads.touched() - Reads.touchedAt(*Placed.Homes, Tile.Device);
      if (!Reads.empty() &&
          Remote >= ReplicaRemoteShare * static_cast<double>(Placed.Bytes))
        Tile.Replicas.push_back(A);
    }
  }
}

static bool replaced(const TilePlan &Tile, unsigned Allocation) {
  return std::find(Tile.Replicas.begin(), Tile.Replicas.end(), Allocation) !=
         Tile.Replicas.end();
}

void LaunchPlanner::countBytes(Candidate &Out) const {
  for (TilePlan &Tile : Out.Tiles) {
    double Local = 0, Remote = 0;
    for (unsigned A = 0; A < In.Allocations.size(); ++A) {
      const Touch &T = Out.Touched[Tile.Device][A];
      const double All = T.Reads.touched() + T.Writes.touched();
      const HomeMap *Homes = In.Allocations[A].Homes;
      double Here = 0;
      if (replaced(Tile, A))
        Here = All;
      else if (Homes)
        Here = T.Reads.touchedAt(*Homes, Tile.Device) +
               T.Writes.touchedAt(*Homes, Tile.Device);
      Local += Here;
      Remote += All - Here;
    }
    Tile.LocalBytes = static_cast<uint64_t>(std::llround(Local));
    Tile.RemoteBytes =
        static_cast<uint64_t>(std::llround(std::max(0.0, Remote)));
    Out.RemoteBytes += Remote;
  }
}

double LaunchPlanner::linkBandwidth(int Device, Location Home) const {
  if (Home == Device)
    return std::max(1.0, System.Devices[Device].MemoryBandwidth);
  if (Home == Host)
    return std::max(1.0, System.Devices[Device].HostToDevice);
  return System.PeerBandwidth[Device][Home];
}

void LaunchPlanner::predict(Candidate &Out) const {
  const unsigned Tiles = Out.Tiles.size();
  double Slowest = 0;
  for (const TilePlan &Tile : Out.Tiles) {
    const DeviceInfo &D = System.Devices[Tile.Device];
    double Seconds = Kernel.Work ? Kernel.Work(&Out.C.Boxes[Tile.Device]) /
                                       std::max(1.0, D.InstructionRate)
                                 : 0;
    if (!std::isfinite(Seconds))
      Seconds = 0;
    Seconds = std::max(Seconds, static_cast<double>(Tile.LocalBytes) /
                                    linkBandwidth(Tile.Device, Tile.Device));
    // Remote bytes by where they are.
    double Links = 0, Copies = 0;
    for (unsigned A = 0; A < In.Allocations.size(); ++A) {
      const HomeMap *Homes = In.Allocations[A].Homes;
      const Touch &T = Out.Touched[Tile.Device][A];
      const bool Replaced = replaced(Tile, A);
      if (Replaced && hasReplica(A, Tile.Device))
        continue;
      double &Time = Replaced ? Copies : Links;
      if (Replaced)
        Time += CopyOverheadSeconds;
      for (Location Home = Host; Home < static_cast<int>(System.numDevices());
           ++Home) {
        if (Home == Tile.Device)
          continue;
        double Bytes = 0;
        if (Homes)
          Bytes = T.Reads.touchedAt(*Homes, Home) +
                  T.Writes.touchedAt(*Homes, Home);
        else if (Home == Host)
          Bytes = T.Reads.touched() + T.Writes.touched();
        if (Bytes == 0)
          continue;
        const double Bandwidth = linkBandwidth(Tile.Device, Home);
        if (Bandwidth > 0)
          Time += Bytes / Bandwidth;
        else if (Replaced) // copies then go through the host
          Time += 2 * Bytes / std::max(1.0, D.HostToDevice);
        else
          Out.Reachable = false;
      }
    }
    Slowest = std::max(Slowest, std::max(Seconds, Links) + Copies);
  }
  const double FanOut = Tiles < System.FanOutSeconds.size() && Tiles > 1
                            ? System.FanOutSeconds[Tiles]
                            : 0;
  Out.Seconds = Slowest + FanOut;
}

Candidate LaunchPlanner::evaluate(Cut C) {
  Candidate Out;
  Out.C = std::move(C);
  for (unsigned I = 0; I < Out.C.Boxes.size(); ++I) {
    const GridspanBox &Box = Out.C.Boxes[I];
    TilePlan Tile;
    Tile.Device = static_cast<int>(I);
    std::copy_n(Box.BlockLo, 3, Tile.Lo.begin());
    std::copy_n(Box.BlockCount, 3, Tile.Count.begin());
    Out.Tiles.push_back(std::move(Tile));
    Out.Touched.emplace_back();
    addFootprints(Box, Out.Touched.back(), Out.UnknownRanges);
  }
  chooseReplicas(Out);
  countBytes(Out);
  predict(Out);
  return Out;
}

/// The best cut for at most Devices devices: most tiles, then reachable, then
/// least remote bytes, then the outermost axis, which memory usually follows.
Candidate LaunchPlanner::bestOver(unsigned Devices) {
  uint32_t Longest = 1;
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    Longest = std::max(Longest, In.Box.BlockCount[Axis]);
  const unsigned Tiles = std::min<uint32_t>(Devices, Longest);
  std::vector<Candidate> Found;
  for (int Axis = 2; Axis >= 0; --Axis)
    if (In.Box.BlockCount[Axis] >= Tiles)
      Found.push_back(evaluate(cutAlong(Axis, Tiles)));
  return *std::min_element(Found.begin(), Found.end(),
                           [](const Candidate &L, const Candidate &R) {
                             if (L.Reachable != R.Reachable)
                               return L.Reachable;
                             return L.RemoteBytes < R.RemoteBytes;
                           });
}

//===--- Consequences ---------------------------------------------------===//

void LaunchPlanner::addMoves(const Candidate &Chosen, unsigned Allocation,
                             Plan &Out) const {
  const PlacedAllocation &Placed = In.Allocations[Allocation];
  // The device that wants each byte: who writes it before who reads it, who has
  // it before who has not. Later entries of this order overwrite earlier ones.
  HomeMap Wanted;
  boost::icl::interval_map<uint64_t, double, boost::icl::partial_enricher>
      Density;
  for (int Pass = 0; Pass < 4; ++Pass)
    for (auto Tile = Chosen.Tiles.rbegin(); Tile != Chosen.Tiles.rend();
         ++Tile) {
      if (replaced(*Tile, Allocation))
        continue;
      const Touch &T = Chosen.Touched[Tile->Device][Allocation];
      for (const Span &S : (Pass < 2 ? T.Reads : T.Writes).spans()) {
        Density.set({boost::icl::interval<uint64_t>::right_open(S.Lo, S.Hi),
                     S.Density});
        for (const HomeMap::Run &R : Placed.Homes->runs(S.Lo, S.Hi))
          if (Pass % 2 == 0 || R.Where == Tile->Device)
            Wanted.set(R.Lo, R.Hi, Tile->Device);
      }
    }
  // Runs that would move, cut to whole pages; the edges round to the nearest.
  const uint64_t Page = System.PageSize;
  auto Round = [&](uint64_t X) {
    return X == Placed.Bytes ? X : (X + Page / 2) / Page * Page;
  };
  double MoveSeconds = MoveOverheadSeconds, RemoteSeconds = 0;
  double Bytes = 0;
  std::vector<MovePlan> Moves;
  for (const HomeMap::Run &W : Wanted.runs(0, Placed.Bytes))
    for (const HomeMap::Run &R :
         Placed.Homes->runs(Round(W.Lo), std::min(Round(W.Hi), Placed.Bytes))) {
      if (R.Where == W.Where)
        continue;
      const double Bandwidth = std::max(1.0, linkBandwidth(W.Where, R.Where));
      auto It = Density.find((R.Lo + R.Hi) / 2);
      const double Touched = static_cast<double>(R.Hi - R.Lo) *
                             (It == Density.end() ? 1.0 : It->second);
      Bytes += Touched;
      RemoteSeconds += Touched / Bandwidth;
      MoveSeconds += static_cast<double>(R.Hi - R.Lo) / Bandwidth;
      Moves.push_back({Allocation, R.Lo, R.Hi, W.Where});
    }
  if (Moves.empty())
    return;
  Out.Effects[Allocation].Misplaced = Bytes;
  const double PerByte = RemoteSeconds / Bytes;
  const double Threshold = MoveSeconds * std::exp2(std::min(Placed.Moves, 8U));
  if ((Placed.Misplaced + Bytes) * PerByte >= Threshold)
    Out.Moves.insert(Out.Moves.end(), Moves.begin(), Moves.end());
}

void LaunchPlanner::addEffects(const Candidate &Chosen, Plan &Out) const {
  Out.WritesAnywhere =
      Kernel.Flags & (GridspanUnknownWrite | GridspanNotAnalysed);
  Out.Effects.resize(In.Allocations.size());
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I)
    if (In.Pointers[I].Allocation >= 0 &&
        (Kernel.Pointers[I].Modes & (GridspanWrite | GridspanAtomic)))
      Out.Effects[In.Pointers[I].Allocation].Written = true;
  for (unsigned A = 0; A < In.Allocations.size(); ++A)
    if (In.Allocations[A].Movable && In.Allocations[A].Homes)
      addMoves(Chosen, A, Out);
}

Plan LaunchPlanner::run(Schedule Schedule) {
  Plan Out;
  Out.WhyWhole = whyNotSplit(Schedule);
  Candidate Chosen = evaluate(wholeCut());
  if (Out.WhyWhole.empty()) {
    const double Whole = Chosen.Seconds;
    const unsigned Most = System.numDevices();
    const unsigned Least = Schedule == Schedule::Static ? Most : 2;
    Out.WhyWhole =
        Schedule == Schedule::Static ? "no-peer-access" : "does-not-pay";
    bool Reached = false;
    for (unsigned Devices = Least; Devices <= Most; ++Devices) {
      Candidate C = bestOver(Devices);
      Reached |= C.Reachable;
      if (!C.Reachable || C.Tiles.size() < 2)
        continue;
      const bool Pays = C.Seconds < Whole * (1 - LeastGain) &&
                        (Out.WhyWhole.size() || C.Seconds < Chosen.Seconds);
      if (Schedule == Schedule::Static || Pays) {
        Out.WhyWhole = {};
        Chosen = std::move(C);
      }
    }
    if (!Reached)
      Out.WhyWhole = "no-peer-access";
  }
  Out.Tiles = Chosen.Tiles;
  Out.Axis = Chosen.C.Axis;
  Out.UnknownRanges = Chosen.UnknownRanges;
  Out.PredictedSeconds = Chosen.Seconds;
  addEffects(Chosen, Out);
  return Out;
}

Plan planLaunch(const PlanInput &Input, const SystemInfo &System,
                Schedule Schedule) {
  return LaunchPlanner(Input, System).run(Schedule);
}

} // namespace gridspan
