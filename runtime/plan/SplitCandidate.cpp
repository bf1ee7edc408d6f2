//===- SplitCandidate.cpp - A way to run a launch, with its cost ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time is
//
//   max over tiles of
//     max(work / rate, start of blocks, local bytes / bandwidth,
//         remote bytes / link)
//   + fan-out + the launch's share of copies into replicas
//   + filling and combining private copies
//
// which is a lower bound of a kernel's time that treats all candidates alike
// (docs/design/cost-model.md). Bytes are those that memory moves, in whole
// pieces.
//
// Candidates are compared as pages are. How fast one would be if pages were
// where it wants them (what only one tile touches counts as local then, where
// it may move) is what moves are decided by.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/SplitCandidate.h"
#include "runtime/plan/ByteInterval.h"
#include "runtime/plan/PrivateCopies.h"
#include "runtime/plan/TileCopies.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace gridspan {

/// The fewest bytes that go over a link. Ranges that are known are dense as a
/// rule; for unknown ones each element is taken to be alone in its sector, as
/// those of a gather with scattered indices are.
static constexpr double SectorBytes = 32;
/// The seconds that starting a copy into a replica takes.
static constexpr double CopyOverheadSeconds = 5e-6;
/// The seconds that a copy through the host takes besides its bytes: two copies
/// and the waits between the devices.
static constexpr double PeerlessOverheadSeconds = 3e-5;
/// The share of an allocation's bytes that must be remote for a replica to be
/// considered. A replica is of the entire allocation, so that its use is right
/// whatever the ranges say.
static constexpr double ReplicaRemoteShare = 1.0 / 16;
/// The multiple of a buffer's bytes that the devices' parts must add up to for
/// it to count as shared.
static constexpr double SharedFactor = 1.5;
/// The share of a tile's work that a replica may take which saves no bytes that
/// predictions count.
static constexpr double CheapReplica = 0.02;

namespace {

/// The bytes that a tile must be given of an allocation where devices do not
/// reach each other: as its share of what is missing, if the launch is repeated
/// with nothing else in between, and now.
using Fetched = std::array<double, 3>;

class CandidateCost {
public:
  CandidateCost(const PlanInput &In, const SystemInfo &System)
      : In(In), Kernel(*In.Kernel), System(System), Ranges(Kernel.NumAccesses) {
  }

  void evaluate(SplitCandidate &Out, bool HasPrivates);

private:
  void addFootprints(const GridspanBox &Box, std::vector<Touch> &Out,
                     bool &Unknown);
  bool onlyReadThroughReplicable(unsigned Allocation) const;
  bool hasReplica(unsigned Allocation, int Device) const;
  uint64_t unchanged(unsigned Allocation) const;
  void chooseReplicas(SplitCandidate &Out) const;
  void sumByHome(const PageHomes *Homes, Touch &T) const;
  void countBytes(SplitCandidate &Out) const;
  std::vector<double> remoteShares(const SplitCandidate &Out) const;
  double replicaSeconds(unsigned Allocation, int Device) const;
  double busySeconds(const GridspanBox &Box, const DeviceInfo &D) const;
  Fetched bytesFetched(const SplitCandidate &Out, size_t Tile,
                       unsigned Allocation) const;
  bool goesBack(unsigned Allocation) const {
    const PlacedAllocation &A = In.Allocations[Allocation];
    return !A.Stays || A.GoesHome;
  }
  void predict(SplitCandidate &Out) const;

  const PlanInput &In;
  const GridspanKernel &Kernel;
  const SystemInfo &System;
  std::vector<GridspanRange> Ranges; ///< scratch
};

} // namespace

bool isReplaced(const TilePlan &Tile, unsigned Allocation) {
  return std::find(Tile.Replicas.begin(), Tile.Replicas.end(), Allocation) !=
         Tile.Replicas.end();
}

const TileCopy *tileCopy(const TilePlan &Tile, unsigned Allocation) {
  auto It = std::find_if(
      Tile.Copies.begin(), Tile.Copies.end(),
      [&](const TileCopy &S) { return S.Allocation == Allocation; });
  return It == Tile.Copies.end() ? nullptr : &*It;
}

