//===- OutOfCoreLegality.h - Why one device, why in place -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which launches with paged memory may be cut into chunks, on how many devices,
// and what may be done with the pointers of each of their allocations. Pure;
// each answer that is no has a reason.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCORELEGALITY_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCORELEGALITY_H

#include "runtime/outofcore/OutOfCoreInput.h"

namespace gridspan {

/// True if it may touch memory that no argument of it points into.
bool mayTouchAnything(const GridspanKernel &Kernel);

/// Modes of the launch's accesses through pointers into the allocation that
/// lead outside of it (ByteInterval.h): they are to something else.
uint32_t outsideModes(const PlanInput &In, unsigned Allocation);

/// Returns why the launch may not be partitioned into chunks; None if it may.
LaunchReason whyUnsplit(const OutOfCoreInput &In);

/// Returns why its chunks run on one of several devices; None if they may run
/// on all.
LaunchReason whyOneDevice(const OutOfCoreInput &In, const SystemInfo &System,
                          Schedule Schedule);

/// True if it has atomics on memory of the host, which are only good from one
/// device, and there not in the clone, which has widened them.
bool atomicsInPlace(const OutOfCoreInput &In);

/// True if some pointer into the allocation is used for more than the addresses
/// of accesses, so that it cannot be moved.
bool pointerEscapes(const OutOfCoreInput &In, unsigned Allocation);

/// Returns why an allocation that is too large for a device is needed there at
/// once. IsUnsplit: the launch cannot be partitioned into chunks.
LaunchReason whyInPlace(const OutOfCoreInput &In, unsigned Allocation,
                        bool IsUnsplit);

/// True if the kernel does nothing with the allocation but read it through
/// pointers that the clone with packed rows looks up.
bool mayPack(const OutOfCoreInput &In, unsigned Allocation);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCORELEGALITY_H
