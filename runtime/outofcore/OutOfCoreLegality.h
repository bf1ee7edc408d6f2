//===- OutOfCoreLegality.h - Why one device, why in place -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decisions about a launch larger than device memory that are not a matter
// of speed. Each is a function that returns the reason for "no", or None for
// "yes":
//
//   whyUnsplit()    why it may not be divided into chunks
//   whyOneDevice()  why its chunks stay on one of several devices
//   whyOnHost()     why an argument stays on the host and is read over the bus
//
// The planner (OutOfCorePlanner.h) asks them and records the answers in the
// plan, from where they come to the report. A new refusal is one line in one of
// them. Whether an out-of-core launch pays at all is decided before, by
// OutOfCoreLauncher::whyNotOutOfCore(). Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCORELEGALITY_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCORELEGALITY_H

#include "runtime/outofcore/OutOfCoreInput.h"

namespace gridspan {

/// Modes of the launch's accesses through pointers into the allocation that
/// lead outside of it (ByteInterval.h): they are to something else.
uint32_t outsideModes(const PlanInput &In, unsigned Allocation);

/// Returns why the launch may not be divided into chunks, so that it runs as
/// one step on one device; None if it may.
LaunchReason whyUnsplit(const OutOfCoreInput &In);

/// Returns why its chunks stay on one of several devices; None if they may
/// run on all.
LaunchReason whyOneDevice(const OutOfCoreInput &In, const SystemInfo &System,
                          Schedule Schedule);

/// True if it has atomics on memory of the host, which are only good from one
/// device, and there not in the clone, which has widened them.
bool atomicsInPlace(const OutOfCoreInput &In);

/// True if it uses memory of the host where that is.
bool usesHostInPlace(const OutOfCoreInput &In);

/// True if some pointer into the allocation is used for more than the addresses
/// of accesses, so that it cannot be moved.
bool pointerEscapes(const OutOfCoreInput &In, unsigned Allocation);

/// Returns the reason that an allocation too large for a device is needed there
/// at once. IsUnsplit: the launch cannot be divided into chunks.
LaunchReason whyOnHost(const OutOfCoreInput &In, unsigned Allocation,
                       bool IsUnsplit);

/// True if the kernel does nothing with the allocation but read it through
/// pointers that the clone with packed rows looks up.
bool mayPack(const OutOfCoreInput &In, unsigned Allocation);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCORELEGALITY_H
