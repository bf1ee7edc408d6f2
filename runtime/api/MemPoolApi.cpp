//===- MemPoolApi.cpp - Memory pools --------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pools are CUDA's on GPUs, and what they give is CUDA's memory on device 0. On
// the CPU device all pools share the memory of cudaMallocAsync, and only count
// what was taken from them.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/api/MemPools.h"
#include <cstring>

using namespace gridspan;

static std::shared_ptr<MemPool> poolOf(cudaMemPool_t Pool) {
  return MemPools::get().find(Pool);
}

static cudaError_t give(cudaMemPool_t *Out, cudaMemPool_t Pool, int Device) {
  if (!Out)
    return cudaErrorInvalidValue;
  if (Device != 0)
    return cudaErrorInvalidDevice;
  *Out = Pool;
  return cudaSuccess;
}

/// Returns true for memory of the one device, pinned as all of it is.
static bool isDevice(const cudaMemLocation *Location,
                     cudaMemAllocationType Type) {
  return Location && Location->type == cudaMemLocationTypeDevice &&
         Location->id == 0 && Type == cudaMemAllocationTypePinned;
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaDeviceGetDefaultMemPool(cudaMemPool_t *Out, int Device) {
  return vendorOr([=] { return cudaDeviceGetDefaultMemPool(Out, Device); },
                  [=](Runtime &R) -> cudaError_t {
                    return give(Out, MemPools::get().defaultPool(), Device);
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceGetMemPool(cudaMemPool_t *Out,
                                                           int Device) {
  return vendorOr([=] { return cudaDeviceGetMemPool(Out, Device); },
                  [=](Runtime &R) -> cudaError_t {
                    return give(Out, MemPools::get().current(), Device);
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceSetMemPool(int Device,
                                                           cudaMemPool_t Pool) {
  return vendorOr([=] { return cudaDeviceSetMemPool(Device, Pool); },
                  [=](Runtime &R) -> cudaError_t {
                    if (Device != 0)
                      return cudaErrorInvalidDevice;
                    return MemPools::get().setCurrent(Pool);
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemGetDefaultMemPool(
    cudaMemPool_t *Out, cudaMemLocation *Location, cudaMemAllocationType Type) {
  return vendorOr(
      [=] { return cudaMemGetDefaultMemPool(Out, Location, Type); },
      [=](Runtime &R) -> cudaError_t {
        return isDevice(Location, Type)
                   ? give(Out, MemPools::get().defaultPool(), 0)
                   : sayUnsupported(
                         "memory pools of other memory than a device's");
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemGetMemPool(
    cudaMemPool_t *Out, cudaMemLocation *Location, cudaMemAllocationType Type) {
  return vendorOr(
      [=] { return cudaMemGetMemPool(Out, Location, Type); },
      [=](Runtime &R) -> cudaError_t {
        return isDevice(Location, Type)
                   ? give(Out, MemPools::get().current(), 0)
                   : sayUnsupported(
                         "memory pools of other memory than a device's");
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemSetMemPool(
    cudaMemLocation *Location, cudaMemAllocationType Type, cudaMemPool_t Pool) {
  return vendorOr(
      [=] { return cudaMemSetMemPool(Location, Type, Pool); },
      [=](Runtime &R) -> cudaError_t {
        return isDevice(Location, Type)
                   ? MemPools::get().setCurrent(Pool)
                   : sayUnsupported(
                         "memory pools of other memory than a device's");
      });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaMemPoolCreate(cudaMemPool_t *Out, const cudaMemPoolProps *P) {
  return vendorOr(
      [=] { return cudaMemPoolCreate(Out, P); },
      [=](Runtime &R) -> cudaError_t {
        if (!Out || !P || P->allocType != cudaMemAllocationTypePinned)
          return cudaErrorInvalidValue;
        if (P->handleTypes != cudaMemHandleTypeNone)
          return sayUnsupported("memory pools that processes share");
        if (!isDevice(&P->location, P->allocType))
          return sayUnsupported("memory pools of other memory than a device's");
        *Out = MemPools::get().create();
        return cudaSuccess;
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemPoolDestroy(cudaMemPool_t Pool) {
  return vendorOr(
      [=] { return cudaMemPoolDestroy(Pool); },
      [=](Runtime &R) -> cudaError_t { return MemPools::get().destroy(Pool); });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemPoolTrimTo(cudaMemPool_t Pool,
                                                        size_t Bytes) {
  return vendorOr([=] { return cudaMemPoolTrimTo(Pool, Bytes); },
                  [=](Runtime &R) -> cudaError_t {
                    // Memory that was freed goes back by itself.
                    return poolOf(Pool) ? cudaSuccess : cudaErrorInvalidValue;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemPoolSetAttribute(
    cudaMemPool_t Pool, cudaMemPoolAttr Attribute, void *Value) {
  return vendorOr(
      [=] { return cudaMemPoolSetAttribute(Pool, Attribute, Value); },
      [=](Runtime &R) -> cudaError_t {
        const std::shared_ptr<MemPool> P = poolOf(Pool);
        return P && Value ? P->set(Attribute, Value) : cudaErrorInvalidValue;
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemPoolGetAttribute(
    cudaMemPool_t Pool, cudaMemPoolAttr Attribute, void *Value) {
  return vendorOr(
      [=] { return cudaMemPoolGetAttribute(Pool, Attribute, Value); },
      [=](Runtime &R) -> cudaError_t {
        const std::shared_ptr<MemPool> P = poolOf(Pool);
        return P && Value ? P->get(Attribute, Value) : cudaErrorInvalidValue;
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemPoolSetAccess(
    cudaMemPool_t Pool, const cudaMemAccessDesc *List, size_t Count) {
  return vendorOr(
      [=] { return cudaMemPoolSetAccess(Pool, List, Count); },
      [=](Runtime &R) -> cudaError_t {
        if (!poolOf(Pool) || (Count && !List))
          return cudaErrorInvalidValue;
        for (size_t I = 0; I != Count; ++I) {
          if (!isDevice(&List[I].location, cudaMemAllocationTypePinned))
            return cudaErrorInvalidDevice;
          if (List[I].flags != cudaMemAccessFlagsProtReadWrite)
            return cudaErrorInvalidValue; // its own device has access
        }
        return cudaSuccess;
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemPoolGetAccess(
    cudaMemAccessFlags *Out, cudaMemPool_t Pool, cudaMemLocation *Location) {
  return vendorOr([=] { return cudaMemPoolGetAccess(Out, Pool, Location); },
                  [=](Runtime &R) -> cudaError_t {
                    if (!Out || !poolOf(Pool))
                      return cudaErrorInvalidValue;
                    if (!isDevice(Location, cudaMemAllocationTypePinned))
                      return cudaErrorInvalidDevice;
                    *Out = cudaMemAccessFlagsProtReadWrite;
                    return cudaSuccess;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceGraphMemTrim(int Device) {
  return vendorOr([=] { return cudaDeviceGraphMemTrim(Device); },
                  [=](Runtime &R) -> cudaError_t {
                    return Device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceGetGraphMemAttribute(
    int Device, cudaGraphMemAttributeType Attribute, void *Out) {
  return vendorOr(
      [=] { return cudaDeviceGetGraphMemAttribute(Device, Attribute, Out); },
      [=](Runtime &R) -> cudaError_t {
        if (Device != 0)
          return cudaErrorInvalidDevice;
        if (!Out || Attribute < cudaGraphMemAttrUsedMemCurrent ||
            Attribute > cudaGraphMemAttrReservedMemHigh)
          return cudaErrorInvalidValue;
        const GraphTable::Usage Used = GraphTable::get().usage();
        const bool IsHigh = Attribute == cudaGraphMemAttrUsedMemHigh ||
                            Attribute == cudaGraphMemAttrReservedMemHigh;
        *static_cast<uint64_t *>(Out) = IsHigh ? Used.Most : Used.Now;
        return cudaSuccess;
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceSetGraphMemAttribute(
    int Device, cudaGraphMemAttributeType Attribute, void *Value) {
  return vendorOr(
      [=] { return cudaDeviceSetGraphMemAttribute(Device, Attribute, Value); },
      [=](Runtime &R) -> cudaError_t {
        if (Device != 0)
          return cudaErrorInvalidDevice;
        if (!Value || (Attribute != cudaGraphMemAttrUsedMemHigh &&
                       Attribute != cudaGraphMemAttrReservedMemHigh))
          return cudaErrorInvalidValue;
        GraphTable::get().resetMost();
        return cudaSuccess;
      });
}

static cudaError_t mallocFromPool(void **Out, size_t Bytes, cudaMemPool_t Pool,
                                  cudaStream_t Stream, DefaultStream Zero) {
  return streamCall<CapturedAs::Itself>(
      Stream, Zero, [=](Runtime &R, ProgramStream &S) -> cudaError_t {
        if (hasVendorMemory(R))
          return withRoom(R, [&] {
            MutexLock Order(S.lock());
            return cudaMallocFromPoolAsync(Out, Bytes, Pool, S.main().native());
          });
        const std::shared_ptr<MemPool> P = poolOf(Pool);
        return P ? allocateFrom(R, S, P, Bytes, Out) : cudaErrorInvalidValue;
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMallocFromPoolAsync(
    void **Out, size_t Bytes, cudaMemPool_t Pool, cudaStream_t Stream) {
  return mallocFromPool(Out, Bytes, Pool, Stream, DefaultStream::Legacy);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMallocFromPoolAsync_ptsz(
    void **Out, size_t Bytes, cudaMemPool_t Pool, cudaStream_t Stream) {
  return mallocFromPool(Out, Bytes, Pool, Stream, DefaultStream::PerThread);
}
