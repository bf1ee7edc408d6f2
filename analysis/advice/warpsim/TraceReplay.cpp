//===- TraceReplay.cpp - Memory traffic of a trace ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cache is the share of L1 that the sampled warps have (L1Model). A warp's
// loads of one iteration are issued one after the other, so that they find what
// earlier ones have asked for, whatever has come in between.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/TraceReplay.h"
#include "analysis/advice/sites/ValueBounds.h"
#include "analysis/advice/warpsim/L1Model.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace gridspan {

/// The distance between bases of arrays: far more than any offset.
static constexpr uint64_t ArrayDistance = uint64_t(1) << 44;

double MemoryCounts::loadBytes() const {
  double Sum = 0;
  for (const ArrayTraffic &A : Arrays)
    Sum += A.LoadBytes;
  return Sum;
}

double MemoryCounts::storeBytes() const {
  double Sum = 0;
  for (const ArrayTraffic &A : Arrays)
    Sum += A.StoreBytes;
  return Sum;
}

namespace {

class Replay {
public:
  Replay(const KernelSites &Kernel, const WarpTrace &Trace,
         const MachineModel &Machine, ArrayRef<SiteAddress> Addresses)
      : Kernel(Kernel), Trace(Trace), Addresses(Addresses), Machine(Machine),
        Cache(Machine.L1Bytes * Trace.SampledWarps /
                  std::max(1u, Trace.ResidentWarps),
              Machine) {}

  MemoryCounts run();

private:
  void visit(const TraceEvent &Event);
  void visitRequest(const TraceEvent &Event, const WarpRequest &Request);

  const KernelSites &Kernel;
  const WarpTrace &Trace;
  ArrayRef<SiteAddress> Addresses;
  const MachineModel &Machine;
  L1Model Cache;
  uint32_t Round = 0;
  MemoryCounts Out;
  struct SiteSums {
    double Hits = 0, Loads = 0, Requests = 0, Rows = 0;
  };
  std::vector<SiteSums> Found; ///< by site
  /// The requests of a warp in this iteration.
  struct RequestsUnderWay {
    DenseSet<uint32_t> Sites;
    DenseSet<uint64_t> Sectors, Rows;
  };
  std::vector<RequestsUnderWay> UnderWay; ///< by warp
};

} // namespace

static uint64_t addressOf(const SiteAddress &P, int64_t Offset) {
  if (P.RecordBytes == 0)
    return P.Base + ArrayDistance / 2 + uint64_t(Offset);
  int64_t R = divideFloorSigned(Offset, P.RecordBytes);
  int64_t Group = divideFloorSigned(R, P.Tile);
  FieldAddress F = {0, P.Base, P.TileBytes, P.Stride, P.FieldOffset};
  if (!P.Selected.empty()) {
    // The last one that is not behind the offset.
    auto It = llvm::upper_bound(
        P.Selected, Offset - R * P.RecordBytes,
        [](int64_t At, const FieldAddress &Field) { return At < Field.From; });
    F = It == P.Selected.begin() ? *It : *std::prev(It);
  }
  return F.Base + ArrayDistance / 2 +
         uint64_t(Group * F.TileBytes + (R - Group * P.Tile) * F.Stride +
                  F.FieldOffset);
}

/// Returns the cycles of the load unit. Comparing layouts needs what the times
/// of launches (bench/advice) do not show: side by side over the end of a line
/// is a pass for each of the two.
static double cyclesOf(const WarpRequest &Request,
                       const MachineModel &Machine) {
  unsigned Passes = sharedWavefrontsOf(Request, SharedAccess::Load);
  unsigned Lines = linesOf(Request);
  if (Lines == 2 && Passes == 1 && Request.activeLanes() == WarpSize &&
      idealSectorsOf(Request) == SectorsOfLine)
    return 2;
  return loadUnitCycles(Passes, Lines, Machine);
}

