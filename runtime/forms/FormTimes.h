//===- FormTimes.h - Whether launches gain by another order -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times of launches on one allocation, as the program made it and as an array
// for each field. Says whether launches are known as the program made it, so
// that a conversion can be judged, and whether it has made them slower.
//
// Only launches of one kernel with as many blocks are compared, the quickest of
// each order: what disturbs a launch makes it slower. The first of each order
// loads code, and does not count. A program whose grids are always new is
// judged by the first ones.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_FORMS_FORMTIMES_H
#define GRIDSPAN_RUNTIME_FORMS_FORMTIMES_H

#include "gridspan/ABI.h"
#include <cstdint>
#include <map>
#include <utility>

namespace gridspan {

enum class RecordOrder : uint8_t { AsMade, ByFields };

class FormTimes {
public:
  /// The kernel as the program has it, and its blocks.
  using Key = std::pair<const GridspanKernel *, uint64_t>;

  /// Returns true if more times are needed.
  bool wants(const Key &Of, RecordOrder In) const;
  void add(const Key &Of, RecordOrder In, double Seconds);

  /// Returns true if launches that keep to what the program made have times.
  bool isKnown(const Key &Of) const;
  /// Returns true if the launches that are known in both orders, one of each,
  /// take longer in the new one. Of those that have begun to run there the rest
  /// is awaited, for so many questions.
  bool isSlower();

private:
  struct Times {
    unsigned Count = 0;
    double Least = 0; ///< of all but the first
  };
  struct Both {
    Times AsMade, ByFields;
  };
  const Times &timesOf(const Key &Of, RecordOrder In) const;
  /// Returns true if the launch is one too many to be known.
  bool isLeftOut(const Key &Of) const;
  std::map<Key, Both> All;
  unsigned Questions = 0; ///< that waited for a launch to be known
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_FORMS_FORMTIMES_H
