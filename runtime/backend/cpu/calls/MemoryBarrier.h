//===- MemoryBarrier.h - mbarriers as words ---------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of PTX on an mbarrier as pure functions of its 64 bits, whose
// arrangement PTX leaves open: from the lowest, the arrivals that the phase
// still waits for, the arrivals that each phase expects, the bytes that the
// phase waits for, and the number of the phase modulo 8.
//
// A phase is complete when it waits for neither arrivals nor bytes; then the
// next one begins. PTX ISA, "Parallel Synchronization and Communication
// Instructions: mbarrier".
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_MEMORYBARRIER_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_MEMORYBARRIER_H

#include "gridspan/CpuCodes.h"
#include <cstdint>

namespace gridspan {

/// An mbarrier taken apart.
struct MemoryBarrier {
  uint32_t Pending = 0;  ///< arrivals
  uint32_t Expected = 0; ///< arrivals
  int32_t Bytes = 0;
  uint32_t Phase = 0;

  static MemoryBarrier unpack(uint64_t Word);
  uint64_t pack() const;

  /// Arrives Count times, with Bytes more to wait for. If Drops, next phases
  /// expect Count arrivals fewer.
  void arrive(uint32_t Count, int32_t MoreBytes, bool Drops);
  /// Adds to the bytes that the phase waits for.
  void transfer(int32_t MoreBytes);

private:
  void completeIfDone();
};

/// Returns the word of a barrier for Count arrivals.
uint64_t makeMemoryBarrier(uint32_t Count);

/// Returns true if Word is in a later phase than it was as Before.
bool isPhaseComplete(uint64_t Word, uint64_t Before);

/// Returns true if the last phase of that parity is complete. The phase before
/// the first one has parity 1, and is.
bool isParityComplete(uint64_t Word, uint32_t Parity);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_MEMORYBARRIER_H
