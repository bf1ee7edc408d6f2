//===- Footprint.cpp - Which bytes of an allocation are touched -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spans are made disjoint when they are asked for, by one sweep over their ends
// with the multiset of the densities that are open.
//
//===----------------------------------------------------------------------===//

#include "Footprint.h"
#include <algorithm>
#include <set>
#include <tuple>

namespace gridspan {

/// More rows than this become one span with a density.
static constexpr int64_t MaxRows = 64;

void Footprint::addSpan(__int128 Lo, __int128 Hi, double Density) {
  Lo = std::max<__int128>(Lo, 0);
  Hi = std::min<__int128>(Hi, Bytes);
  if (Lo >= Hi)
    return;
  Spans.push_back(
      {static_cast<uint64_t>(Lo), static_cast<uint64_t>(Hi), Density});
  Sorted = Spans.size() == 1;
}

void Footprint::add(const GridspanRange &R, int64_t Offset) {
  switch (R.State) {
  case GridspanRangeEmpty:
    return;
  case GridspanRangeMay:
  case GridspanRangeExact:
    break;
  default:
    Unknown = true;
    addSpan(0, Bytes, 1);
    return;
  }
  const __int128 Lo = static_cast<__int128>(R.Lo) + Offset;
  if (R.Rows <= MaxRows) {
    for (int64_t Row = 0; Row < R.Rows; ++Row) {
      __int128 RowLo = Lo + static_cast<__int128>(R.Pitch) * Row;
      addSpan(RowLo, RowLo + R.RowBytes, 1);
    }
    return;
  }
  addSpan(Lo, Lo + static_cast<__int128>(R.Pitch) * (R.Rows - 1) + R.RowBytes,
          std::min(1.0, static_cast<double>(R.RowBytes) / R.Pitch));
}

void Footprint::add(const Footprint &Other) {
  Unknown |= Other.Unknown;
  for (const Span &S : Other.Spans)
    addSpan(S.Lo, S.Hi, S.Density);
}

const std::vector<Span> &Footprint::spans() const {
  if (Sorted)
    return Spans;
  // Every span opens its density at one end and closes it at the other.
  std::vector<std::tuple<uint64_t, bool, double>> Ends;
  Ends.reserve(2 * Spans.size());
  for (const Span &S : Spans) {
    Ends.emplace_back(S.Lo, true, S.Density);
    Ends.emplace_back(S.Hi, false, S.Density);
  }
  std::sort(Ends.begin(), Ends.end());
  std::vector<Span> Out;
  std::multiset<double> Open;
  uint64_t From = 0;
  for (const auto &[At, Opens, Density] : Ends) {
    if (!Open.empty() && From < At) {
      const double Densest = *Open.rbegin();
      if (!Out.empty() && Out.back().Hi == From &&
          Out.back().Density == Densest)
        Out.back().Hi = At;
      else
        Out.push_back({From, At, Densest});
    }
    From = At;
    if (Opens)
      Open.insert(Density);
    else
      Open.erase(Open.find(Density));
  }
  Spans = std::move(Out);
  Sorted = true;
  return Spans;
}

double Footprint::touched() const {
  double Sum = 0;
  for (const Span &S : spans())
    Sum += static_cast<double>(S.Hi - S.Lo) * S.Density;
  return Sum;
}

double Footprint::touchedAt(const HomeMap &Homes, Location Where) const {
  double Sum = 0;
  for (const Span &S : spans())
    Sum += static_cast<double>(Homes.bytesAt(S.Lo, S.Hi, Where)) * S.Density;
  return Sum;
}

uint64_t Footprint::lo() const {
  return spans().empty() ? 0 : spans().front().Lo;
}

uint64_t Footprint::hi() const {
  return spans().empty() ? 0 : spans().back().Hi;
}

} // namespace gridspan
