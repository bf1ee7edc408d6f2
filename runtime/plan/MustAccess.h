//===- MustAccess.h - Bytes that a launch surely accesses -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The union of exact ranges, without a byte that is not in one: what may be
// forgotten because it is about to be written, or surely accesses, which the
// host leaves alone. A MayAccess will not do, as it is an estimate: many rows
// become one span with a density.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_MUSTACCESS_H
#define GRIDSPAN_RUNTIME_PLAN_MUSTACCESS_H

#include "gridspan/ABI.h"
#include <boost/icl/interval_set.hpp>
#include <cstdint>
#include <vector>

namespace gridspan {

class MustAccess {
public:
  /// Pitch is 0 with one row, PlanePitch with one plane.
  struct Rows {
    int64_t Lo, RowBytes, Pitch, RowsPerPlane, PlanePitch, Planes;
  };

  /// Adds what R touches, for a pointer to byte Offset of the allocation, if
  /// that is exact. Every other range adds nothing, and the result is false.
  bool add(const GridspanRange &R, int64_t Offset);

  /// Returns the bytes, disjoint and ascending. Rows that are too many to be
  /// held one by one are left out, unless they meet.
  boost::icl::interval_set<uint64_t> runs() const;
  /// Returns the same bytes, all of them, in as few pieces as were found. They
  /// may overlap.
  std::vector<Rows> rows() const;

private:
  static void simplify(Rows &R);
  static bool joinNeighbours(std::vector<Rows> &All);

  std::vector<Rows> Exact;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_MUSTACCESS_H
