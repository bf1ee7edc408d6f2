//===- TimeText.h - Times for people ----------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints times from nanoseconds to seconds in units that are easy to read.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_TIMETEXT_H
#define GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_TIMETEXT_H

#include <string>

namespace gridspan {

/// Returns a time in the unit that suits it: "340 ns", "12.5 us", "1.2 ms".
std::string timeText(double Seconds, int Digits = 4);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_TIMETEXT_H
