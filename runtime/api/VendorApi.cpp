//===- VendorApi.cpp - What only a driver can do --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA without a driver answers that the driver's version is insufficient. The
// CPU device says instead what it does not support: once for each function, and
// with an error of its own. The same number is the driver's
// CUDA_ERROR_NOT_SUPPORTED.
//
// Programs may use the driver alone. They are not made to open devices for the
// question: what is configured answers it.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/api/EntryPoints.h"
#include <cstdlib>
#include <cstring>

using namespace gridspan;

/// Returns true if the program has chosen the CPU device.
static bool isCpuDeviceChosen() {
  if (Runtime *R = Runtime::existing())
    return !hasVendorMemory(*R);
  std::string Message;
  const std::optional<Config> Settings = parseConfig(
      [](const char *Name) -> const char * { return std::getenv(Name); },
      Message);
  return Settings && Settings->Kind == DeviceKind::Cpu;
}

/// Returns cudaSuccess if the function Name of CUDA may be called
/// (passes/host/VendorCalls.h).
GRIDSPAN_ENTRY cudaError_t __gridspan_vendor_call(const char *Name) {
  try {
    if (std::strncmp(Name, "cuda", 4) != 0) // the driver's, with its own errors
      return isCpuDeviceChosen() ? sayUnsupported(Name) : cudaSuccess;
    if (hasVendorMemory(Runtime::get()))
      return cudaSuccess;
    return lastError() = sayUnsupported(Name);
  } catch (...) {
    return lastError() = cudaErrorMemoryAllocation;
  }
}
