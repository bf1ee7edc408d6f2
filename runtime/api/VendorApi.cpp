//===- VendorApi.cpp - What only a driver can do --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA without a driver answers that the driver's version is insufficient. The
// CPU device says instead what it does not support: once for each function, and
// with an error of its own.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/api/EntryPoints.h"

using namespace gridspan;

/// Returns cudaSuccess if the function Name of CUDA may be called
/// (passes/host/VendorCalls.h).
GRIDSPAN_ENTRY cudaError_t __gridspan_vendor_call(const char *Name) {
  try {
    if (hasVendorMemory(Runtime::get()))
      return cudaSuccess;
    return lastError() = sayUnsupported(Name);
  } catch (...) {
    return lastError() = cudaErrorMemoryAllocation;
  }
}
