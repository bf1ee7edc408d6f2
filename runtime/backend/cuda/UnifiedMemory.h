//===- UnifiedMemory.h - Memory whose pages the driver moves ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA's managed memory. Its pages go to the device that touches them, unless
// another one is their preferred location and can be reached: then they stay
// there and are accessed from afar, as pages of Memory.h are (CUDA Programming
// Guide, "Unified Memory Programming"). What the host touches goes to the host,
// and comes back to its preferred location.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_UNIFIEDMEMORY_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_UNIFIEDMEMORY_H

#include "runtime/backend/cuda/Memory.h"

namespace gridspan::cuda {

/// Backend.h documents the functions.
class UnifiedMemory {
public:
  UnifiedMemory(const DeviceList &Devices, Memory &Counts);

  cudaError_t allocate(size_t Bytes, void *&Out);
  cudaError_t free(void *Address);
  cudaError_t preferHome(void *Address, size_t Bytes, Location From,
                         Location To);
  cudaError_t prefetch(Stream &S, void *Address, size_t Bytes, Location To);
  cudaError_t advise(void *Address, size_t Bytes, cudaMemoryAdvise Advice,
                     Location Where);

private:
  CUmemLocation locationOf(Location Where) const;

  const DeviceList &Devices;
  const Driver &D;
  Memory &Counts;
  /// True if the host may touch it while kernels run.
  bool Concurrent;
};

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_UNIFIEDMEMORY_H
