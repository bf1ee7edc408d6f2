//===- ArrayApi.cpp - CUDA arrays -----------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays are CUDA's, on device 0, or those of the CPU device (CpuArrays.h).
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/api/CpuArrays.h"

using namespace gridspan;

/// Runs Vendor where there are GPUs, else Own(Runtime &).
template <typename VendorFunction, typename OwnFunction>
static cudaError_t arrayCall(VendorFunction &&Vendor, OwnFunction &&Own) {
  return apiCall([&](Runtime &R) {
    return hasVendorMemory(R) ? withRoom(R, Vendor) : Own(R);
  });
}

/// Frees Array by Vendor or by Own, and what stands for it on other devices;
/// null is freed by doing nothing.
template <typename VendorFunction, typename OwnFunction>
static cudaError_t freeCall(const void *Array, VendorFunction &&Vendor,
                            OwnFunction &&Own) {
  return apiCall([&](Runtime &R) {
    R.launches().textures().arrayFreed(Array);
    if (hasVendorMemory(R))
      return Vendor();
    return Array ? Own(R) : cudaSuccess;
  });
}

static cudaError_t createArray(cudaArray_t *Out,
                               const cudaChannelFormatDesc *Desc,
                               cudaExtent Extent, unsigned Flags, Runtime &R) {
  if (!Out || !Desc)
    return cudaErrorInvalidValue;
  const Expected<cudaArray_t> Made =
      CpuArrays::get().create(R, *Desc, Extent, Flags);
  if (!Made)
    return Made.error();
  *Out = *Made;
  return cudaSuccess;
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaMallocArray(cudaArray_t *Out, const cudaChannelFormatDesc *Desc,
                           size_t Width, size_t Height, unsigned Flags) {
  return arrayCall(
      [=] { return cudaMallocArray(Out, Desc, Width, Height, Flags); },
      [=](Runtime &R) {
        return createArray(Out, Desc, {Width, Height, 0}, Flags, R);
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMalloc3DArray(
    cudaArray_t *Out, const cudaChannelFormatDesc *Desc, cudaExtent Extent,
    unsigned Flags) {
  return arrayCall(
      [=] { return cudaMalloc3DArray(Out, Desc, Extent, Flags); },
      [=](Runtime &R) { return createArray(Out, Desc, Extent, Flags, R); });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMallocMipmappedArray(
    cudaMipmappedArray_t *Out, const cudaChannelFormatDesc *Desc,
    cudaExtent Extent, unsigned NumLevels, unsigned Flags) {
  return arrayCall(
      [=] {
        return cudaMallocMipmappedArray(Out, Desc, Extent, NumLevels, Flags);
      },
      [=](Runtime &R) {
        if (!Out || !Desc)
          return cudaErrorInvalidValue;
        const Expected<cudaMipmappedArray_t> Made =
            CpuArrays::get().createMipmap(R, *Desc, Extent, NumLevels, Flags);
        if (!Made)
          return Made.error();
        *Out = *Made;
        return cudaSuccess;
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaFreeArray(cudaArray_t Array) {
  return freeCall(
      Array, [=] { return cudaFreeArray(Array); },
      [=](Runtime &R) { return CpuArrays::get().destroy(R, Array); });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaFreeMipmappedArray(cudaMipmappedArray_t Array) {
  return freeCall(
      Array, [=] { return cudaFreeMipmappedArray(Array); },
      [=](Runtime &R) { return CpuArrays::get().destroyMipmap(R, Array); });
}

static cudaError_t levelOf(cudaArray_t *Out, cudaMipmappedArray_const_t Array,
                           unsigned Level) {
  const std::shared_ptr<CpuMipmap> M = CpuArrays::get().find(Array);
  if (!M)
    return cudaErrorInvalidResourceHandle;
  const cudaArray_t Found = CpuArrays::get().level(*M, Level);
  if (!Out || !Found)
    return cudaErrorInvalidValue;
  *Out = Found;
  return cudaSuccess;
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGetMipmappedArrayLevel(
    cudaArray_t *Out, cudaMipmappedArray_const_t Array, unsigned Level) {
  return apiCall([=](Runtime &R) {
    const cudaError_t Error =
        hasVendorMemory(R) ? cudaGetMipmappedArrayLevel(Out, Array, Level)
                           : levelOf(Out, Array, Level);
    if (!Error)
      R.launches().textures().addLevel(*Out);
    return Error;
  });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaArrayGetInfo(cudaChannelFormatDesc *Desc, cudaExtent *Extent,
                            unsigned *Flags, cudaArray_t Array) {
  return arrayCall([=] { return cudaArrayGetInfo(Desc, Extent, Flags, Array); },
                   [=](Runtime &) {
                     const std::shared_ptr<CpuArray> A =
                         CpuArrays::get().find(Array);
                     if (!A)
                       return cudaErrorInvalidResourceHandle;
                     if (Desc)
                       *Desc = A->Desc;
                     if (Extent)
                       *Extent = A->Extent;
                     if (Flags)
                       *Flags = A->Flags;
                     return cudaSuccess;
                   });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGetChannelDesc(
    cudaChannelFormatDesc *Desc, cudaArray_const_t Array) {
  return arrayCall([=] { return cudaGetChannelDesc(Desc, Array); },
                   [=](Runtime &) {
                     const std::shared_ptr<CpuArray> A =
                         CpuArrays::get().find(Array);
                     if (!A)
                       return cudaErrorInvalidResourceHandle;
                     if (!Desc)
                       return cudaErrorInvalidValue;
                     *Desc = A->Desc;
                     return cudaSuccess;
                   });
}
