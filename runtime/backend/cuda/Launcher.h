//===- Launcher.h - Kernel launches -----------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches a kernel, or its tiled clone, on the device of a stream, and answers
// questions about kernels. Backend.h documents the functions.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_LAUNCHER_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_LAUNCHER_H

#include "runtime/backend/Backend.h"
#include "runtime/backend/cuda/FunctionTable.h"
#include "runtime/support/ThreadSafety.h"
#include <map>
#include <unordered_map>
#include <utility>

namespace gridspan::cuda {

class Launcher {
public:
  explicit Launcher(const DeviceList &Devices);
  /// A device has been opened since: kernels get their attributes there.
  void opened(int Device);

  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile);
  cudaError_t attributes(const LaunchTarget &Target, cudaFuncAttributes &Out);
  cudaError_t setAttribute(const LaunchTarget &Target,
                           cudaFuncAttribute Attribute, int Value);
  cudaError_t occupancy(const LaunchTarget &Target, int BlockThreads,
                        size_t DynamicSharedBytes, unsigned Flags,
                        int &BlocksPerMultiprocessor);
  unsigned argumentWords(const LaunchTarget &Target, void *const *Args,
                         void **Out, unsigned Most);

  /// Forgets the functions of all kernels, as some are unloaded.
  void forget() { Functions.clear(); }

private:
  cudaError_t start(CUfunction F, CUstream S, const LaunchShape &Shape,
                    void **Args);
  cudaError_t launchForeign(Stream &S, const void *Function,
                            const LaunchShape &Shape, void *const *Args);

  const DeviceList &Devices;
  FunctionTable Functions;
  /// Earlier answers of attributes(): the CUDA runtime takes longer for one
  /// than for a launch.
  SharedMutex AttributesLock;
  std::unordered_map<const void *, cudaFuncAttributes>
      Attributes GUARDED_BY(AttributesLock);
  /// For each device if attributes are set there at once.
  std::vector<bool> IsOpened GUARDED_BY(AttributesLock);
  /// What was set before all were, by stub.
  std::map<std::pair<const void *, cudaFuncAttribute>, int>
      SetBefore GUARDED_BY(AttributesLock);
};

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_LAUNCHER_H
