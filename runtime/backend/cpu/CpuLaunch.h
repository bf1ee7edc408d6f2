//===- CpuLaunch.h - A launch on a CPU device -------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data that the CPU backend hands over to the runner of kernels.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_CPULAUNCH_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_CPULAUNCH_H

#include "gridspan/ABI.h"
#include <cstddef>
#include <memory>
#include <vector>
#include <vector_types.h>

namespace gridspan {

class CpuImages;
class ReachMap;
class WorkerPool;

struct CpuLaunch {
  const GridspanKernel *Kernel = nullptr;
  /// The code of the kernel or of its clone; Run is not null.
  const GridspanCpuKernel *Code = nullptr;
  dim3 Grid; ///< blocks to run here
  dim3 Block;
  /// The position of these blocks in the grid of the program's launch.
  GridspanTile Tile = {};
  size_t DynamicSharedBytes = 0;
  /// True if all blocks are in flight at once.
  bool Cooperative = false;
  int Device = 0;
  /// The map by which accesses beyond the device's reach are errors, or null.
  std::shared_ptr<const ReachMap> Reach;
  /// The device's copy of the module's variables; null when there are none.
  void *Image = nullptr;
  /// The variables of all devices.
  CpuImages *Images = nullptr;
  /// The arguments, each at its GridspanParam::Offset.
  std::vector<std::byte> Parameters;
  /// The device's threads; null: the blocks run on the calling thread only.
  std::shared_ptr<WorkerPool> Workers;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_CPULAUNCH_H
