//===- TilePartition.cpp - Cut a grid into tiles of equal cost ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work of the first B blocks along the axis grows with B, so each cut is found
// by binary search on it. When the quarters of the grid cost the same the work
// is taken to be uniform, and the cuts are those of the block count: they then
// agree with the equal shares that buffers are first placed in.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/TilePartition.h"
#include <algorithm>
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

/// Work, or null when it is unknown or uniform, which are treated alike.
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

std::vector<uint32_t> cutTiles(const GridspanBox &Box, unsigned Axis,
                               const std::vector<double> &Shares,
                               GridspanWorkFn Work) {
  const uint32_t Count = Box.BlockCount[Axis];
  const auto Pieces = static_cast<uint32_t>(Shares.size());
  const double Sum = std::accumulate(Shares.begin(), Shares.end(), 0.0);
  Work = unlessUniform(Box, Axis, Work);
  const double Total = Work ? workOf(Box, Axis, 0, Count, Work) : Count;

  std::vector<uint32_t> Cuts = {0};
  double Share = 0;
  for (uint32_t I = 1; I < Pieces; ++I) {
    Share += Shares[I - 1] / Sum;
    const double Target = Share * Total;
    uint32_t Cut;
    if (!Work) {
      Cut = static_cast<uint32_t>(std::llround(Target));
    } else {
      uint32_t Lo = 0, Hi = Count;
      while (Lo < Hi) {
        const uint32_t Middle = Lo + (Hi - Lo) / 2;
        if (workOf(Box, Axis, 0, Middle, Work) < Target)
          Lo = Middle + 1;
        else
          Hi = Middle;
      }
      Cut = Lo;
      // The block that the target falls into goes where less is left over.
      if (Cut > 0 && Target - workOf(Box, Axis, 0, Cut - 1, Work) <
                         workOf(Box, Axis, 0, Cut, Work) - Target)
        --Cut;
    }
    // Every piece has at least one block, also those still to come.
    Cut = std::clamp(Cut, Cuts.back() + 1, Count - (Pieces - I));
    Cuts.push_back(Cut);
  }
  Cuts.push_back(Count);
  for (uint32_t &Cut : Cuts)
    Cut += Box.BlockLo[Axis];
  return Cuts;
}

} // namespace gridspan
