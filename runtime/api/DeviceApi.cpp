//===- DeviceApi.cpp - The one device that the program sees ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program sees one device: device 0, with the memory of all.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/api/CpuArrays.h"
#include "runtime/api/CpuGraph.h"
#include "runtime/api/MemPools.h"
#include "runtime/memory/ManagedVariables.h"
#include "runtime/stream/ProgressWait.h"

using namespace gridspan;

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGetDeviceCount(int *Out) {
  return apiCall<Tells::Nothing>([=](Runtime &) {
    if (!Out)
      return cudaErrorInvalidValue;
    *Out = 1;
    return cudaSuccess;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGetDevice(int *Out) {
  return apiCall<Tells::Nothing>([=](Runtime &) {
    if (!Out)
      return cudaErrorInvalidValue;
    *Out = 0;
    return cudaSuccess;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaSetDevice(int Device) {
  return apiCall<Tells::Nothing>([=](Runtime &) {
    return Device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaGetDeviceProperties(cudaDeviceProp *Out, int Device) {
  return apiCall<Tells::Nothing>([=](Runtime &R) {
    if (!Out)
      return cudaErrorInvalidValue;
    if (Device != 0)
      return cudaErrorInvalidDevice;
    if (cudaError_t Error = R.backend().properties(0, *Out))
      return Error;
    Out->totalGlobalMem = R.memory().totalBytes();
    return cudaSuccess;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceGetAttribute(
    int *Out, cudaDeviceAttr Attribute, int Device) {
  return apiCall<Tells::Nothing>([=](Runtime &R) {
    if (!Out)
      return cudaErrorInvalidValue;
    if (Device != 0)
      return cudaErrorInvalidDevice;
    return R.backend().attribute(0, Attribute, *Out);
  });
}

/// Settings that only mean something to a GPU: taken to it where there is one.
template <typename Function>
static cudaError_t setting(bool Valid, Function &&Forward) {
  return apiCall([&](Runtime &R) {
    if (!Valid)
      return cudaErrorInvalidValue;
    return hasVendorMemory(R) ? Forward() : cudaSuccess;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaSetDeviceFlags(unsigned Flags) {
  return setting(!(Flags & ~unsigned(cudaDeviceMask)),
                 [=] { return cudaSetDeviceFlags(Flags); });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaDeviceSetCacheConfig(cudaFuncCache Config) {
  return setting(Config <= cudaFuncCachePreferEqual,
                 [=] { return cudaDeviceSetCacheConfig(Config); });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceSetLimit(cudaLimit Limit,
                                                         size_t Value) {
  if (Limit > cudaLimitPersistingL2CacheSize)
    return lastError() = cudaErrorUnsupportedLimit;
  return setting(true, [=] { return cudaDeviceSetLimit(Limit, Value); });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceGetLimit(size_t *Out,
                                                         cudaLimit Limit) {
  return apiCall<Tells::Nothing>([=](Runtime &R) {
    if (!Out)
      return cudaErrorInvalidValue;
    if (hasVendorMemory(R))
      return cudaDeviceGetLimit(Out, Limit);
    // Host code has no such limits; CUDA's defaults.
    switch (Limit) {
    case cudaLimitStackSize:
      *Out = 1 << 10;
      return cudaSuccess;
    case cudaLimitPrintfFifoSize:
    case cudaLimitMallocHeapSize:
      *Out = 8 << 20;
      return cudaSuccess;
    default:
      return cudaErrorUnsupportedLimit;
    }
  });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaDeviceGetStreamPriorityRange(int *Least, int *Greatest) {
  return apiCall<Tells::Nothing>([=](Runtime &R) {
    if (hasVendorMemory(R))
      return cudaDeviceGetStreamPriorityRange(Least, Greatest);
    if (Least)
      *Least = 0;
    if (Greatest)
      *Greatest = 0; // all the same
    return cudaSuccess;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceSynchronize() {
  return apiCall([](Runtime &R) {
    R.memory().noteHostSync();
    if (!R.progress().silent())
      for (const std::shared_ptr<ProgramStream> &S : R.streams().all())
        waitWithProgress(R.backend(), R.progress(), *S);
    return R.backend().synchronizeAll();
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceReset() {
  return apiCall([](Runtime &R) {
    if (cudaError_t Error = R.backend().synchronizeAll())
      return Error;
    if (!hasVendorMemory(R)) {
      R.launches().textures().clear();
      CpuArrays::get().clear();
    }
    // Host code keeps the addresses of managed variables.
    ManagedVariables &Variables = ManagedVariables::get();
    const cudaError_t Error = R.memory().freeAll([&](const Allocation &A) {
      return Variables.find(A.base()).has_value();
    });
    R.memory().releaseKept();
    Variables.reset();
    GraphTable::get().forgetMemory();
    MemPools::get().freedAll();
    return Error;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaRuntimeGetVersion(int *Out) {
  return apiCall<Tells::Nothing>([=](Runtime &) {
    if (!Out)
      return cudaErrorInvalidValue;
    *Out = CUDART_VERSION;
    return cudaSuccess;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDriverGetVersion(int *Out) {
  return apiCall<Tells::Nothing>([=](Runtime &R) {
    if (!Out)
      return cudaErrorInvalidValue;
    *Out = R.backend().driverVersion();
    return cudaSuccess;
  });
}
