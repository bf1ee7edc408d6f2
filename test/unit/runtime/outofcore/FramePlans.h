//===- FramePlans.h - Frames and steps for tests ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tests of schedules and of rings begin with: allocations whose frames of
// ten bytes are all on the host, steps, and devices without rings.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TEST_UNIT_RUNTIME_OUTOFCORE_FRAMEPLANS_H
#define GRIDSPAN_TEST_UNIT_RUNTIME_OUTOFCORE_FRAMEPLANS_H

#include "runtime/memory/PagedView.h"
#include "runtime/outofcore/OutOfCorePlan.h"

namespace gridspan {

inline PagedView frames(uint32_t Count, bool Filled = true) {
  PagedView V;
  V.FrameBytes = 10;
  V.Frames.assign(Count, {10, Host, false, Filled, false});
  return V;
}

inline OutOfCoreStep step(std::vector<FrameUse> Uses, int Device = 0) {
  OutOfCoreStep S;
  S.Device = Device;
  S.Uses = std::move(Uses);
  return S;
}

inline RingViews noRings(size_t Allocations, size_t Devices = 1) {
  return RingViews(Allocations, std::vector<RingView>(Devices));
}

} // namespace gridspan

#endif // GRIDSPAN_TEST_UNIT_RUNTIME_OUTOFCORE_FRAMEPLANS_H
