//===- BlockState.h - A launch and a block while they run -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State that device code and the functions it calls find by the
// GridspanCpuBlock that they get. Everything belongs to the one host thread
// that runs the launch.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_BLOCKSTATE_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_BLOCKSTATE_H

#include "runtime/backend/cpu/CpuLaunch.h"
#include <csetjmp>
#include <driver_types.h>
#include <memory>
#include <string>

namespace gridspan {

class AccessRecorder;
class ScheduledBlock;

/// A launch while it runs.
struct LaunchState {
  explicit LaunchState(const CpuLaunch &Launch) : Launch(Launch) {}

  const CpuLaunch &Launch;
  GridspanCpuRunFn Run = nullptr;
  std::vector<void *> Args;
  uint64_t NumBlocks = 0;
  uint32_t NumThreads = 0; ///< of a block
  AccessRecorder *Recorder = nullptr;

  cudaError_t Error = cudaSuccess;
  std::string Message;
  std::string Output; ///< text of printf that is not written yet
  std::unique_ptr<uint64_t[]> GridWorkspace;
  /// The target of a thread that is no fiber when the launch has failed.
  std::jmp_buf Failed;

  /// Notes the first error of the launch.
  void fail(cudaError_t NewError, std::string Text);
  void flushOutput();
};

/// A block while it runs. Device code has a pointer to Abi.
struct BlockState {
  GridspanCpuBlock Abi = {};
  LaunchState *Launch = nullptr;
  ScheduledBlock *Scheduled = nullptr; ///< null if threads are no fibers
  std::vector<char> Shared;
  char *Reserved = nullptr; ///< for cooperative groups, in Shared

  void allocate(LaunchState &L);
  /// Becomes the block with this number in its launch, x fastest.
  void setBlock(uint64_t Number);

  bool isShared(const void *Address) const;

  static BlockState &of(const GridspanCpuBlock *Abi);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_BLOCKSTATE_H
