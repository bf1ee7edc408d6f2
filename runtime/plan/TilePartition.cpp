//===- TilePartition.cpp - Partition a grid by cost -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work of the first B blocks along the axis grows with B, so each boundary
// is found by binary search on it. If the quarters of the grid cost the same,
// the work is taken to be uniform, and boundaries are those of the block count.
// They then agree with the equal shares that are the first homes of buffers.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/TilePartition.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace gridspan {

/// Relative difference of the quarters below which work counts as uniform.
static constexpr double UniformTolerance = 0.02;

static double workOf(GridspanBox Box, unsigned Axis, uint32_t Lo, uint32_t Hi,
                     GridspanWorkFn Work) {
  if (Lo == Hi)
    return 0;
  Box.BlockLo[Axis] += Lo;
  Box.BlockCount[Axis] = Hi - Lo;
  return Work(&Box);
}

/// Returns Work, or null if it is unknown or uniform, which are treated alike.
static GridspanWorkFn unlessUniform(const GridspanBox &Box, unsigned Axis,
                                    GridspanWorkFn Work) {
  const uint32_t Count = Box.BlockCount[Axis];
  const uint32_t Parts = std::min<uint32_t>(Count, 4);
  const uint32_t Size = Count / Parts;
  if (!Work)
    return nullptr;
  double Least = INFINITY, Most = 0;
  for (uint32_t I = 0; I < Parts; ++I) {
    const double Part = workOf(Box, Axis, I * Size, (I + 1) * Size, Work);
    Least = std::min(Least, Part);
    Most = std::max(Most, Part);
  }
  if (!std::isfinite(Most) || !(Most > 0))
    return nullptr;
  return Most - Least <= UniformTolerance * Most ? nullptr : Work;
}

std::vector<uint32_t> partitionTiles(const GridspanBox &Box, unsigned Axis,
                                     const std::vector<double> &Shares,
                                     GridspanWorkFn Work) {
  const uint32_t Count = Box.BlockCount[Axis];
  const auto Pieces = static_cast<uint32_t>(Shares.size());
  assert(Pieces > 0 && Pieces <= Count && "a piece has a block");
  const double Sum = std::accumulate(Shares.begin(), Shares.end(), 0.0);
  Work = unlessUniform(Box, Axis, Work);
  const double Total = Work ? workOf(Box, Axis, 0, Count, Work) : Count;

  std::vector<uint32_t> Bounds = {0};
  double Share = 0;
  for (uint32_t I = 1; I < Pieces; ++I) {
    Share += Shares[I - 1] / Sum;
    const double Target = Share * Total;
    uint32_t Bound;
    if (!Work) {
      Bound = static_cast<uint32_t>(std::llround(Target));
    } else {
      uint32_t Lo = 0, Hi = Count;
      while (Lo < Hi) {
        const uint32_t Middle = Lo + (Hi - Lo) / 2;
        if (workOf(Box, Axis, 0, Middle, Work) < Target)
          Lo = Middle + 1;
        else
          Hi = Middle;
      }
      Bound = Lo;
      // The block that the target falls into goes where less is left over.
      if (Bound > 0 && Target - workOf(Box, Axis, 0, Bound - 1, Work) <
                           workOf(Box, Axis, 0, Bound, Work) - Target)
        --Bound;
    }
    // Every piece has at least one block, also those still to come.
    Bound = std::clamp(Bound, Bounds.back() + 1, Count - (Pieces - I));
    Bounds.push_back(Bound);
  }
  Bounds.push_back(Count);
  for (uint32_t &Bound : Bounds)
    Bound += Box.BlockLo[Axis];
  return Bounds;
}

} // namespace gridspan
