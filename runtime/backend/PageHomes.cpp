//===- PageHomes.cpp - Homes of the pages of an allocation ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the map of PageHomes.h on an interval map of Boost.ICL, which
// joins runs of the same home. Equal shares are cut at page boundaries.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/PageHomes.h"

namespace gridspan {

using Interval = boost::icl::interval<uint64_t>;

void PageHomes::set(uint64_t Lo, uint64_t Hi, Location Where) {
  if (Lo < Hi)
    Map.set({Interval::right_open(Lo, Hi), Where});
}

Location PageHomes::at(uint64_t Offset) const {
  auto It = Map.find(Offset);
  return It == Map.end() ? Host : It->second;
}

std::vector<PageHomes::Run> PageHomes::runs(uint64_t Lo, uint64_t Hi) const {
  std::vector<Run> Out;
  forRuns(Lo, Hi, [&](const Run &R) { Out.push_back(R); });
  return Out;
}

uint64_t PageHomes::bytesAt(uint64_t Lo, uint64_t Hi, Location Where) const {
  uint64_t Bytes = 0;
  forRuns(Lo, Hi, [&](const Run &R) {
    if (R.Where == Where)
      Bytes += R.Hi - R.Lo;
  });
  return Bytes;
}

bool PageHomes::anyAt(Location Where) const {
  return std::any_of(Map.begin(), Map.end(),
                     [&](const auto &Run) { return Run.second == Where; });
}

std::vector<uint64_t> equalShares(uint64_t Bytes, uint64_t PageSize,
                                  unsigned Count) {
  const uint64_t NumPages = (Bytes + PageSize - 1) / PageSize;
  std::vector<uint64_t> Cuts(Count + 1);
  for (unsigned I = 0; I <= Count; ++I) {
    // Rounded to the nearest page; 128 bits because the product may not fit.
    auto Page = static_cast<uint64_t>(
        (static_cast<unsigned __int128>(NumPages) * I + Count / 2) / Count);
    Cuts[I] = std::min(Bytes, Page * PageSize);
  }
  Cuts[Count] = Bytes;
  return Cuts;
}

} // namespace gridspan
