//===- Driver.h - The CUDA driver, found at run time ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of the driver's functions, filled through dlopen and
// cuGetProcAddress, so that a program starts on a machine that has no driver.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_DRIVER_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_DRIVER_H

#include <cudaTypedefs.h>
#include <driver_types.h>
#include <string>

namespace gridspan::cuda {

struct Driver {
#define GRIDSPAN_DRIVER(Name, Version) PFN_##Name##_v##Version Name = nullptr;
#include "runtime/backend/cuda/Driver.def"

  /// Returns the initialized driver, or null and sets Message. Loads it once
  /// and keeps it. Sets Defective if there is one that cannot be used.
  static const Driver *get(std::string &Message, bool &Defective);
};

/// Converts the driver's code to the runtime's, which is the same number for
/// every call that both have (Driver.cpp asserts it).
inline cudaError_t toError(CUresult R) { return static_cast<cudaError_t>(R); }

inline CUdeviceptr toDevicePtr(const void *P) {
  return reinterpret_cast<CUdeviceptr>(P);
}

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_DRIVER_H
