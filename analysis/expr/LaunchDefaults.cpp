//===- LaunchDefaults.cpp - Typical launches ------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 256 threads are what most programs choose: enough warps to hide latencies,
// and a divisor of what a multiprocessor holds.
// A warp runs along x, so that its lanes are side by side. Launch bounds halve
// the outermost axis first.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/LaunchDefaults.h"
#include "analysis/machine/WarpRequest.h"

namespace gridspan {

std::array<uint32_t, 3> typicalBlock(const std::array<bool, 3> &Used,
                                     uint32_t MaxThreads) {
  std::array<uint32_t, 3> Block = {TypicalThreads, 1, 1};
  if (Used[1])
    Block = {WarpSize, TypicalThreads / WarpSize, 1};
  if (Used[2])
    Block = {WarpSize, TypicalThreads / WarpSize / 2, 2};
  // Threads along x that do all the same are nobody's.
  if (!Used[0] && Used[1])
    Block = Used[2] ? std::array<uint32_t, 3>{1, TypicalThreads / 8, 8}
                    : std::array<uint32_t, 3>{1, TypicalThreads, 1};
  uint32_t Threads = MaxThreads ? MaxThreads : TypicalThreads;
  for (unsigned Axis : {2u, 1u, 0u})
    while (Block[Axis] > 1 && Block[0] * Block[1] * Block[2] > Threads)
      Block[Axis] /= 2;
  return Block;
}

} // namespace gridspan
