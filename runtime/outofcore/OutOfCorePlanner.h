//===- OutOfCorePlanner.h - Plan an out-of-core launch ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides how a launch that touches paged memory on the host is run: how its
// grid is divided into chunks, on which devices and in which order they run,
// and which arguments stay in place. Pure, so it is tested with no device.
//
// Any plan is right: chunks are tiles of a kernel that may be split, and what
// a chunk touches is on some device while it runs. The question is which moves
// the fewest bytes.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCOREPLANNER_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCOREPLANNER_H

#include "runtime/outofcore/OutOfCoreLegality.h"
#include "runtime/outofcore/OutOfCorePlan.h"

namespace gridspan {

/// Plans the steps of a launch. Some allocation of it is paged, and it touches
/// nothing but what its arguments lead to. Schedule::Single uses one device.
OutOfCorePlan planOutOfCore(OutOfCoreInput Input, const SystemInfo &System,
                            Schedule Schedule);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCOREPLANNER_H