uint32_t outsideModes(const SplitCandidate &C, unsigned Allocation) {
  uint32_t Modes = 0;
  for (const std::vector<Touch> &Tile : C.Touched)
    Modes |= Tile[Allocation].Outside;
  return Modes;
}

void noteOutside(const SplitCandidate &C, Plan &Out) {
  for (const std::vector<Touch> &Tile : C.Touched)
    for (const Touch &T : Tile) {
      Out.TouchesAnywhere |= T.Outside != 0;
      Out.WritesAnywhere |= (T.Outside & (GridspanWrite | GridspanAtomic)) != 0;
    }
}

double linkBandwidth(const SystemInfo &System, int Device, Location Home) {
  if (Home == Device)
    return std::max(1.0, System.Devices[Device].MemoryBandwidth);
  if (Home == Host)
    return std::max(1.0, System.Devices[Device].HostToDevice);
  return System.PeerBandwidth[Device][Home];
}

void CandidateCost::addFootprints(const GridspanBox &Box,
                                  std::vector<Touch> &Out, bool &Unknown) {
  for (const PlacedAllocation &A : In.Allocations)
    Out.push_back({MayAccess(A.Bytes), MayAccess(A.Bytes), 0, {}, {}});
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
    if (!Foreign && leadsOutside(Ranges[I], P.Offset,
                                 {0, static_cast<__int128>(
                                         In.Allocations[P.Allocation].Bytes)}))
      T.Outside |= A.Mode;
    if (Ranges[I].State != GridspanRangeUnknown)
      continue;
    Unknown = true;
    T.PerByteAfar =
        std::max(T.PerByteAfar, SectorBytes / std::max(1U, A.ElementSize));
  }
}

/// Returns true if devices may read the allocation through other addresses:
/// nothing in the launch writes it, and no pointer into it is used for anything
/// but loads.
bool CandidateCost::onlyReadThroughReplicable(unsigned Allocation) const {
  if (Kernel.Flags & GridspanUnknownWrite)
    return false;
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I) {
    if (In.Pointers[I].Allocation != static_cast<int>(Allocation))
      continue;
    const GridspanPointer &P = Kernel.Pointers[I];
    // All pointers into it are moved, also one that is only passed on.
    if (P.Modes == 0 && (P.Flags & (GridspanReplicable | GridspanRedirectable)))
      continue;
    if (P.Modes != GridspanRead || !(P.Flags & GridspanReplicable))
      return false;
  }
  return true;
}

bool CandidateCost::hasReplica(unsigned Allocation, int Device) const {
  const PlacedAllocation &A = In.Allocations[Allocation];
  return A.Tracked && static_cast<size_t>(Device) < A.HasReplica.size() &&
         A.HasReplica[Device];
}

/// Returns the number of launches that have found the allocation's contents as
/// they are. As many more are expected, so that each is charged with its share
/// of a copy. When what copies would have saved comes to their cost, they are
/// made, which is never more than twice what the best choice in hindsight would
/// have cost.
uint64_t CandidateCost::unchanged(unsigned Allocation) const {
  const PlacedAllocation &A = In.Allocations[Allocation];
  return A.Tracked ? A.Unchanged : 0;
}

