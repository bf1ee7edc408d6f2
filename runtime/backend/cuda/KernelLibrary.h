//===- KernelLibrary.h - Kernels of the runtime's own -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that the runtime carries as PTX. They are loaded when they are first
// asked for, on each device on its own. Thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_KERNELLIBRARY_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_KERNELLIBRARY_H

#include "runtime/backend/cuda/Device.h"
#include "runtime/support/ThreadSafety.h"
#include <vector>

namespace gridspan::cuda {

class KernelLibrary {
public:
  /// Ptx and Names live longer than this.
  KernelLibrary(const DeviceList &Devices, const char *Ptx,
                std::vector<const char *> Names);
  ~KernelLibrary();
  KernelLibrary(const KernelLibrary &) = delete;
  KernelLibrary &operator=(const KernelLibrary &) = delete;

  /// Finds the Which-th kernel for Device. Precondition: the device's context
  /// is current.
  cudaError_t function(unsigned Which, int Device, CUfunction &Out);
  /// Loads all kernels on all devices that are open. The driver may wait for
  /// all work of a device meanwhile. A failure is returned again at the use.
  void loadAll();
  /// The same on Device, whose context is current.
  void loadAll(int Device);

private:
  const DeviceList &Devices;
  const char *const Ptx;
  const std::vector<const char *> Names;
  Mutex Lock;
  CUlibrary Library GUARDED_BY(Lock) = nullptr;
  cudaError_t LoadError GUARDED_BY(Lock) = cudaSuccess; ///< of the only attempt
  /// [device][kernel]
  std::vector<std::vector<CUfunction>> Functions GUARDED_BY(Lock);
};

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_KERNELLIBRARY_H
