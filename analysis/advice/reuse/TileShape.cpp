//===- TileShape.cpp - Tile and halo of what a block reads ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offsets are evaluated in a block in the middle of the grid: from thread to
// thread along each axis they grow by an element, a row and a plane. What the
// sites, and the iterations of the loop around, are apart in one thread is
// taken apart into as many planes, rows and elements.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/reuse/TileShape.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace gridspan {

namespace {

class ShapeFinder {
public:
  ShapeFinder(const KernelSites &Kernel, const WarpTrace &Trace,
              const LaunchValues &Launch)
      : Kernel(Kernel), Trace(Trace), Launch(Launch) {}

  std::optional<TileShape> find(ArrayRef<uint32_t> Sites);

private:
  /// Returns the site's offset in Thread of the block that is Blocks from the
  /// middle of the grid, in iteration K of its loops. Returns nothing if it is
  /// not known.
  std::optional<int64_t> offset(const MemorySite &Site,
                                std::array<uint32_t, 3> Thread,
                                std::array<uint32_t, 3> Blocks, uint64_t K);
  bool findStrides(const MemorySite &Site);
  std::optional<std::array<int64_t, 3>> stepsOf(int64_t Distance) const;

  const KernelSites &Kernel;
  const WarpTrace &Trace;
  const LaunchValues &Launch;
  std::array<int64_t, 3> Stride = {0, 0, 0}; ///< bytes; 0: no such axis
};

} // namespace

std::optional<int64_t> ShapeFinder::offset(const MemorySite &Site,
                                           std::array<uint32_t, 3> Thread,
                                           std::array<uint32_t, 3> Blocks,
                                           uint64_t K) {
  ConcreteEval Eval(Kernel.Exprs, {Site.Offset}, Launch);
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    Blocks[Axis] += Launch.Grid[Axis] / 2;
  Eval.setBlock(Blocks);
  Eval.setThread(Thread);
  for (const SiteLoop &L : Site.Loops)
    Eval.setIteration(L.Number, K);
  ConcreteValue V = Eval.value(Site.Offset);
  return V.isKnown() ? std::optional(V.Value) : std::nullopt;
}

/// False if threads are not side by side along x, or not in rows.
bool ShapeFinder::findStrides(const MemorySite &Site) {
  std::optional<int64_t> First = offset(Site, {}, {}, 0);
  if (!First)
    return false;
  int64_t Expected = *First;
  std::array<uint32_t, 3> Last = {};
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    std::array<uint32_t, 3> Thread = {}, Block = {};
    bool IsByThread = Launch.Block[Axis] > 1;
    if (!IsByThread && Launch.Grid[Axis] < 3)
      continue;
    (IsByThread ? Thread : Block)[Axis] = 1;
    std::optional<int64_t> Next = offset(Site, Thread, Block, 0);
    if (!Next)
      return false;
    Stride[Axis] = *Next - *First;
    Last[Axis] = Launch.Block[Axis] - 1;
    Expected += Last[Axis] * Stride[Axis];
  }
  return Stride[0] == int64_t(Site.Size) && Stride[1] >= 0 && Stride[2] >= 0 &&
         offset(Site, Last, {}, 0) == Expected;
}

/// The distance as elements, rows and planes: the nearest plane first.
std::optional<std::array<int64_t, 3>>
ShapeFinder::stepsOf(int64_t Distance) const {
  std::array<int64_t, 3> Steps = {};
  for (unsigned Axis : {2u, 1u, 0u})
    if (Stride[Axis]) {
      Steps[Axis] =
          int64_t(std::llround(double(Distance) / double(Stride[Axis])));
      Distance -= Steps[Axis] * Stride[Axis];
    }
  return Distance == 0 ? std::optional(Steps) : std::nullopt;
}

std::optional<TileShape> ShapeFinder::find(ArrayRef<uint32_t> Sites) {
  const MemorySite &First = Kernel.Sites[Sites.front()];
  if (!findStrides(First))
    return std::nullopt;
  std::optional<int64_t> Origin = offset(First, {}, {}, 0);
  TileShape Out;
  Out.ElementBytes = First.Size;
  std::array<int64_t, 3> Lo = {}, Hi = {};
  for (uint32_t Index : Sites) {
    const MemorySite &Site = Kernel.Sites[Index];
    uint64_t LastIteration = 0;
    if (!Site.Loops.empty())
      if (auto It = Trace.Trips.find(Site.Loops.back().Number);
          It != Trace.Trips.end())
        // The mean of lanes: some of them may not get there at all.
        LastIteration = std::max<uint64_t>(uint64_t(It->second), 1) - 1;
    for (uint64_t K : {uint64_t(0), LastIteration}) {
      std::optional<int64_t> At = offset(Site, {}, {}, K);
      std::optional<std::array<int64_t, 3>> Steps =
          At ? stepsOf(*At - *Origin) : std::nullopt;
      if (!Steps || Site.Size != First.Size)
        return std::nullopt;
      for (unsigned Axis = 0; Axis != 3; ++Axis) {
        Lo[Axis] = std::min(Lo[Axis], (*Steps)[Axis]);
        Hi[Axis] = std::max(Hi[Axis], (*Steps)[Axis]);
      }
    }
  }
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    Out.Tile[Axis] = Launch.Block[Axis];
    Out.Halo[Axis] = Hi[Axis] - Lo[Axis];
  }
  return Out;
}

std::optional<TileShape> tileShape(const KernelSites &Kernel,
                                   ArrayRef<uint32_t> Sites,
                                   const WarpTrace &Trace,
                                   const LaunchValues &Launch) {
  return ShapeFinder(Kernel, Trace, Launch).find(Sites);
}

} // namespace gridspan
