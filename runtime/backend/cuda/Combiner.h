//===- Combiner.h - Private copies, by kernels ------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backend::fillIdentity and Backend::combine by kernels of the runtime's own
// (CombineKernel.cu). They are loaded at once if some kernel of the program
// reduces and there are several devices, else at the first use. Thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_COMBINER_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_COMBINER_H

#include "runtime/backend/Backend.h"
#include "runtime/backend/cuda/KernelLibrary.h"
#include <span>

namespace gridspan::cuda {

class Combiner {
public:
  explicit Combiner(const DeviceList &Devices);
  /// A device has been opened since, and its context is current.
  void opened(int Device);

  /// Does Backend::fillIdentity.
  cudaError_t fillIdentity(Stream &S, GridspanReduction Kind, void *Dst,
                           uint64_t Count);
  /// Does Backend::combine.
  cudaError_t combine(Stream &S, GridspanReduction Kind, void *Into,
                      std::span<const void *const> From, uint64_t Count);

private:
  /// Rows: of blocks.
  cudaError_t launch(Stream &S, unsigned Which, uint64_t Count, unsigned Rows,
                     void **Args);

  const DeviceList &Devices;
  KernelLibrary Kernels;
};

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_COMBINER_H
