//===- ReservationUnits.cpp - Addresses at chosen places ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows do not overlap, so that the one at a range's first address is the only
// one that may hold it.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ReservationUnits.h"
#include "runtime/backend/Backend.h"
#include <cassert>

namespace gridspan {

using Range = ReservationUnits::Range;

static bool overlaps(const RangeTable<Range> &Of, const Range &With) {
  return Of.find(With.Address) ||
         Of.endOf(With.Address, UINT64_MAX) < With.Address + With.Bytes;
}

static void set(RangeTable<Range> &In, const Range &R) {
  In.set(R.Address, R.Bytes, R);
}

Range ReservationUnits::around(const Range &Of) {
  const uintptr_t Unit = Backend::ReservationUnit;
  const uintptr_t Begin = Of.Address / Unit * Unit;
  const uintptr_t End = (Of.Address + Of.Bytes + Unit - 1) / Unit * Unit;
  return {Begin, End - Begin};
}

ReservationUnits::Place ReservationUnits::find(const Range &Of) const {
  if (overlaps(Used, Of))
    return Place::Taken;
  if (Reserved.find(Of.Address) &&
      Reserved.endOf(Of.Address, 0) >= Of.Address + Of.Bytes)
    return Place::Inside;
  return overlaps(Reserved, around(Of)) ? Place::Taken : Place::Outside;
}

void ReservationUnits::add(const Range &Of) {
  assert(find(Of) != Place::Taken && "it must be free");
  if (!Reserved.find(Of.Address))
    set(Reserved, around(Of));
  set(Used, Of);
}

std::optional<Range> ReservationUnits::remove(uintptr_t Address) {
  const Range *Part = Used.find(Address);
  if (!Part)
    return std::nullopt;
  const Range Row = *Reserved.find(Address);
  Used.erase(Part->Address, Part->Bytes);
  if (overlaps(Used, Row))
    return std::nullopt;
  Reserved.erase(Row.Address, Row.Bytes);
  return Row;
}

} // namespace gridspan
