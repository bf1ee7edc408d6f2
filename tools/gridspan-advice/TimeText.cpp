//===- TimeText.cpp - Times for people ------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the largest unit of which there is at least one, as the number is
// rounded. Times below a nanosecond are in nanoseconds too.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/TimeText.h"
#include <fmt/format.h>

namespace gridspan {

std::string timeText(double Seconds, int Digits) {
  static constexpr const char *Units[] = {"ns", "us", "ms", "s"};
  double Value = Seconds * 1e9;
  unsigned Unit = 0;
  // What rounds to 1000 is one of the next unit.
  while (Unit + 1 != std::size(Units) && Value >= 999.95) {
    Value /= 1000;
    ++Unit;
  }
  return fmt::format("{:.{}g} {}", Value, Digits, Units[Unit]);
}

} // namespace gridspan
