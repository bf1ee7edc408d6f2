//===- DivisionOptions.cpp - Candidates as ways to choose from ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pages that are not where a candidate wants them make another way of it, as
// its times say nothing of those in place.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/DivisionOptions.h"
#include "runtime/plan/Planner.h"
#include "runtime/plan/PrivateCopies.h"
#include <algorithm>
#include <numeric>

namespace gridspan {

DivisionOption optionAsIs(const SplitCandidate &C, bool IsSure) {
  const auto Devices = static_cast<unsigned>(C.Tiles.size());
  const bool IsSpread = isClearlyLess(C.SecondsInPlace + LaunchSeconds,
                                      C.SecondsRepeated + LaunchSeconds);
  return {{Devices, Devices > 1 ? C.Axis : 0, IsSpread, C.Cut, false,
           hasPrivateCopies(C.Tiles)},
          C.SecondsRepeated + LaunchSeconds,
          C.Seconds - C.SecondsRepeated,
          IsSure,
          C.FixedSeconds + LaunchSeconds};
}

DivisionOption optionInPlace(const SplitCandidate &C, bool IsSure) {
  DivisionOption Out = optionAsIs(C, IsSure);
  Out.What.IsSpread = false;
  Out.Predicted = C.SecondsInPlace + LaunchSeconds;
  Out.Extra = C.SecondsMoved - C.SecondsInPlace;
  return Out;
}

bool isSureOf(const PlanInput &In, const SplitCandidate &C) {
  for (uint32_t I = 0, E = In.Kernel->NumAccesses; I != E; ++I) {
    const GridspanAccess &A = In.Kernel->Accesses[I];
    if (A.Pointer < 0)
      return false;
    const int Allocation = In.Pointers[A.Pointer].Allocation;
    if (A.Mode == GridspanAtomic && Allocation >= 0 &&
        C.RemoteByAllocation[Allocation] > 0)
      return false;
  }
  for (const TilePlan &Tile : C.Tiles)
    for (unsigned A = 0; A != In.Allocations.size(); ++A) {
      const Touch &T = C.Touched[Tile.Device][A];
      if ((T.Reads.unknown() || T.Writes.unknown()) && !isReplaced(Tile, A) &&
          !privateCopy(Tile, A))
        return false;
    }
  return true;
}

static double blocksOf(const GridspanBox &Box) {
  return double(Box.BlockCount[0]) * Box.BlockCount[1] * Box.BlockCount[2];
}

std::vector<double> workShares(const PlanInput &In, const SplitCandidate &C) {
  std::vector<double> Out;
  for (GridspanWorkFn Work : {In.Kernel->Work, GridspanWorkFn(nullptr)}) {
    Out.clear();
    for (const GridspanBox &Box : C.Boxes)
      Out.push_back(Work ? Work(&Box) : blocksOf(Box));
    const double Sum = std::accumulate(Out.begin(), Out.end(), 0.0);
    for (double &Share : Out)
      Share /= Sum;
    if (std::all_of(Out.begin(), Out.end(),
                    [](double Share) { return Share > 0 && Share <= 1; }))
      break;
  }
  return Out;
}

} // namespace gridspan
