//===- LaunchLimits.h - Which launches are possible -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch is checked against CUDA's limits, and those of the kernel that the
// program knows. A clone of it may need more registers, so that blocks have to
// be smaller.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_LAUNCHLIMITS_H
#define GRIDSPAN_RUNTIME_LAUNCH_LAUNCHLIMITS_H

#include "runtime/stream/LaunchRequest.h"

namespace gridspan {

/// Returns true if a launch has no threads, which is an error of the program.
bool isEmpty(const LaunchShape &Shape);

/// Returns the error of a launch that CUDA refuses at once: all of it is
/// cudaErrorInvalidValue since CUDA 13, but for cooperative launches whose
/// blocks are not all on device 0 at once. OfClone: it is enough if the clone
/// for distinct arguments takes the launch.
cudaError_t checkLimits(Backend &B, const LaunchRequest &R,
                        bool OfClone = false);

/// Returns true if Target, which may be a clone, takes blocks of that shape.
bool takesBlocks(Backend &B, const LaunchTarget &Target,
                 const LaunchShape &Shape);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_LAUNCHLIMITS_H
