//===- ChosenDevice.h - Work on a device of one's choice --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the primitives of include/gridspan/algorithm want the work of the
// calling thread, if they know better than a planner that sees one launch:
// kernels that cannot be split run at the same time, each on the device that
// has its data. It decides speed only: what cannot be there is elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_CHOSENDEVICE_H
#define GRIDSPAN_RUNTIME_SUPPORT_CHOSENDEVICE_H

#include <optional>

namespace gridspan {

/// As the calls of primitives have them (algorithm/Operands.h).
inline constexpr int NoChosenDevice = -1, EveryDevice = -2;

/// Returns the calling thread's choice, to be read and set: a device, or one of
/// those above. Costs a load.
int &chosenDevice();

/// Returns the device that the calling thread wants its launches to run on
/// whole, and its memory on.
inline std::optional<int> wholeDevice() {
  const int Chosen = chosenDevice();
  return Chosen >= 0 ? std::optional(Chosen) : std::nullopt;
}

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_CHOSENDEVICE_H
