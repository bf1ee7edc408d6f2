//===- PinnedMemory.h - Pinned and registered host memory -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges of the program's own memory that it has declared to CUDA. For a CPU
// device pinning means nothing physically, but copies to and from pinned memory
// are asynchronous and those of other memory are not.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_PINNEDMEMORY_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_PINNEDMEMORY_H

#include "runtime/support/ThreadSafety.h"
#include <cstdint>
#include <driver_types.h>
#include <map>

namespace gridspan {

/// Thread-safe.
class PinnedMemory {
public:
  cudaError_t allocate(size_t Bytes, void *&Out);
  /// Accepts only the start of an allocation.
  cudaError_t free(void *Address);
  /// Registers memory of the program.
  cudaError_t add(void *Address, size_t Bytes);
  cudaError_t remove(void *Address);
  bool contains(const void *Address, size_t Bytes) const;

private:
  struct Range {
    size_t Bytes;
    bool Allocated; ///< by allocate(), not registered
  };
  mutable SharedMutex Lock;
  std::map<uintptr_t, Range> Ranges GUARDED_BY(Lock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_PINNEDMEMORY_H
