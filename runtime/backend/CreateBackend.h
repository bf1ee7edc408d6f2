//===- CreateBackend.h - Makes the backends that there are ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Factories of the two backends. Both return null and set Message when there is
// nothing to use.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CREATEBACKEND_H
#define GRIDSPAN_RUNTIME_BACKEND_CREATEBACKEND_H

#include "gridspan/CpuCodes.h"
#include "runtime/backend/Backend.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gridspan {

struct CpuBackendOptions {
  unsigned NumDevices = 1;
  uint64_t MemoryPerDevice = 0; ///< bytes; 0: a share of the host's memory
  bool PeerAccess = true;
  bool UnifiedMemory = true;
  /// The speeds of devices for launches, above 0 and up to 1; 1 for all that
  /// are not named. The planner does not know them, and goes by times instead.
  std::vector<double> Speeds = {};
  /// The threads on which each device runs blocks; 0: a share of the processors
  /// that the process may keep busy.
  unsigned ThreadsPerDevice = 1;
  /// The most that the code of kernels may need, where they have several.
  VectorLevel Vectors = VectorLevel::Avx512;
  /// True if reserveAt() is given addresses that somebody else in this process
  /// has reserved, and keeps: several ranks in one process, for tests.
  bool SharesAddresses = false;
};
std::unique_ptr<Backend> createCpuBackend(const CpuBackendOptions &Options,
                                          std::string &Message);

struct CudaBackendOptions {
  std::vector<int> Devices;     ///< CUDA ordinals; empty: all
  uint64_t MemoryPerDevice = 0; ///< bytes; 0: all that is free
  bool PeerAccess = true;
  /// True if all devices but the first may be opened when they are wanted
  /// (Backend::prepare).
  bool OpensLater = false;
};
/// Adds a line to Notes, also when it returns null, for each GPU that is left
/// out and for each defect of the driver.
std::unique_ptr<Backend>
createCudaBackend(const CudaBackendOptions &Options, std::string &Message,
                  std::vector<std::string> *Notes = nullptr);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CREATEBACKEND_H