void Replay::visitRequest(const TraceEvent &Event, const WarpRequest &Request) {
  const MemorySite &Site = Kernel.Sites[Event.Site];
  double Weight = Event.Weight * Trace.scale();
  Out.Requests += Weight;
  Out.L1Cycles += Weight * cyclesOf(Request, Machine);
  SmallVector<uint64_t, 64> Sectors;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
    if (Request.isActive(Lane))
      for (uint64_t At = Request.Address[Lane] / SectorBytes;
           At <= (Request.Address[Lane] + Request.Size - 1) / SectorBytes; ++At)
        Sectors.push_back(At);
  llvm::sort(Sectors);
  Sectors.erase(std::unique(Sectors.begin(), Sectors.end()), Sectors.end());
  ArrayTraffic &Traffic = Out.Arrays[Addresses[Event.Site].Array];
  if (Site.Kind == SiteKind::Load) {
    uint64_t RowSectors = Machine.DramRowBytes / SectorBytes;
    double Hits = 0, NewRows = 0;
    for (uint64_t Sector : Sectors) {
      // A warp's loads are issued one after the other: a line does not leave
      // the cache before its data has come.
      bool IsHit = Cache.load(Sector, ++Round) != L1Model::Miss;
      IsHit |= !UnderWay[Event.Warp].Sectors.insert(Sector).second;
      Hits += IsHit;
      NewRows += !IsHit &&
                 UnderWay[Event.Warp].Rows.insert(Sector / RowSectors).second;
    }
    Out.Loads += Weight * double(Sectors.size());
    Out.L1Hits += Weight * Hits;
    Traffic.LoadBytes += Weight * (double(Sectors.size()) - Hits) * SectorBytes;
    SiteSums &F = Found[Event.Site];
    F.Hits += Weight * Hits;
    F.Loads += Weight * double(Sectors.size());
    F.Requests += Weight;
    F.Rows += Weight * NewRows;
    return;
  }
  Traffic.StoreBytes += Weight * double(Sectors.size()) * SectorBytes;
  if (Site.Kind == SiteKind::Atomic) {
    SmallVector<uint64_t, WarpSize> OfLanes;
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
      if (Request.isActive(Lane))
        OfLanes.push_back(Request.Address[Lane]);
    llvm::sort(OfLanes);
    size_t Different =
        size_t(std::unique(OfLanes.begin(), OfLanes.end()) - OfLanes.begin());
    Out.AtomicLanes += Weight * Request.activeLanes();
    Out.OrderedLanes += Site.IsFloatAtomic
                            ? Weight * double(Request.activeLanes() - Different)
                            : 0;
    Out.AtomicSectors += Weight * double(Sectors.size());
    double Scattered =
        Trace.IsScattered[Event.Site] ? Weight * Request.activeLanes() : 0;
    Out.ScatteredLanes += Scattered;
    if (Scattered > 0)
      if (std::optional<ValueBounds> B = offsetBounds(Kernel.Exprs, Site))
        Out.LanesOfLine +=
            Scattered / double(divideCeil(B->size(), uint64_t(LineBytes)));
    if (Scattered == 0)
      Out.SameAddress += Weight * double(Request.activeLanes() - Different);
  }
}

void Replay::visit(const TraceEvent &Event) {
  const SiteAddress &P = Addresses[Event.Site];
  if (P.IsMerged || Kernel.Sites[Event.Site].Space != MemorySpace::Global)
    return;
  // A site again: the next iteration.
  RequestsUnderWay &Warp = UnderWay[Event.Warp];
  if (!Warp.Sites.insert(Event.Site).second) {
    Warp.Sites = {Event.Site};
    Warp.Sectors.clear();
    Warp.Rows.clear();
  }
  for (unsigned Piece = 0; Piece != P.Pieces; ++Piece) {
    WarpRequest Request;
    Request.Size = P.Bytes;
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
      if (Event.Active >> Lane & 1)
        Request.add(Lane, addressOf(P, Event.Offset[Lane]) + Piece * P.Bytes);
    visitRequest(Event, Request);
  }
}

MemoryCounts Replay::run() {
  unsigned NumArrays = 1;
  for (const SiteAddress &P : Addresses)
    NumArrays = std::max(NumArrays, P.Array + 1);
  Out.Arrays.resize(NumArrays);
  Found.resize(Kernel.Sites.size());
  uint32_t NumWarps = Trace.SampledWarps;
  for (const TraceEvent &Event : Trace.Events)
    NumWarps = std::max(NumWarps, Event.Warp + 1);
  UnderWay.resize(NumWarps);
  for (const TraceEvent &Event : Trace.Events)
    visit(Event);
  for (const SiteSums &F : Found) {
    Out.HitShare.push_back(F.Loads > 0 ? F.Hits / F.Loads : -1);
    Out.Sectors.push_back(F.Requests > 0 ? F.Loads / F.Requests : 0);
    Out.Rows.push_back(F.Requests > 0 ? F.Rows / F.Requests : 0);
  }
  return std::move(Out);
}

MemoryCounts replayTrace(const KernelSites &Kernel, const WarpTrace &Trace,
                         const MachineModel &Machine,
                         ArrayRef<SiteAddress> Addresses) {
  return Replay(Kernel, Trace, Machine, Addresses).run();
}

std::vector<SiteAddress> presentAddresses(const KernelSites &Kernel) {
  MapVector<StringRef, unsigned> Arrays;
  std::vector<SiteAddress> Out;
  for (const MemorySite &Site : Kernel.Sites) {
    SiteAddress P;
    P.Array = Arrays.insert({Site.Base, unsigned(Arrays.size())}).first->second;
    P.Base = P.Array * ArrayDistance;
    P.Bytes = std::max(1u, Site.Piece);
    P.Pieces = std::max(1u, Site.Size) / P.Bytes;
    Out.push_back(P);
  }
  return Out;
}

} // namespace gridspan
