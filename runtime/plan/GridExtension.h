//===- GridExtension.h - Longer grids for several devices -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program gives a grid-stride loop as many threads as one device holds.
// Partitioned into tiles, that leaves each device with too few to keep its
// memory busy. A kernel that does the same in a grid of any length
// (GridspanElasticX) gets a longer one: for each device as many blocks as the
// program had for one.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_GRIDEXTENSION_H
#define GRIDSPAN_RUNTIME_PLAN_GRIDEXTENSION_H

#include "gridspan/ABI.h"
#include "runtime/backend/SystemInfo.h"

namespace gridspan {

/// Returns true if a launch of the kernel does the same in a grid that is
/// longer along Axis, as long as that has no more than 2^26 threads.
bool isExtensible(const GridspanKernel &Kernel, unsigned Axis,
                  void *const *Args);

/// Returns Unsplit, the box of a launch, in a grid for this many devices;
/// unchanged where it may not be longer, or where a share of it fills a device.
GridspanBox boxFor(const GridspanKernel &Kernel, const GridspanBox &Unsplit,
                   unsigned Axis, unsigned Devices, const SystemInfo &System);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_GRIDEXTENSION_H
