//===- IndexScan.h - Bounds of integers, by a kernel ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backend::indexBounds by a kernel of the runtime's own, which it carries as
// PTX (IndexScanKernel.cu). The driver may wait for all work of a device while
// it loads code there, so that is done at once if some kernel of the program
// loads indices, else at the first use. On one device only launches that have
// it idle ask for bounds (Inspector.h), so there the first use is soon enough.
// Thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_INDEXSCAN_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_INDEXSCAN_H

#include "runtime/backend/Backend.h"
#include "runtime/backend/cuda/KernelLibrary.h"

namespace gridspan::cuda {

class IndexScan {
public:
  explicit IndexScan(const DeviceList &Devices);
  /// A device has been opened since, and its context is current.
  void opened(int Device);

  /// Does Backend::indexBounds.
  cudaError_t enqueue(Stream &S, const void *From, uint64_t Count,
                      unsigned ElementBytes, uint64_t PerLeaf,
                      IndexBounds *Out);

private:
  const DeviceList &Devices;
  KernelLibrary Kernels; ///< by the logarithm of the integers' size
};

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_INDEXSCAN_H
