//===- MustAccess.cpp - Bytes that a launch surely accesses ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges with the same pitches and counts are copies of one row at different
// places, so rows that meet there meet everywhere: they are joined into longer
// ones. Rows as long as their pitch are one long row, and planes likewise,
// after which more may be joined; each step leaves fewer ranges or simpler
// ones. That is how the fields of a structure, each a range of its own, become
// one run. Each step describes the same set of bytes, so what comes out is
// exact.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/MustAccess.h"
#include <algorithm>
#include <tuple>

namespace gridspan {

/// More rows than this are left out when they do not meet.
static constexpr int64_t MostRows = 4096;

/// Rows without gaps become one row; what says nothing becomes 0.
void MustAccess::simplify(Rows &R) {
  if (R.RowsPerPlane > 1 && R.RowBytes >= R.Pitch) {
    R.RowBytes = R.Pitch * (R.RowsPerPlane - 1) + R.RowBytes;
    R.RowsPerPlane = 1;
  }
  if (R.RowsPerPlane == 1 && R.Planes > 1) {
    R.RowsPerPlane = R.Planes;
    R.Pitch = R.PlanePitch;
    R.Planes = 1;
    if (R.RowBytes >= R.Pitch)
      return simplify(R);
  }
  // Planes without a gap at the pitch of the rows.
  if (R.Planes > 1 && R.PlanePitch == R.Pitch * R.RowsPerPlane) {
    R.RowsPerPlane *= R.Planes;
    R.Planes = 1;
  }
  if (R.RowsPerPlane == 1)
    R.Pitch = 0;
  if (R.Planes == 1)
    R.PlanePitch = 0;
}

bool MustAccess::add(const GridspanRange &R, int64_t Offset) {
  if (R.State != GridspanRangeExact)
    return false;
  int64_t Lo, Hi, Rows, Planes;
  if (__builtin_add_overflow(R.Lo, Offset, &Lo) || Lo < 0)
    return false;
  // Ranges end where 64 bits do; an offset may lead beyond.
  if (__builtin_mul_overflow(R.RowsPerPlane == 1 ? 0 : R.Pitch,
                             R.RowsPerPlane - 1, &Rows) ||
      __builtin_mul_overflow(R.Planes == 1 ? 0 : R.PlanePitch, R.Planes - 1,
                             &Planes) ||
      __builtin_add_overflow(Lo, R.RowBytes, &Hi) ||
      __builtin_add_overflow(Hi, Rows, &Hi) ||
      __builtin_add_overflow(Hi, Planes, &Hi))
    return false;
  Exact.push_back(
      {Lo, R.RowBytes, R.Pitch, R.RowsPerPlane, R.PlanePitch, R.Planes});
  simplify(Exact.back());
  return true;
}

/// Joins what has the same pitches and counts and meets; false if nothing did.
bool MustAccess::joinNeighbours(std::vector<Rows> &All) {
  auto Shape = [](const Rows &R) {
    return std::tie(R.Pitch, R.RowsPerPlane, R.PlanePitch, R.Planes);
  };
  std::sort(All.begin(), All.end(), [&](const Rows &L, const Rows &R) {
    return std::tuple_cat(Shape(L), std::tie(L.Lo)) <
           std::tuple_cat(Shape(R), std::tie(R.Lo));
  });
  std::vector<Rows> Joined;
  for (const Rows &R : All) {
    if (!Joined.empty() && Shape(Joined.back()) == Shape(R) &&
        R.Lo <= Joined.back().Lo + Joined.back().RowBytes) {
      Rows &Last = Joined.back();
      Last.RowBytes = std::max(Last.RowBytes, R.Lo + R.RowBytes - Last.Lo);
      continue;
    }
    Joined.push_back(R);
  }
  const bool Changed = Joined.size() < All.size();
  for (Rows &R : Joined)
    simplify(R);
  All = std::move(Joined);
  return Changed;
}

std::vector<MustAccess::Rows> MustAccess::rows() const {
  std::vector<Rows> All = Exact;
  while (joinNeighbours(All)) {
  }
  return All;
}

boost::icl::interval_set<uint64_t> MustAccess::runs() const {
  boost::icl::interval_set<uint64_t> Runs;
  for (const Rows &R : rows()) {
    if (R.RowsPerPlane > MostRows || R.Planes > MostRows / R.RowsPerPlane)
      continue;
    for (int64_t Plane = 0; Plane < R.Planes; ++Plane)
      for (int64_t Row = 0; Row < R.RowsPerPlane; ++Row) {
        const auto Lo =
            static_cast<uint64_t>(R.Lo + Plane * R.PlanePitch + Row * R.Pitch);
        Runs.add(boost::icl::interval<uint64_t>::right_open(
            Lo, Lo + static_cast<uint64_t>(R.RowBytes)));
      }
  }
  return Runs;
}

} // namespace gridspan
