//===- HostSharing.cpp - Frames that the host may write meanwhile ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows are kept as the ranges describe them, however many they are: a frame
// needs one copy for all of a plane, and two for rows that its ends cut.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/HostSharing.h"
#include "runtime/plan/RangeBytes.h"
#include <algorithm>
#include <boost/icl/interval_set.hpp>

namespace gridspan {

using Interval = boost::icl::interval<uint64_t>;

/// Shorter rows take longer to be copied one by one than to be written over the
/// bus by the kernel.
static constexpr int64_t LeastRowBytes = 128;

/// Calls Visit(Access, Range, Offset) for the accesses to the allocation.
template <typename Function>
static void forAccesses(const PlanInput &In, unsigned Allocation,
                        Function &&Visit) {
  const GridspanKernel &Kernel = *In.Kernel;
  if (Kernel.NumAccesses == 0)
    return;
  std::vector<GridspanRange> Ranges(Kernel.NumAccesses);
  Kernel.Ranges(&In.Box, Ranges.data());
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I)
    if (const int P = Kernel.Accesses[I].Pointer;
        P >= 0 && In.Pointers[P].Allocation == static_cast<int>(Allocation))
      Visit(Kernel.Accesses[I], Ranges[I], In.Pointers[P].Offset);
}

/// What a launch writes of an allocation.
struct Writes {
  MustAccess Exact;
  /// Ranges that are not, each from its first byte to its last.
  boost::icl::interval_set<uint64_t> Unsure;
};

static Writes writesOf(const PlanInput &In, unsigned Allocation) {
  Writes Out;
  forAccesses(
      In, Allocation,
      [&](const GridspanAccess &A, const GridspanRange &R, int64_t Offset) {
        if (A.Mode != GridspanRead && !Out.Exact.add(R, Offset))
          forBytes(R, Offset, In.Allocations[Allocation].Bytes, UINT64_MAX,
                   [&](uint64_t Lo, uint64_t Hi) {
                     Out.Unsure.add(Interval::right_open(Lo, Hi));
                   });
      });
  return Out;
}

static bool isShared(const PagedView::Frame &F) {
  return F.MustWriteBack && !F.Dirty;
}

static bool sharesFrames(const PagedView &View) {
  return std::any_of(View.Frames.begin(), View.Frames.end(), isShared);
}

static boost::icl::interval_set<uint64_t> surelyAccessed(const PlanInput &In,
                                                         unsigned Allocation) {
  MustAccess Surely;
  forAccesses(In, Allocation,
              [&](const GridspanAccess &A, const GridspanRange &R,
                  int64_t Offset) { Surely.add(R, Offset); });
  return Surely.runs();
}

bool mayLoseHostWrites(const PlanInput &In, unsigned Allocation,
                       const PagedView &View) {
  if (!sharesFrames(View))
    return false;
  boost::icl::interval_set<uint64_t> Shared;
  uint64_t Lo = 0;
  for (const PagedView::Frame &F : View.Frames) {
    if (isShared(F))
      Shared.add(Shared.end(), Interval::right_open(Lo, Lo + F.Bytes));
    Lo += F.Bytes;
  }
  Writes Written = writesOf(In, Allocation);
  Written.Unsure &= Shared;
  if (!boost::icl::is_empty(Written.Unsure) &&
      !boost::icl::contains(surelyAccessed(In, Allocation), Written.Unsure))
    return true;
  const std::vector<MustAccess::Rows> Rows = Written.Exact.rows();
  return std::any_of(Rows.begin(), Rows.end(), [](const MustAccess::Rows &R) {
    return R.RowsPerPlane > 1 && R.RowBytes < LeastRowBytes;
  });
}

HostSharing hostSharing(const std::vector<const PlanInput *> &Launches,
                        unsigned Allocation, const PagedView &View) {
  HostSharing Out;
  if (!sharesFrames(View))
    return Out;
  for (const PagedView::Frame &F : View.Frames)
    Out.Shares.push_back(isShared(F));
  for (const PlanInput *In : Launches) {
    const Writes Written = writesOf(*In, Allocation);
    const std::vector<MustAccess::Rows> Rows = Written.Exact.rows();
    Out.Written.insert(Out.Written.end(), Rows.begin(), Rows.end());
    for (const auto &Run : Written.Unsure)
      Out.Written.push_back({static_cast<int64_t>(Run.lower()),
                             static_cast<int64_t>(Run.upper() - Run.lower()), 0,
                             1, 0, 1});
  }
  return Out;
}

/// Adds what bytes [Lo, Hi) have of Count rows.
static void addRows(int64_t First, int64_t Bytes, int64_t Pitch, int64_t Count,
                    int64_t Lo, int64_t Hi, std::vector<SavedRows> &Out) {
  const auto AddOne = [&](int64_t Row) {
    const int64_t From = std::max(Lo, First + Row * Pitch);
    const int64_t To = std::min(Hi, First + Row * Pitch + Bytes);
    if (From < To)
      Out.push_back({static_cast<uint64_t>(From),
                     static_cast<uint64_t>(To - From), 0, 1});
  };
  if (Count == 1)
    return AddOne(0);
  // Rows [Begin, End) are whole.
  const int64_t Begin =
      Lo <= First ? 0 : std::min(Count, (Lo - First + Pitch - 1) / Pitch);
  const int64_t End = Hi < First + Bytes
                          ? 0
                          : std::min(Count, (Hi - First - Bytes) / Pitch + 1);
  if (Begin > 0)
    AddOne(Begin - 1);
  if (Begin < End)
    Out.push_back({static_cast<uint64_t>(First + Begin * Pitch),
                   static_cast<uint64_t>(Bytes), static_cast<uint64_t>(Pitch),
                   static_cast<uint64_t>(End - Begin)});
  if (End < Count && End >= Begin)
    AddOne(End);
}

std::vector<SavedRows> rowsWithin(const HostSharing &S, uint64_t From,
                                  uint64_t To) {
  std::vector<SavedRows> Out;
  const auto Lo = static_cast<int64_t>(From), Hi = static_cast<int64_t>(To);
  for (const MustAccess::Rows &R : S.Written) {
    if (R.Planes == 1) {
      addRows(R.Lo, R.RowBytes, R.Pitch, R.RowsPerPlane, Lo, Hi, Out);
      continue;
    }
    const int64_t PlaneBytes = R.Pitch * (R.RowsPerPlane - 1) + R.RowBytes;
    const int64_t First = Lo < R.Lo + PlaneBytes
                              ? 0
                              : (Lo - R.Lo - PlaneBytes) / R.PlanePitch + 1;
    for (int64_t Plane = First;
         Plane < R.Planes && R.Lo + Plane * R.PlanePitch < Hi; ++Plane)
      addRows(R.Lo + Plane * R.PlanePitch, R.RowBytes, R.Pitch, R.RowsPerPlane,
              Lo, Hi, Out);
  }
  return Out;
}

} // namespace gridspan
