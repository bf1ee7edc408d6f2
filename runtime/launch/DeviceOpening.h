//===- DeviceOpening.h - When devices are worth opening ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the time that launches lose while the first device alone is open, and
// has the others opened, in the background, when it is as long as that takes:
// the ski rental problem. Launches never wait for it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_DEVICEOPENING_H
#define GRIDSPAN_RUNTIME_LAUNCH_DEVICEOPENING_H

#include "runtime/backend/Backend.h"
#include <atomic>

namespace gridspan {

/// Thread-safe.
class DeviceOpening {
public:
  /// The time that launches may lose before devices are opened for them. To
  /// make a context takes 0.1 s beside the program, of which it waits for up to
  /// 10 ms when it launches meanwhile. Launches that have lost this took twice
  /// as long, so that this costs them no more than TryShare.
  static constexpr double SecondsWorthIt = 0.1;
  /// The time in which devices are likely to be open once they are asked for,
  /// as measured where memory is copied and pinned meanwhile.
  static constexpr double LikelySeconds = 0.25;

  explicit DeviceOpening(Backend &B) : B(B) {}

  /// Notes that a launch loses time as devices are not open.
  void noteLost(double Seconds) {
    const auto Nanoseconds = static_cast<uint64_t>(Seconds * 1e9);
    if (static_cast<double>(Lost.fetch_add(Nanoseconds) + Nanoseconds) >=
        SecondsWorthIt * 1e9)
      B.prepare();
  }

  /// Returns the time that work at the first device's bus loses, which takes
  /// Seconds there, by not running at the buses of all.
  double lostAtOneBus(double Seconds) const {
    double All = 0;
    for (const DeviceInfo &D : B.system().Devices)
      All += D.HostToDevice;
    const double First = B.system().Devices.front().HostToDevice;
    return All > 0 ? Seconds * (1 - First / All) : 0;
  }

private:
  Backend &B;
  std::atomic<uint64_t> Lost{0}; ///< nanoseconds
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_DEVICEOPENING_H
