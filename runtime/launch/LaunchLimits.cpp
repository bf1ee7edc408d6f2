//===- LaunchLimits.cpp - Which launches are possible ---------------------===//
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
#include <algorithm>
#include <climits>

namespace gridspan {

/// Registers that a thread may have, at most, as they are handed out.
static constexpr unsigned MostRegisters = 256;
static constexpr unsigned WarpThreads = 32;

/// Returns true if blocks of that many threads have enough registers whatever
/// the code of the kernel or of its clone needs. They have launch bounds in
/// common. Asking for more would load the code on the device.
static bool takesAnyCode(Backend &B, const GridspanKernel *Kernel,
                         uint64_t Threads) {
  int Registers = 0;
  return Kernel && (Kernel->MaxThreads == 0 || Threads <= Kernel->MaxThreads) &&
         !B.attribute(0, cudaDevAttrMaxRegistersPerBlock, Registers) &&
         (Threads + WarpThreads - 1) / WarpThreads * WarpThreads *
                 MostRegisters <=
             static_cast<uint64_t>(Registers);
}

static cudaError_t checkCooperative(Backend &B, const LaunchRequest &R) {
  // What the program is told, and not what the planner reckons with.
  int PerMultiprocessor = 0, Multiprocessors = 0;
  const LaunchShape &Shape = R.Shape;
  const dim3 &Block = Shape.Block;
  if (cudaError_t Error =
          B.occupancy(R.Target, static_cast<int>(Block.x * Block.y * Block.z),
                      Shape.DynamicSharedBytes, 0, PerMultiprocessor))
    return Error;
  if (cudaError_t Error =
          B.attribute(0, cudaDevAttrMultiProcessorCount, Multiprocessors))
    return Error;
  const uint64_t Most = uint64_t(PerMultiprocessor) * Multiprocessors;
  const uint64_t Blocks = uint64_t(Shape.Grid.x) * Shape.Grid.y * Shape.Grid.z;
  return Blocks > Most ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

bool isEmpty(const LaunchShape &Shape) {
  const dim3 &G = Shape.Grid, &B = Shape.Block;
  return std::min({G.x, G.y, G.z, B.x, B.y, B.z}) == 0;
}

/// Checks what depends on the code.
static cudaError_t checkCode(Backend &B, const LaunchTarget &Target,
                             const LaunchShape &Shape) {
  cudaFuncAttributes Limits;
  if (cudaError_t Error = B.functionAttributes(Target, Limits))
    return Error;
  const dim3 &Block = Shape.Block;
  if (Block.x * Block.y * Block.z >
      static_cast<unsigned>(Limits.maxThreadsPerBlock))
    return cudaErrorInvalidValue;
  return Shape.DynamicSharedBytes > static_cast<size_t>(std::max(
                                        0, Limits.maxDynamicSharedSizeBytes))
             ? cudaErrorInvalidValue
             : cudaSuccess;
}

cudaError_t checkLimits(Backend &B, const LaunchRequest &R, bool OfClone) {
  const LaunchShape &Shape = R.Shape;
  const dim3 &G = Shape.Grid, &Bl = Shape.Block;
  if (isEmpty(Shape))
    return cudaErrorInvalidValue;
  if (G.x > INT_MAX || G.y > 65535 || G.z > 65535)
    return cudaErrorInvalidValue;
  if (Bl.x > 1024 || Bl.y > 1024 || Bl.z > 64)
    return cudaErrorInvalidValue;
  // The clone for distinct arguments may be the only code that runs.
  if (!Shape.Cooperative && Shape.DynamicSharedBytes == 0 &&
      takesAnyCode(B, R.Target.Kernel, uint64_t(Bl.x) * Bl.y * Bl.z))
    return cudaSuccess;
  if (OfClone && !Shape.Cooperative) {
    LaunchTarget Clone = R.Target;
    Clone.NoAlias = true;
    if (!checkCode(B, Clone, Shape))
      return cudaSuccess;
  }
  if (cudaError_t Error = checkCode(B, R.Target, Shape))
    return Error;
  return Shape.Cooperative ? checkCooperative(B, R) : cudaSuccess;
}

bool takesBlocks(Backend &B, const LaunchTarget &Target,
                 const LaunchShape &Shape) {
  const unsigned Threads = Shape.Block.x * Shape.Block.y * Shape.Block.z;
  if (takesAnyCode(B, Target.Kernel, Threads))
    return true;
  cudaFuncAttributes Limits;
  return !B.functionAttributes(Target, Limits) &&
         Threads <= static_cast<unsigned>(Limits.maxThreadsPerBlock);
}

} // namespace gridspan
