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
#include <optional>
#include <string>

namespace gridspan {

class AccessChecker;
class AccessRecorder;
class ScheduledBlock;
struct BlockState;

/// An access that a thread is about to make.
struct DeviceAccess {
  uint32_t Thread = 0; ///< linear index in the block, x fastest
  uint32_t Mode = 0;   ///< GridspanMode
  uint32_t Alignment = 1;
  uint64_t Address = 0;
  uint64_t Bytes = 0;
  /// The site in its module, or nothing for shared memory.
  std::optional<uint32_t> Site;
  const char *Where = nullptr; ///< "file:line:col", "", or null: the site's
};

/// A fault of the host processor in device code.
struct DeviceFault {
  bool StackOverflow = false;
  const void *Address = nullptr; ///< null if the processor does not say
  uint64_t Block = 0;            ///< number in the launch
  std::optional<uint32_t> Thread;
};

/// A launch while it runs.
struct LaunchState {
  explicit LaunchState(const CpuLaunch &Launch) : Launch(Launch) {}

  const CpuLaunch &Launch;
  GridspanCpuRunFn Run = nullptr;
  std::vector<void *> Args;
  uint64_t NumBlocks = 0;
  uint32_t NumThreads = 0; ///< of a block
  AccessRecorder *Recorder = nullptr;
  AccessChecker *Checker = nullptr;
  /// Receives each access before it is made, if not null.
  DeviceAccess *Last = nullptr;

  /// The block whose device code the host thread runs; null while it runs none,
  /// or a function of the runtime that must not be left.
  BlockState *Running = nullptr;
  /// The block that called such a function.
  BlockState *Calling = nullptr;
  /// The thread that runs, where each is called on its own and is no fiber.
  std::optional<uint32_t> Thread;
  std::optional<DeviceFault> Fault;
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
  uint64_t Number = 0;                 ///< in the launch
  std::vector<char> Shared;
  char *Reserved = nullptr; ///< for cooperative groups, in Shared

  void allocate(LaunchState &L);
  /// Becomes the block with this number in its launch, x fastest.
  void setBlock(uint64_t NewNumber);

  bool isShared(const void *Address) const;
  /// Returns true if the bytes are in the block's variables, or reserved.
  bool holdsShared(const void *Address, uint64_t Bytes) const;

  static BlockState &of(const GridspanCpuBlock *Abi);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_BLOCKSTATE_H
