//===- LaunchLimits.h - What a clone can be launched with -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch is checked against the limits of the kernel that the program knows.
// A clone of it may need more registers, so that blocks have to be smaller.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_LAUNCHLIMITS_H
#define GRIDSPAN_RUNTIME_LAUNCH_LAUNCHLIMITS_H

#include "runtime/backend/Backend.h"

namespace gridspan {

/// Returns true if Target, which may be a clone, takes blocks of that shape.
bool takesBlocks(Backend &B, const LaunchTarget &Target,
                 const LaunchShape &Shape);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_LAUNCHLIMITS_H