/// What one tile reads alone gets a replica only where moving its pages would
/// not do, or where the copy is nothing beside the work: devices do not cache
/// each other's memory, so that what a kernel reads again and again crosses the
/// link as often.
void CandidateCost::chooseReplicas(SplitCandidate &Out) const {
  if (Out.Tiles.size() < 2 || !In.MayReplicate)
    return;
  for (unsigned A = 0; A < In.Allocations.size(); ++A) {
    const PlacedAllocation &Placed = In.Allocations[A];
    if (!Placed.Homes || Placed.Paged || !onlyReadThroughReplicable(A) ||
        outsideModes(Out, A))
      continue;
    if (std::any_of(Out.Tiles.begin(), Out.Tiles.end(),
                    [&](const TilePlan &T) { return tileCopy(T, A); }))
      continue;
    uint64_t Lo = UINT64_MAX, Hi = 0;
    double Sum = 0;
    for (const std::vector<Touch> &Tile : Out.Touched) {
      const MayAccess &Reads = Tile[A].Reads;
      if (Reads.empty())
        continue;
      Lo = std::min(Lo, Reads.lo());
      Hi = std::max(Hi, Reads.hi());
      Sum += static_cast<double>(Reads.hi() - Reads.lo());
    }
    if (Sum == 0)
      continue;
    const bool Shared = Sum >= SharedFactor * static_cast<double>(Hi - Lo);
    const bool IsAlone = !Shared && Placed.Movable;
    for (TilePlan &Tile : Out.Tiles) {
      if (IsAlone &&
          replicaSeconds(A, Tile.Device) >
              CheapReplica * busySeconds(Out.Boxes[Tile.Device],
                                         System.Devices[Tile.Device]))
        continue;
      const MayAccess &Reads = Out.Touched[Tile.Device][A].Reads;
      const double Remote =
          Reads.touched() - Reads.touchedAt(*Placed.Homes, Tile.Device);
      if (!Reads.empty() &&
          Remote >= ReplicaRemoteShare * static_cast<double>(Placed.Bytes))
        Tile.Replicas.push_back(A);
    }
  }
}

void CandidateCost::sumByHome(const PageHomes *Homes, Touch &T) const {
  T.ByHome.assign(System.numDevices() + 1, 0);
  T.Moved.assign(System.numDevices() + 1, 0);
  for (const MayAccess *F : {&T.Reads, &T.Writes})
    for (const Span &S : F->spans()) {
      // What is written in part is read first.
      const bool IsFilled = F == &T.Writes && S.Moved > S.Density;
      const double Moved = IsFilled ? 2 * S.Moved : S.Moved;
      auto Add = [&](double Bytes, Location Home) {
        T.ByHome[Home + 1] += Bytes * S.Density;
        T.Moved[Home + 1] += Bytes * Moved;
      };
      if (!Homes) { // not ours
        Add(static_cast<double>(S.Hi - S.Lo), Host);
        continue;
      }
      Homes->forRuns(S.Lo, S.Hi, [&](const PageHomes::Run &R) {
        Add(static_cast<double>(R.Hi - R.Lo), R.Where);
      });
    }
}

void CandidateCost::countBytes(SplitCandidate &Out) const {
  Out.RemoteByAllocation.assign(In.Allocations.size(), 0);
  for (TilePlan &Tile : Out.Tiles) {
    double Local = 0, Remote = 0;
    for (unsigned A = 0; A < In.Allocations.size(); ++A) {
      const Touch &T = Out.Touched[Tile.Device][A];
      const double All = T.all();
      if (const TileCopy *Copy = tileCopy(Tile, A)) {
        Local += All;
        Remote += In.Allocations[A].Stays ? bytesFetched(Out, Tile.Device, A)[1]
                                          : static_cast<double>(bytesIn(*Copy));
        if (goesBack(A))
          Remote += static_cast<double>(bytesOut(*Copy));
        continue;
      }
      if (const PrivateCopy *Copy = privateCopy(Tile, A)) {
        Local += All;
        Remote += static_cast<double>(Copy->Hi - Copy->Lo);
        continue;
      }
      const double Here = isReplaced(Tile, A) ? All : T.at(Tile.Device);
      Local += Here;
      Remote += All - Here;
      Out.RemoteByAllocation[A] += All - Here;
    }
    Tile.LocalBytes = static_cast<uint64_t>(std::llround(Local));
    Tile.RemoteBytes =
        static_cast<uint64_t>(std::llround(std::max(0.0, Remote)));
    Out.RemoteBytes += Remote;
  }
}

