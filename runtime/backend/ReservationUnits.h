//===- ReservationUnits.h - Addresses at chosen places ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver takes a chosen address for a wish, which it grants large ranges
// only: of 2 MiB it makes one of its own pool, whatever the address (driver
// 580). So whole units of Backend::ReservationUnit are reserved, each once, and
// what is asked for is a part of one row of them. Plain data: who uses it calls
// the driver.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RESERVATIONUNITS_H
#define GRIDSPAN_RUNTIME_BACKEND_RESERVATIONUNITS_H

#include "runtime/backend/RangeTable.h"
#include <cstddef>
#include <cstdint>
#include <optional>

namespace gridspan {

class ReservationUnits {
public:
  struct Range {
    uintptr_t Address;
    size_t Bytes;
    bool operator==(const Range &) const = default;
  };

  /// Returns the units that hold the range.
  static Range around(const Range &Of);

  enum class Place {
    Taken,   ///< something of it is in use, or units before it end within it
    Inside,  ///< its units are reserved, and it is free
    Outside, ///< its units have to be reserved first
  };
  Place find(const Range &Of) const;

  /// Notes that the range, which is not Taken, is in use, and that its units
  /// are reserved if they were not.
  void add(const Range &Of);
  /// Forgets the range in use at Address. Returns the units that are to be
  /// given back, if it was the last one there. Returns nothing for a range that
  /// add() was never called with, for which isKnown() is false.
  std::optional<Range> remove(uintptr_t Address);
  bool isKnown(uintptr_t Address) const { return Used.find(Address); }

private:
  /// What is at each address: rows of units, and parts of them.
  RangeTable<Range> Reserved, Used;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_RESERVATIONUNITS_H
