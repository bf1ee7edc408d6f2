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

/// Of the launch of a recording clone: the blocks that it records. A clone
/// takes far longer than its kernel, also in other blocks. So the sample runs
/// it, and then the rest runs the kernel: which block comes first is nothing
/// that one may rely on that waits for no other.
struct BlockSample {
  /// The kernel that the clone is of, whose parameters are the clone's first
  /// ones, and its code; null: all blocks run the clone.
  const GridspanKernel *Kernel = nullptr;
  const GridspanCpuKernel *Code = nullptr;
  /// Recorded are the first of each Step blocks of the program's launch, Most
  /// of them at most.
  uint32_t Step = 1, Most = 0;

  /// Returns true if the block of the program's launch is recorded.
  bool contains(uint64_t Block) const {
    return Block % Step == 0 && Block / Step < Most;
  }
};

/// The blocks that run, of those of a launch.
enum class BlockPart { All, Sample, Rest };

struct CpuLaunch {
  const GridspanKernel *Kernel = nullptr;
  /// The code of the kernel or of its clone; Run is not null.
  const GridspanCpuKernel *Code = nullptr;
  BlockSample Sample;
  BlockPart Part = BlockPart::All;
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

  /// Returns true if a block of Grid, by its number there, is of the Part.
  bool isOfPart(uint64_t Block) const;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_CPULAUNCH_H