/// Returns the sum over all bytes of what the tile that touches one most
/// touches of it, by one sweep over the ends of the tiles' spans.
static double touchedByTheMost(const std::vector<const Touch *> &Tiles) {
  struct End {
    uint64_t At;
    unsigned Tile;
    double Density; ///< added from there on
  };
  std::vector<End> Ends;
  for (unsigned I = 0; I < Tiles.size(); ++I)
    for (const MayAccess *F : {&Tiles[I]->Reads, &Tiles[I]->Writes})
      for (const Span &S : F->spans()) {
        Ends.push_back({S.Lo, I, S.Density});
        Ends.push_back({S.Hi, I, -S.Density});
      }
  std::sort(Ends.begin(), Ends.end(), [](const End &A, const End &B) {
    return std::tie(A.At, A.Tile, A.Density) <
           std::tie(B.At, B.Tile, B.Density);
  });
  std::vector<double> Densities(Tiles.size());
  double Sum = 0;
  uint64_t From = 0;
  for (const End &E : Ends) {
    if (From < E.At)
      Sum += static_cast<double>(E.At - From) *
             *std::max_element(Densities.begin(), Densities.end());
    From = E.At;
    Densities[E.Tile] += E.Density;
  }
  return Sum;
}

/// Per allocation, the share of the remote bytes that stays remote when its
/// pages have moved to the tiles that touch them most. Bytes of several tiles
/// in turn, as the columns of a matrix are, share their pages.
std::vector<double>
CandidateCost::remoteShares(const SplitCandidate &Out) const {
  std::vector<double> Shares(In.Allocations.size(), 1.0);
  for (unsigned A = 0; A < In.Allocations.size(); ++A) {
    const PlacedAllocation &Placed = In.Allocations[A];
    const double Remote = Out.RemoteByAllocation[A];
    if (!Placed.Movable || Remote <= 0)
      continue;
    std::vector<const Touch *> Tiles;
    double Sum = 0;
    for (const TilePlan &Tile : Out.Tiles) {
      if (isReplaced(Tile, A) || tileCopy(Tile, A))
        continue;
      Tiles.push_back(&Out.Touched[Tile.Device][A]);
      Sum += Tiles.back()->all();
    }
    Shares[A] = std::clamp((Sum - touchedByTheMost(Tiles)) / Remote, 0.0, 1.0);
  }
  return Shares;
}

/// Returns the seconds that copying the entire allocation to Device takes.
double CandidateCost::replicaSeconds(unsigned Allocation, int Device) const {
  const PlacedAllocation &A = In.Allocations[Allocation];
  double Seconds = CopyOverheadSeconds;
  A.Homes->forRuns(0, A.Bytes, [&](const PageHomes::Run &R) {
    const auto Bytes = static_cast<double>(R.Hi - R.Lo);
    const double Bandwidth = linkBandwidth(System, Device, R.Where);
    if (Bandwidth > 0)
      Seconds += Bytes / Bandwidth;
    else // through the host
      Seconds += 2 * Bytes / std::max(1.0, System.Devices[Device].HostToDevice);
  });
  return Seconds;
}

/// Returns the seconds that the multiprocessors take for the blocks of a tile:
/// as long as the one with the most blocks, where all of them are there at
/// once.
double CandidateCost::busySeconds(const GridspanBox &Box,
                                  const DeviceInfo &D) const {
  double Blocks = 1;
  uint64_t Threads = 1;
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    Blocks *= Box.BlockCount[Axis];
    Threads *= Box.BlockDim[Axis];
  }
  double Seconds = 0;
  if (Kernel.Work)
    Seconds = Kernel.Work(&Box) / std::max(1.0, D.InstructionRate);
  if (!std::isfinite(Seconds))
    return 0;
  if (Blocks < static_cast<double>(D.residentBlocks(Threads)))
    Seconds *=
        std::ceil(Blocks / D.Multiprocessors) * D.Multiprocessors / Blocks;
  return std::max(Seconds, Blocks * D.BlockSeconds);
}

