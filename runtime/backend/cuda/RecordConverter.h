//===- RecordConverter.h - Records in another order, by kernels -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backend::convertRecords by kernels of the runtime's own (RecordKernel.cu),
// which are loaded at the first use. Thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_RECORDCONVERTER_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_RECORDCONVERTER_H

#include "runtime/backend/Backend.h"
#include "runtime/backend/cuda/KernelLibrary.h"

namespace gridspan::cuda {

class RecordConverter {
public:
  explicit RecordConverter(const DeviceList &Devices);

  /// Does Backend::convertRecords.
  cudaError_t convert(Stream &S, const RecordForm &Form,
                      FormDirection Direction, void *Records, void *Fields,
                      uint64_t Bytes);

private:
  const DeviceList &Devices;
  KernelLibrary Kernels;
};

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_RECORDCONVERTER_H
