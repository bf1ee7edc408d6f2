//===- AccessCheck.h - Checks the accesses of kernels -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With GRIDSPAN_CHECK=1 every access of device code is checked before it is
// made: it must be aligned, and inside of an allocation, a variable, registered
// memory or the block's shared memory. A thread that makes a wrong one ends
// there, and others go on. Also has the texts of messages about accesses.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_ACCESSCHECK_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_ACCESSCHECK_H

#include "runtime/backend/cpu/BlockState.h"
#include <cstdio>
#include <map>
#include <vector>

namespace gridspan {

/// The checks of one launch.
class AccessChecker {
public:
  /// Makes later launches check their accesses, or not. With Contents they also
  /// look for reads of shared memory that the block has not written.
  static void enable(bool On, bool Contents = false);
  static bool enabled();
  /// Returns the number of wrong accesses so far, and prints it.
  static uint64_t summarize(FILE *To);

  /// Returns null when nothing is to be checked. Prints once if a kernel has no
  /// code for it.
  static std::unique_ptr<AccessChecker> create(const CpuLaunch &Launch);

  /// Returns true if the access may be made. Prints the first wrong one of a
  /// site. Precondition: Access is not to the thread's own memory.
  bool check(const BlockState &Block, const DeviceAccess &Access,
             bool ToShared);

  /// Returns the error of the launch, or cudaSuccess.
  cudaError_t error() const { return Error; }

private:
  explicit AccessChecker(const CpuLaunch &Launch) : Launch(Launch) {}
  void report(const BlockState &Block, const DeviceAccess &Access,
              const std::string &Problem);

  /// Notes what an access to the block's variables writes. Returns false if it
  /// reads only bytes that the block has not written.
  bool readsWritten(const BlockState &Block, const DeviceAccess &Access);

  /// The bytes of its shared variables that a block has written.
  struct WrittenBytes {
    uint64_t Block = 0; ///< number in the launch
    std::vector<bool> IsWritten;
  };

  const CpuLaunch &Launch;
  cudaError_t Error = cudaSuccess;
  /// By where the block is while it runs.
  std::map<const BlockState *, WrittenBytes> Shared;
};

/// Notes memory of the device's heap, for the checks.
void noteDeviceHeap(void *Address, uint64_t Bytes);
void forgetDeviceHeap(void *Address);

/// Returns "smooth(float*): thread (1, 0, 0) of block (2, 0, 0)".
std::string threadText(const CpuLaunch &Launch, uint64_t Block,
                       std::optional<uint32_t> Thread);

/// Returns "writes 4 bytes at 0x10 (a.cu:12:7)".
std::string accessText(const CpuLaunch &Launch, const DeviceAccess &Access);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_ACCESSCHECK_H