/// What a launch finds missing stays, but for what other tiles write before it
/// is repeated, which is about what they read as well. So the rest is a cost
/// that launches share, as they share that of replicas. What only one launch
/// would gain from, before all goes home again, its time tells in the end.
Fetched CandidateCost::bytesFetched(const SplitCandidate &Out, size_t Tile,
                                    unsigned Allocation) const {
  const PlacedAllocation &A = In.Allocations[Allocation];
  const int Device = Out.Tiles[Tile].Device;
  const TileCopy *Copy = tileCopy(Out.Tiles[Tile], Allocation);
  double Now = 0;
  if (Copy)
    Now = hasReplica(Allocation, Device)
              ? 0
              : bytesLacked(A, Place::replicaOn(Device), Copy->In);
  else if (Out.Tiles.size() == 1)
    Now = static_cast<double>(A.Copies.bytesAway());
  else if (Device == 0 && !Out.AtHome.empty() && Out.AtHome[Allocation])
    Now = bytesLacked(A, Place::home(), Out.AtHome[Allocation]->Reads);
  if (!A.Stays)
    return {Now, Now, Now};
  double Later = 0;
  if (Out.Tiles.size() > 1 && unchanged(Allocation) == 0 &&
      !Out.AtHome.empty() && Out.AtHome[Allocation])
    Later = bytesShared(Out, Tile, Allocation);
  return {Later + std::max(0.0, Now - Later) / double(1 + In.Repeats), Later,
          Now};
}

void CandidateCost::predict(SplitCandidate &Out) const {
  const std::vector<TilePlan> &Tiles = Out.Tiles;
  const std::vector<double> Shares = remoteShares(Out);
  Out.RemoteBytesInPlace = std::inner_product(
      Shares.begin(), Shares.end(), Out.RemoteByAllocation.begin(), 0.0);
  const std::vector<GridspanReduction> Reductions = reductionsInto(In);
  Fetched FromHome = {};
  double Returned = 0;
  // By what the replicas cost: their share, nothing, all of it; with pages
  // where they are and where they would move.
  std::array<double, 3> AsIs = {}, Moved = {};
  for (const TilePlan &Tile : Tiles) {
    const DeviceInfo &D = System.Devices[Tile.Device];
    const double Seconds = busySeconds(Out.Boxes[Tile.Device], D);
    double LocalBytes = 0, MovedBytes = 0, Links = 0, MovedLinks = 0;
    double Copies = 0, Replicas = 0, ReplicaShare = 0;
    Fetched Given = {};
    const std::optional<double> Atomics =
        atomicsOfArgument(Kernel, Out.Boxes[Tile.Device]);
    for (unsigned A = 0; A < In.Allocations.size(); ++A) {
      const Touch &T = Out.Touched[Tile.Device][A];
      const Fetched Bytes = bytesFetched(Out, Tile.Device, A);
      for (size_t I = 0; I != Bytes.size(); ++I)
        Given[I] += Bytes[I] / std::max(1.0, D.HostToDevice);
      if (const TileCopy *Copy = tileCopy(Tile, A)) {
        const double Back =
            goesBack(A) ? static_cast<double>(bytesOut(*Copy)) : 0;
        Copies += Back / std::max(1.0, D.DeviceToHost);
        if (!In.Allocations[A].Stays || Bytes[1] > 0)
          Copies += Copy->In.size() * PeerlessOverheadSeconds;
        if (goesBack(A))
          Copies += Copy->Out.size() * PeerlessOverheadSeconds;
        for (size_t I = 0; I != Bytes.size(); ++I)
          FromHome[I] += Bytes[I];
        Returned += Back;
        LocalBytes += T.all();
        continue;
      }
      if (const PrivateCopy *Copy = privateCopy(Tile, A)) {
        LocalBytes += std::accumulate(T.Moved.begin(), T.Moved.end(), 0.0);
        Copies += privateFillSeconds(*Copy, System, Tile.Device);
        continue;
      }
      if (isReplaced(Tile, A)) {
        const double Time = replicaSeconds(A, Tile.Device);
        LocalBytes += std::accumulate(T.Moved.begin(), T.Moved.end(), 0.0);
        Replicas += Time;
        if (!hasReplica(A, Tile.Device))
          ReplicaShare += Time / double(1 + unchanged(A));
        continue;
      }
      LocalBytes += T.movedAt(Tile.Device);
      // What is reduced into goes over a link once for each atomic, however few
      // elements there are.
      if (Atomics && Reductions[A] != GridspanReduction::None) {
        const double Time =
            remoteAtomicSeconds(System, Tile.Device, T, *Atomics);
        Links += Time;
        MovedLinks += Time * Shares[A];
        continue;
      }
      for (Location Home = Host; Home < static_cast<int>(System.numDevices());
           ++Home) {
        const double Bytes = T.movedAt(Home);
        const double Bandwidth = linkBandwidth(System, Tile.Device, Home);
        if (Home == Tile.Device || Bytes == 0 || Bandwidth <= 0)
          continue;
        const double Time = Bytes * T.PerByteAfar / Bandwidth;
        MovedBytes += Bytes * (1 - Shares[A]);
        Links += Time;
        MovedLinks += Time * Shares[A];
      }
    }
    Out.AfarSeconds = std::max(Out.AfarSeconds, Links - MovedLinks);
    const double Memory = linkBandwidth(System, Tile.Device, Tile.Device);
    const double Replica[] = {ReplicaShare, 0, Replicas};
    for (unsigned I = 0; I < AsIs.size(); ++I) {
      const double Copied = Copies + Replica[I] + Given[I];
      AsIs[I] = std::max(
          AsIs[I], std::max({Seconds, LocalBytes / Memory, Links}) + Copied);
      Moved[I] = std::max(
          Moved[I],
          std::max({Seconds, (LocalBytes + MovedBytes) / Memory, MovedLinks}) +
              Copied);
    }
  }
  // Copies for tiles of all devices share the home's link, as a rule device
  // 0's.
  const DeviceInfo &Home = System.Devices[0];
  auto Peerless = [&](unsigned I) {
    return std::max(FromHome[I] / std::max(1.0, Home.DeviceToHost),
                    Returned / std::max(1.0, Home.HostToDevice));
  };
  const double FanOut =
      Tiles.size() < System.FanOutSeconds.size() && Tiles.size() > 1
          ? System.FanOutSeconds[Tiles.size()]
          : 0;
  const double Combine = combineSeconds(In, System, Tiles);
  Out.FixedSeconds = FanOut + Combine;
  auto Total = [&](const std::array<double, 3> &Slowest, unsigned I) {
    return std::max(Slowest[I], Peerless(I)) + Out.FixedSeconds;
  };
  Out.Seconds = Total(AsIs, 0);
  Out.SecondsRepeated = Total(AsIs, 1);
  Out.SecondsWithoutReplicas = Total(AsIs, 2);
  Out.SecondsMoved = Total(Moved, 0);
  Out.SecondsInPlace = Total(Moved, 1);
}

