//===- BlockState.h - A launch and a block while they run -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State that device code and the functions it calls find by the
// GridspanCpuBlock that they get. Each host thread that runs blocks of a launch
// has a LaunchState of its own; only LaunchBlocks is shared.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_BLOCKSTATE_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_BLOCKSTATE_H

#include "runtime/backend/cpu/CpuLaunch.h"
#include "runtime/support/LowMemory.h"
#include <csetjmp>
#include <cstdlib>
#include <driver_types.h>
#include <memory>
#include <optional>
#include <string>

namespace gridspan {

class AccessChecker;
class AccessRecorder;
class LaunchBlocks;
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

/// A launch while a host thread runs some of its blocks.
struct LaunchState {
  LaunchState(const CpuLaunch &Launch, LaunchBlocks &Blocks)
      : Launch(Launch), Blocks(Blocks) {}

  const CpuLaunch &Launch;
  LaunchBlocks &Blocks;
  GridspanCpuRunFn Run = nullptr;
  std::vector<void *> Args;
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
  /// The end of the part of the host thread's stack that device code has.
  const char *StackHi = nullptr;
  /// The thread that runs, where each is called on its own and is no fiber.
  std::optional<uint32_t> Thread;
  std::optional<DeviceFault> Fault;
  cudaError_t Error = cudaSuccess;
  uint64_t FailedBlock = 0; ///< number in the launch, where Error is set
  std::string Message;
  std::string Output; ///< text of printf that is not handed on yet
  /// The block as whose Output counts; it never becomes an earlier one.
  uint64_t OutputBlock = 0;
  std::unique_ptr<uint64_t[]> GridWorkspace;
  /// The target of a thread that is no fiber when the launch has failed.
  std::jmp_buf Failed;

  /// Notes the first error of the launch.
  void fail(cudaError_t NewError, std::string Text);
  /// Notes that Block, which this host thread ran, has failed.
  void noteFailed(uint64_t Block);
  /// Writes the output, or hands it on where threads share blocks.
  void passOutput();
};

/// What threads that are no fibers keep across barriers.
struct BlockFrame {
  char *Begin = nullptr;
  uint64_t Bytes = 0;

  BlockFrame() = default;
  ~BlockFrame() { std::free(Begin); }
  BlockFrame(const BlockFrame &) = delete;
};

/// A block while it runs. Device code has a pointer to Abi.
struct BlockState {
  GridspanCpuBlock Abi = {};
  LaunchState *Launch = nullptr;
  ScheduledBlock *Scheduled = nullptr; ///< null if threads are no fibers
  uint64_t Number = 0;                 ///< in the launch
  /// Device code takes addresses in it for numbers of 32 bits.
  LowMemory Shared;
  char *Reserved = nullptr; ///< for cooperative groups, in Shared
  BlockFrame Frame;

  /// Takes memory for blocks of L. Fails L and returns false if there is none.
  bool allocate(LaunchState &L);
  /// Becomes the block with this number in its launch, x fastest.
  void setBlock(uint64_t NewNumber);

  bool isShared(const void *Address) const;
  bool isFrame(const void *Address) const {
    const auto *P = static_cast<const char *>(Address);
    return P >= Frame.Begin && P < Frame.Begin + Frame.Bytes;
  }
  /// Returns true if the bytes are in the block's variables, or WithReserved in
  /// what is reserved in front of them.
  bool holdsShared(const void *Address, uint64_t Bytes,
                   bool WithReserved) const;

  static BlockState &of(const GridspanCpuBlock *Abi);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_BLOCKSTATE_H
