//===- LaunchLimits.cpp - What a clone can be launched with ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the backend, which knows the registers of each clone as it was compiled
// for the device. A target whose attributes are not known takes no blocks: the
// launch then runs the kernel itself.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/LaunchLimits.h"

namespace gridspan {

bool takesBlocks(Backend &B, const LaunchTarget &Target,
                 const LaunchShape &Shape) {
  cudaFuncAttributes Limits;
  return !B.functionAttributes(Target, Limits) &&
         Shape.Block.x * Shape.Block.y * Shape.Block.z <=
             static_cast<unsigned>(Limits.maxThreadsPerBlock);
}

} // namespace gridspan
