//===- TimeGap.h - Why a time is not as predicted ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the measured time of a kernel's launch with the predicted one, and
// names what is between them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_TIMEGAP_H
#define GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_TIMEGAP_H

#include "tools/gridspan-advice/AdviceReader.h"

namespace gridspan {

enum class TimeGap {
  None,
#define GRIDSPAN_TIME_GAP(Kind, Name, Text) Kind,
#include "tools/gridspan-advice/TimeGaps.def"
};

/// Returns the stable name, and what it means; both empty of None.
const char *nameOf(TimeGap Gap);
const char *textOf(TimeGap Gap);

/// The share of the measured time by which a prediction may be wrong without
/// there being a gap.
constexpr double GapFrom = 0.15;

/// The devices of a run.
struct RunDevices {
  bool AreGpus = true;
  size_t Count = 1;
};

/// Returns what is between the times of a kernel with a profile.
TimeGap timeGapOf(const Kernel &K, const RunDevices &Devices);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_TIMEGAP_H
