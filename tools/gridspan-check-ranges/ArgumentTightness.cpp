//===- ArgumentTightness.cpp - How tight ranges are -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicted bytes are the union of the ranges of a tile. A traced address
// counts for the argument of the first access of its site whose range holds it.
// Both sets are merged into disjoint spans, so that equality of the sets is
// equality of the bytes.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-check-ranges/ArgumentTightness.h"
#include "tools/gridspan-check-ranges/Tiles.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace gridspan {

static std::vector<Box> tilesOf(const TracedLaunch &Launch) {
  Box Traced = tileOf(Launch);
  if (Traced.Count != Launch.GridDim)
    return {Traced};
  unsigned Best = 0;
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    if (std::min(Traced.Count[Axis], 4U) >= std::min(Traced.Count[Best], 4U))
      Best = Axis;
  return quartersOf(Traced, Best);
}

static void addTile(const KernelSummary &Kernel, const TracedLaunch &Launch,
                    const Box &Tile, ArrayRef<TracedRequest> Requests,
                    KernelTightness &Out) {
  std::vector<std::vector<Span>> Predicted(Kernel.Pointers.size());
  std::vector<std::vector<Span>> Touched(Kernel.Pointers.size());
  std::multimap<uint32_t, Prediction> BySite;
  for (const Prediction &P : predict(Kernel, Launch, Tile)) {
    if (P.Access->Pointer < 0) {
      Out.AnyMemory = P.Access->Why;
      continue;
    }
    BySite.emplace(P.Access->Site, P);
    ArgumentTightness &Argument = Out.Arguments[P.Access->Pointer];
    Argument.SaysExact &= P.Range.State == GridspanRangeExact ||
                          P.Range.State == GridspanRangeEmpty;
    if (P.Range.State == GridspanRangeUnknown)
      Argument.Unknown = P.Access->Why.empty()
                             ? "the values do not fit their type"
                             : P.Access->Why;
    else if (P.Range.State != GridspanRangeEmpty)
      for (int64_t Row = 0; Row != P.rows(); ++Row)
        Predicted[P.Access->Pointer].push_back(P.row(Row));
  }
  for (const TracedRequest &R : Requests) {
    if (!Tile.contains(R.Block))
      continue;
    auto [First, Last] = BySite.equal_range(R.Site);
    for (uint64_t Address : R.Addresses) {
      Span S = {Address, Address + R.Bytes};
      auto It = std::find_if(First, Last, [&](const auto &Entry) {
        return Entry.second.contains(S);
      });
      if (It != Last)
        Touched[It->second.Access->Pointer].push_back(S);
    }
  }
  for (size_t I = 0; I != Kernel.Pointers.size(); ++I) {
    ArgumentTightness &Argument = Out.Arguments[I];
    std::vector<Span> P = merged(std::move(Predicted[I]));
    std::vector<Span> T = merged(std::move(Touched[I]));
    ++Argument.Tiles;
    Argument.PredictedBytes += bytesOf(P);
    Argument.TouchedBytes += bytesOf(T);
    Argument.IsExact &= P == T;
  }
}

void addTightness(const KernelSummary &Kernel, const TracedLaunch &Launch,
                  const std::vector<TracedRequest> &Requests,
                  KernelTightness &Out) {
  Out.Arguments.resize(Kernel.Pointers.size());
  // A kernel that gives its iterations to tiles has ranges of tiles only.
  const std::vector<Box> Tiles = Kernel.Flags & GridspanRepartitioned
                                     ? std::vector<Box>{tileOf(Launch)}
                                     : tilesOf(Launch);
  for (const Box &Tile : Tiles)
    addTile(Kernel, Launch, Tile, Requests, Out);
}

} // namespace gridspan
