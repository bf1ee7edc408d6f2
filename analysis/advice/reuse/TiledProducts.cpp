//===- TiledProducts.cpp - Products of matrices, read from memory ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two loads of a loop that gathers, of which one has as many rows as there are
// elements per iteration in all it touches, the other as many columns: if rows
// times columns are the threads of the launch, each pair of a row and a column
// is one thread's, and blocks of T x T threads can share T rows and T columns,
// whatever the launch's blocks are. Each byte of the tiles is then read once in
// T times.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/reuse/TiledProducts.h"
#include <cmath>

using namespace llvm;

namespace gridspan {

/// Rows and columns of a tile.
static constexpr unsigned TileSide = 32, SmallTileSide = 16;

/// Tiles of a matrix, along rows and columns, below which there is nothing to
/// share.
static constexpr double MinTiles = 2;

/// The difference allowed between rows times columns and the threads, of which
/// guards leave out some.
static constexpr double Tolerance = 0.1;

std::vector<TiledProduct> findProducts(const KernelSites &Kernel,
                                       const WarpTrace &Trace) {
  std::vector<TiledProduct> Out;
  unsigned Side = Kernel.MaxThreads == 0 || Kernel.MaxThreads >= 1024
                      ? TileSide
                      : SmallTileSide;
  double Threads = Trace.TotalWarps * 32;
  for (const WorkLevel &Level : Kernel.Work) {
    if (!Level.HasReduction || Level.Loops.size() != 1)
      continue;
    int64_t Loop = Level.Loops.back().Number;
    auto It = Trace.Trips.find(Loop);
    double Trips = It == Trace.Trips.end() ? 0 : It->second;
    SmallVector<uint32_t, 4> Loads;
    for (uint32_t I = 0; I != Kernel.Sites.size(); ++I) {
      const MemorySite &Site = Kernel.Sites[I];
      if (Site.Loops.size() == 1 && Site.Loops.back().Number == Loop &&
          Site.Space == MemorySpace::Global && Site.Kind == SiteKind::Load)
        Loads.push_back(I);
    }
    if (Loads.size() != 2 || Trips < MinTiles * Side)
      continue;
    auto AcrossOf = [&](uint32_t I) {
      const OffsetRange &R = Trace.Ranges[I];
      const MemorySite &Site = Kernel.Sites[I];
      if (R.isEmpty() || Trace.IsScattered[I])
        return 0.0;
      return (double(R.Hi - R.Lo) + Site.Size) / (Trips * Site.Size);
    };
    double Rows = AcrossOf(Loads[0]), Columns = AcrossOf(Loads[1]);
    if (Rows < MinTiles * Side || Columns < MinTiles * Side ||
        std::abs(Rows * Columns / Threads - 1) > Tolerance)
      continue;
    TiledProduct P;
    P.First = Loads[0];
    P.Second = Loads[1];
    P.Side = Side;
    P.Trips = Trips;
    P.TileBytes = double(Side) * Side *
                  (Kernel.Sites[P.First].Size + Kernel.Sites[P.Second].Size);
    Out.push_back(P);
  }
  return Out;
}

MemoryCounts countsOfTiles(const KernelSites &Kernel, const WarpTrace &Trace,
                           const MachineModel &Machine,
                           ArrayRef<SiteAddress> Addresses,
                           TiledProduct &Product) {
  WarpTrace Rest = Trace;
  Rest.Events.clear();
  double Requests = 0;
  std::array<double, 2> Bytes = {0, 0}; ///< of lanes
  for (const TraceEvent &Event : Trace.Events) {
    if (Event.Site != Product.First && Event.Site != Product.Second) {
      Rest.Events.push_back(Event);
      continue;
    }
    double Weight = Event.Weight * Trace.scale();
    Requests += Weight;
    Bytes[Event.Site == Product.Second] +=
        Weight * llvm::popcount(Event.Active) * Kernel.Sites[Event.Site].Size;
  }
  MemoryCounts Counts = replayTrace(Kernel, Rest, Machine, Addresses);
  // A row's element is the same for all lanes, a column's side by side: a pass.
  // Each element of a tile is loaded and stored once in Side reads.
  Counts.Requests += Requests * (1 + 2.0 / Product.Side);
  Counts.L1Cycles += Requests * (1 + 2.0 / Product.Side);
  for (unsigned I : {0u, 1u}) {
    uint32_t Site = I ? Product.Second : Product.First;
    Counts.Arrays[Addresses[Site].Array].LoadBytes += Bytes[I] / Product.Side;
    Counts.HitShare[Site] = 1;
  }
  return Counts;
}

} // namespace gridspan