void CandidateCost::evaluate(SplitCandidate &Out, bool HasPrivates) {
  for (unsigned I = 0; I < Out.Boxes.size(); ++I) {
    const GridspanBox &Box = Out.Boxes[I];
    TilePlan Tile;
    Tile.Device = static_cast<int>(I);
    std::copy_n(Box.BlockLo, 3, Tile.Lo.begin());
    std::copy_n(Box.BlockCount, 3, Tile.Count.begin());
    Out.Tiles.push_back(std::move(Tile));
    Out.Touched.emplace_back();
    Out.Touched.back().reserve(In.Allocations.size());
    addFootprints(Box, Out.Touched.back(), Out.UnknownRanges);
    for (unsigned A = 0; A < In.Allocations.size(); ++A)
      sumByHome(In.Allocations[A].Homes, Out.Touched.back()[A]);
  }
  planTileCopies(In, System, Out);
  chooseReplicas(Out);
  if (HasPrivates)
    addPrivateCopies(In, Out);
  countBytes(Out);
  predict(Out);
}

SplitCandidate evaluateSplitCandidate(const PlanInput &In,
                                      const SystemInfo &System, unsigned Axis,
                                      std::vector<GridspanBox> Boxes,
                                      bool HasPrivates) {
  SplitCandidate Out;
  Out.Axis = Axis;
  Out.Boxes = std::move(Boxes);
  CandidateCost(In, System).evaluate(Out, HasPrivates);
  return Out;
}

} // namespace gridspan
