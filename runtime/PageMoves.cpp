//===- PageMoves.cpp - Which pages are worth moving -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A page moves by the ski-rental rule: when the bytes that were accessed from
// afar, and would have been local after the move, have come to the bytes of the
// move plus what it costs to stop for it. So moving never costs more than twice
// what the best choice in hindsight would have. Every move of a buffer doubles
// what the next one takes, for programs whose kernels alternately want it
// otherwise.
//
//===----------------------------------------------------------------------===//

#include "PageMoves.h"
#include <algorithm>
#include <cmath>

namespace gridspan {

void planMoves(const PlanInput &In, const SystemInfo &System,
               const Candidate &Chosen, unsigned Allocation, Plan &Out) {
  const PlacedAllocation &Placed = In.Allocations[Allocation];
  // The device that wants each byte: who writes it before who reads it, who has
  // it before who has not. Later entries of this order overwrite earlier ones.
  HomeMap Wanted;
  boost::icl::interval_map<uint64_t, double, boost::icl::partial_enricher>
      Density;
  for (int Pass = 0; Pass < 4; ++Pass)
    for (auto Tile = Chosen.Tiles.rbegin(); Tile != Chosen.Tiles.rend();
         ++Tile) {
      if (isReplaced(*Tile, Allocation) || tileCopy(*Tile, Allocation))
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
      if (R.Where == W.Where || !System.mayHoldPages(W.Where))
        continue;
      const double Bandwidth =
          std::max(1.0, linkBandwidth(System, W.Where, R.Where));
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

} // namespace gridspan
