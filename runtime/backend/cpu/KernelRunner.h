//===- KernelRunner.h - Run blocks on the calling thread --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the CPU backend hands over for a launch, on the thread of the launch's
// stream, when its turn has come.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_KERNELRUNNER_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_KERNELRUNNER_H

#include "gridspan/ABI.h"
#include <cstddef>
#include <driver_types.h>
#include <memory>
#include <vector>
#include <vector_types.h>

namespace gridspan {

class ReachMap;

struct CpuLaunch {
  const GridspanKernel *Kernel = nullptr;
  /// Its code, or that of its clone; Run is not null.
  const GridspanCpuKernel *Code = nullptr;
  dim3 Grid; ///< blocks to run here
  dim3 Block;
  /// Where these blocks are in the whole grid.
  GridspanTile Tile = {};
  size_t DynamicSharedBytes = 0;
  /// All blocks are in flight at once.
  bool Cooperative = false;
  int Device = 0;
  /// Not null: an access to memory that the device does not reach is an error.
  std::shared_ptr<const ReachMap> Reach;
  /// The device's copy of the module's variables; null when there are none.
  void *Image = nullptr;
  /// Arguments at GridspanParam::Offset.
  std::vector<std::byte> Parameters;
};

/// Runs all blocks, in ascending order unless cooperative, and returns when
/// they are done: cudaSuccess, or the error that the kernel died of.
cudaError_t runKernel(const CpuLaunch &Launch);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_KERNELRUNNER_H
