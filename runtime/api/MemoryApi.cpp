//===- MemoryApi.cpp - Allocating device memory ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device and managed memory: allocation, freeing, advice, prefetching. What
// Gridspan did not allocate goes to CUDA.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/api/MemPools.h"
#include "runtime/memory/ManagedVariables.h"

using namespace gridspan;

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMalloc(void **Out, size_t Bytes) {
  return apiCall([=](Runtime &R) {
    if (!Out)
      return cudaErrorInvalidValue;
    *Out = nullptr;
    if (Bytes == 0)
      return cudaSuccess;
    return give(R.memory().allocate(Bytes, AllocationKind::Device), Out);
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaFree(void *Address) {
  // It waits, which tells something; but what it frees need not go home.
  return apiCall<Tells::Nothing>([=](Runtime &R) {
    const std::shared_ptr<Allocation> A =
        Address ? R.memory().find(Address) : nullptr;
    const bool Frees = A && A->base() == Address;
    // Where this may fail yet, what launches leave there is still wanted.
    const bool IsForgotten = Frees && A->kind() != AllocationKind::Managed &&
                             !R.launches().residency().any();
    if (cudaError_t Error =
            R.launches().finishDeferred(IsForgotten ? A.get() : nullptr))
      return Error;
    if (!Address)
      return R.launches().residency().writeBack();
    if (ManagedVariables::get().find(Address))
      return cudaErrorInvalidValue;
    if (GraphTable::get().freed(Address)) {
      const cudaError_t Error = R.backend().synchronizeAll();
      return Error ? Error : R.launches().residency().writeBack();
    }
    MemPools::get().freed(Address);
    if (cudaError_t Error =
            R.launches().residency().writeBack(Frees ? A.get() : nullptr))
      return Error;
    // What is not ours may come from a CUDA call that is not redirected.
    if (!A && hasVendorMemory(R))
      return cudaFree(Address);
    if (Frees)
      R.lookup().noteFreed(A->base(), A->bytes());
    return R.memory().free(Address);
  });
}

/// Rows begin at multiples of this, as on GPUs.
static constexpr size_t PitchAlignment = 512;

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMallocPitch(void **Out, size_t *Pitch,
                                                      size_t Width,
                                                      size_t Height) {
  return apiCall([=](Runtime &R) {
    if (!Out || !Pitch)
      return cudaErrorInvalidValue;
    *Out = nullptr;
    size_t Row = 0, Bytes = 0;
    if (__builtin_add_overflow(Width, PitchAlignment - 1, &Row))
      return cudaErrorMemoryAllocation;
    Row = Row / PitchAlignment * PitchAlignment;
    if (__builtin_mul_overflow(Row, Height, &Bytes))
      return cudaErrorMemoryAllocation;
    *Pitch = Row;
    if (Bytes == 0)
      return cudaSuccess;
    return give(R.memory().allocate(Bytes, AllocationKind::Device), Out);
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMalloc3D(cudaPitchedPtr *Out,
                                                   cudaExtent Extent) {
  size_t Rows = 0;
  if (__builtin_mul_overflow(Extent.height, Extent.depth, &Rows))
    return lastError() = cudaErrorMemoryAllocation;
  if (!Out)
    return lastError() = cudaErrorInvalidValue;
  Out->xsize = Extent.width;
  Out->ysize = Extent.height;
  return __gridspan_cudaMallocPitch(&Out->ptr, &Out->pitch, Extent.width, Rows);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMallocManaged(void **Out,
                                                        size_t Bytes,
                                                        unsigned Flags) {
  return apiCall([=](Runtime &R) {
    if (!Out || Bytes == 0 ||
        (Flags != cudaMemAttachGlobal && Flags != cudaMemAttachHost))
      return cudaErrorInvalidValue;
    *Out = nullptr;
    return give(R.memory().allocate(Bytes, AllocationKind::Managed), Out);
  });
}

/// Hints about managed memory are checked. Where paged memory lives is the
/// pager's; A is what they are about.
static Expected<std::shared_ptr<Allocation>>
checkHint(Runtime &R, const void *Address, size_t Bytes,
          cudaMemLocation Location) {
  std::shared_ptr<Allocation> A = R.memory().find(Address);
  if (!A || A->kind() != AllocationKind::Managed || Bytes == 0)
    return cudaErrorInvalidValue;
  const uint64_t At = static_cast<const std::byte *>(Address) - A->base();
  if (Bytes > A->bytes() - At)
    return cudaErrorInvalidValue;
  switch (Location.type) {
  case cudaMemLocationTypeDevice:
    if (Location.id != 0)
      return cudaErrorInvalidDevice;
    return A;
  case cudaMemLocationTypeHost:
  case cudaMemLocationTypeHostNuma:
  case cudaMemLocationTypeHostNumaCurrent:
    return A;
  default:
    return cudaErrorInvalidValue;
  }
}

static cudaError_t prefetch(const void *Address, size_t Bytes,
                            cudaMemLocation Location, unsigned Flags,
                            cudaStream_t Stream, DefaultStream Zero) {
  return streamCall(Stream, Zero, [=](Runtime &R, ProgramStream &S) {
    if (Flags != 0)
      return cudaErrorInvalidValue;
    const Expected<std::shared_ptr<Allocation>> Hinted =
        checkHint(R, Address, Bytes, Location);
    if (!Hinted)
      return Hinted.error();
    const std::shared_ptr<Allocation> &A = *Hinted;
    PlacementReader Placement(R.memory().placementLock());
    if (A->Unified)
      R.memory().prefetch(
          *A, static_cast<const std::byte *>(Address) - A->base(), Bytes,
          Location.type != cudaMemLocationTypeDevice, S.main());
    return cudaSuccess;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemPrefetchAsync(
    const void *Address, size_t Bytes, cudaMemLocation Location, unsigned Flags,
    cudaStream_t Stream) {
  return prefetch(Address, Bytes, Location, Flags, Stream,
                  DefaultStream::Legacy);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemPrefetchAsync_ptsz(
    const void *Address, size_t Bytes, cudaMemLocation Location, unsigned Flags,
    cudaStream_t Stream) {
  return prefetch(Address, Bytes, Location, Flags, Stream,
                  DefaultStream::PerThread);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemAdvise(const void *Address,
                                                    size_t Bytes,
                                                    cudaMemoryAdvise Advice,
                                                    cudaMemLocation Location) {
  return apiCall([=](Runtime &R) {
    cudaMemLocation Checked = Location;
    if (Advice < cudaMemAdviseSetReadMostly ||
        Advice > cudaMemAdviseUnsetAccessedBy)
      return cudaErrorInvalidValue;
    // The first two and the unsetting ones ignore the location.
    const bool UsesLocation = Advice == cudaMemAdviseSetPreferredLocation ||
                              Advice == cudaMemAdviseSetAccessedBy ||
                              Advice == cudaMemAdviseUnsetAccessedBy;
    if (!UsesLocation)
      Checked.type = cudaMemLocationTypeHost;
    const Expected<std::shared_ptr<Allocation>> Hinted =
        checkHint(R, Address, Bytes, Checked);
    if (!Hinted)
      return Hinted.error();
    const std::shared_ptr<Allocation> &A = *Hinted;
    // Of several devices Gridspan says itself where memory is to be.
    const bool Duplicates = Advice == cudaMemAdviseSetReadMostly ||
                            Advice == cudaMemAdviseUnsetReadMostly;
    if (A->Unified && (Duplicates || R.backend().system().numDevices() == 1))
      (void)R.backend().advise(
          const_cast<void *>(Address), Bytes, Advice,
          Checked.type == cudaMemLocationTypeDevice ? 0 : Host);
    return cudaSuccess;
  });
}

static cudaError_t mallocAsync(void **Out, size_t Bytes, cudaStream_t Stream,
                               DefaultStream Zero) {
  return streamCall<CapturedAs::Itself>(
      Stream, Zero, [=](Runtime &R, ProgramStream &S) {
        MemPools &Pools = MemPools::get();
        return allocateFrom(
            R, S, hasVendorMemory(R) ? nullptr : Pools.find(Pools.current()),
            Bytes, Out);
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMallocAsync(void **Out, size_t Bytes,
                                                      cudaStream_t Stream) {
  return mallocAsync(Out, Bytes, Stream, DefaultStream::Legacy);
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaMallocAsync_ptsz(void **Out, size_t Bytes, cudaStream_t Stream) {
  return mallocAsync(Out, Bytes, Stream, DefaultStream::PerThread);
}

static cudaError_t freeAsync(void *Address, cudaStream_t Stream,
                             DefaultStream Zero) {
  return streamCall<CapturedAs::Itself>(
      Stream, Zero, [=](Runtime &R, ProgramStream &S) {
        if (!Address)
          return cudaSuccess;
        if (ManagedVariables::get().find(Address))
          return cudaErrorInvalidValue;
        if (StreamCapture::any() && StreamCapture::get().find(S))
          if (const auto Done = StreamCapture::get().add(S, freeTask(Address)))
            return *Done;
        if (GraphTable::get().freed(Address))
          return cudaSuccess;
        MemPools::get().freed(Address);
        const std::shared_ptr<Allocation> A = R.memory().find(Address);
        if (!A && hasVendorMemory(R))
          return cudaFreeAsync(Address, S.main().native());
        if (A && A->base() == Address)
          R.lookup().noteFreed(A->base(), A->bytes());
        return R.memory().freeAsync(Address, S.main());
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaFreeAsync(void *Address,
                                                    cudaStream_t Stream) {
  return freeAsync(Address, Stream, DefaultStream::Legacy);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaFreeAsync_ptsz(void *Address,
                                                         cudaStream_t Stream) {
  return freeAsync(Address, Stream, DefaultStream::PerThread);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemGetInfo(size_t *Free,
                                                     size_t *Total) {
  return apiCall([=](Runtime &R) {
    if (!Free || !Total)
      return cudaErrorInvalidValue;
    const MemoryManager::DeviceBytes Bytes = R.memory().info();
    *Free = Bytes.Free;
    *Total = Bytes.Total;
    return cudaSuccess;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaPointerGetAttributes(
    cudaPointerAttributes *Out, const void *Address) {
  return apiCall([=](Runtime &R) {
    if (!Out)
      return cudaErrorInvalidValue;
    auto *Pointer = const_cast<void *>(Address);
    if (std::shared_ptr<Allocation> A = R.memory().find(Address)) {
      *Out = {};
      Out->devicePointer = Pointer;
      Out->type = cudaMemoryTypeDevice;
      if (A->kind() == AllocationKind::Managed) {
        Out->type = cudaMemoryTypeManaged;
        Out->hostPointer = Pointer;
      }
      return cudaSuccess;
    }
    if (hasVendorMemory(R))
      return cudaPointerGetAttributes(Out, Address);
    *Out = {};
    Out->hostPointer = Pointer;
    Out->device = cudaInvalidDeviceId;
    if (R.backend().isPinned(Address, 1)) {
      Out->type = cudaMemoryTypeHost;
      Out->device = 0;
      Out->devicePointer = Pointer;
    }
    return cudaSuccess;
  });
}
