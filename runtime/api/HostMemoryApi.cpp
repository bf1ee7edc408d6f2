//===- HostMemoryApi.cpp - Pinned and registered host memory --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of the host that devices reach: cudaMallocHost, cudaHostAlloc,
// cudaHostRegister.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"

using namespace gridspan;

static constexpr unsigned AllocFlags =
    cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
static constexpr unsigned RegisterFlags =
    cudaHostRegisterPortable | cudaHostRegisterMapped |
    cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

static cudaError_t hostAlloc(void **Out, size_t Bytes, unsigned Flags) {
  return apiCall([=](Runtime &R) {
    if (!Out || (Flags & ~AllocFlags))
      return cudaErrorInvalidValue;
    *Out = nullptr;
    if (Bytes == 0)
      return cudaSuccess;
    cudaError_t Error = R.backend().hostAlloc(Bytes, Flags, *Out);
    if (HostBackingPool &Pool = R.memory().pager().backingPool();
        Error == cudaErrorMemoryAllocation && Pool.bytes()) {
      Pool.trim();
      Error = R.backend().hostAlloc(Bytes, Flags, *Out);
    }
    if (!Error)
      R.memory().addHostPages(1);
    return Error;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMallocHost(void **Out, size_t Bytes) {
  return hostAlloc(Out, Bytes, cudaHostAllocDefault);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaHostAlloc(void **Out, size_t Bytes,
                                                    unsigned Flags) {
  return hostAlloc(Out, Bytes, Flags);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaFreeHost(void *Address) {
  return apiCall([=](Runtime &R) {
    if (!Address)
      return cudaSuccess;
    // As CUDA does: copies may still be using it.
    for (unsigned D = 0; D < R.backend().system().numDevices(); ++D)
      if (cudaError_t Error =
              R.backend().synchronizeDevice(static_cast<int>(D)))
        return Error;
    cudaError_t Error = R.backend().hostFree(Address);
    if (!Error)
      R.memory().addHostPages(-1);
    return Error;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaHostRegister(void *Address,
                                                       size_t Bytes,
                                                       unsigned Flags) {
  return apiCall([=](Runtime &R) {
    if (!Address || Bytes == 0 || (Flags & ~RegisterFlags))
      return cudaErrorInvalidValue;
    cudaError_t Error = R.backend().hostRegister(Address, Bytes, Flags);
    if (!Error)
      R.memory().addHostPages(1);
    return Error;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaHostUnregister(void *Address) {
  return apiCall([=](Runtime &R) {
    cudaError_t Error = R.backend().hostUnregister(Address);
    if (!Error)
      R.memory().addHostPages(-1);
    return Error;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaHostGetDevicePointer(void **Out,
                                                               void *Address,
                                                               unsigned Flags) {
  return apiCall([=](Runtime &R) {
    if (!Out || Flags != 0 || !R.backend().isPinned(Address, 1))
      return cudaErrorInvalidValue;
    *Out = Address; // one address space for all
    return cudaSuccess;
  });
}
