//===- ReservationUnits.cpp - Addresses at chosen places ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges do not overlap, so that the first one that ends behind an address is
// the only one that may hold it.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ReservationUnits.h"
#include "runtime/backend/Backend.h"
#include <cassert>
#include <iterator>

namespace gridspan {

using Range = ReservationUnits::Range;

/// Returns the first range that ends behind Address; End if there is none.
static auto endingBehind(const std::map<uintptr_t, size_t> &Of,
                         uintptr_t Address) {
  auto It = Of.upper_bound(Address);
  if (It != Of.begin())
    if (auto Before = std::prev(It); Before->first + Before->second > Address)
      return Before;
  return It;
}

static bool overlaps(const std::map<uintptr_t, size_t> &Of, const Range &With) {
  const auto It = endingBehind(Of, With.Address);
  return It != Of.end() && It->first < With.Address + With.Bytes;
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
  const auto It = endingBehind(Reserved, Of.Address);
  if (It != Reserved.end() && It->first <= Of.Address &&
      It->first + It->second >= Of.Address + Of.Bytes)
    return Place::Inside;
  return overlaps(Reserved, around(Of)) ? Place::Taken : Place::Outside;
}

void ReservationUnits::add(const Range &Of) {
  if (find(Of) == Place::Outside) {
    const Range Units = around(Of);
    Reserved.emplace(Units.Address, Units.Bytes);
  }
  assert(find(Of) == Place::Inside && "it must not be taken");
  Used.emplace(Of.Address, Of.Bytes);
}

std::optional<Range> ReservationUnits::remove(uintptr_t Address) {
  if (!Used.erase(Address))
    return std::nullopt;
  const auto Units = endingBehind(Reserved, Address);
  assert(Units != Reserved.end() && "units hold every range");
  const Range Row = {Units->first, Units->second};
  if (overlaps(Used, Row))
    return std::nullopt;
  Reserved.erase(Units);
  return Row;
}

} // namespace gridspan
