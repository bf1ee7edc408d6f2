//===- CudaBackendMemory.cpp - Memory of GPUs and of the host -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forwards pages to Memory and unified memory to UnifiedMemory. Pinned memory
// comes from the driver, always portable, as any device may have to copy it;
// the driver answers by pointer attributes to whom an address belongs.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/CudaBackend.h"
#include "runtime/backend/cuda/Queues.h"
#include <cuda_runtime_api.h>

namespace gridspan::cuda {

cudaError_t CudaBackend::reserve(size_t Bytes, void *&Address) {
  return Mem.reserve(Bytes, Address);
}

void CudaBackend::release(void *Address, size_t Bytes) {
  Mem.release(Address, Bytes);
}

cudaError_t CudaBackend::createPages(Location Where, size_t Bytes,
                                     std::unique_ptr<Pages> &Out) {
  return Mem.createPages(Where, Bytes, Out);
}

cudaError_t CudaBackend::map(void *Address, Pages &P, size_t Offset,
                             size_t Bytes) {
  return Mem.map(Address, static_cast<CudaPages &>(P), Offset, Bytes);
}

cudaError_t CudaBackend::unmap(void *Address, size_t Bytes) {
  return Mem.unmap(Address, Bytes);
}

void CudaBackend::memoryInfo(Location Where, size_t &Free, size_t &Total) {
  Mem.info(Where, Free, Total);
}

cudaError_t CudaBackend::createShareablePages(int Device, size_t Bytes,
                                              std::unique_ptr<Pages> &Out) {
  return Mem.createShareablePages(Device, Bytes, Out);
}

cudaError_t CudaBackend::exportPages(const Pages &P, SharedPages &Out) {
  return Mem.exportPages(static_cast<const CudaPages &>(P), Out);
}

cudaError_t CudaBackend::importPages(const SharedPages &From,
                                     std::unique_ptr<Pages> &Out) {
  return Mem.importPages(From, Out);
}

cudaError_t CudaBackend::unifiedAlloc(size_t Bytes, void *&Out) {
  return Unified.allocate(Bytes, Out);
}

cudaError_t CudaBackend::unifiedFree(void *Address) {
  return Unified.free(Address);
}

cudaError_t CudaBackend::preferHome(void *Address, size_t Bytes, Location From,
                                    Location To) {
  return Unified.preferHome(Address, Bytes, From, To);
}

cudaError_t CudaBackend::prefetch(Stream &S, void *Address, size_t Bytes,
                                  Location To) {
  return Unified.prefetch(S, Address, Bytes, To);
}

cudaError_t CudaBackend::advise(void *Address, size_t Bytes,
                                cudaMemoryAdvise Advice, Location Where) {
  return Unified.advise(Address, Bytes, Advice, Where);
}

// The flags of the driver and of the runtime are the same bits.
static_assert(cudaHostAllocPortable == CU_MEMHOSTALLOC_PORTABLE);
static_assert(cudaHostAllocMapped == CU_MEMHOSTALLOC_DEVICEMAP);
static_assert(cudaHostAllocWriteCombined == CU_MEMHOSTALLOC_WRITECOMBINED);
static_assert(cudaHostRegisterPortable == CU_MEMHOSTREGISTER_PORTABLE);
static_assert(cudaHostRegisterMapped == CU_MEMHOSTREGISTER_DEVICEMAP);
static_assert(cudaHostRegisterReadOnly == CU_MEMHOSTREGISTER_READ_ONLY);

cudaError_t CudaBackend::hostAlloc(size_t Bytes, unsigned Flags, void *&Out) {
  CurrentDevice Scope(Devices, 0);
  return toError(
      D.cuMemHostAlloc(&Out, Bytes, Flags | CU_MEMHOSTALLOC_PORTABLE));
}

cudaError_t CudaBackend::hostFree(void *Address) {
  CurrentDevice Scope(Devices, 0);
  return toError(D.cuMemFreeHost(Address));
}

cudaError_t CudaBackend::hostRegister(void *Address, size_t Bytes,
                                      unsigned Flags) {
  CurrentDevice Scope(Devices, 0);
  return toError(
      D.cuMemHostRegister(Address, Bytes, Flags | CU_MEMHOSTREGISTER_PORTABLE));
}

cudaError_t CudaBackend::hostUnregister(void *Address) {
  CurrentDevice Scope(Devices, 0);
  return toError(D.cuMemHostUnregister(Address));
}

bool CudaBackend::isPinned(const void *Address, size_t Bytes) {
  CurrentDevice Scope(Devices, 0);
  CUmemorytype Type = {};
  CUdeviceptr Start = 0;
  size_t Size = 0;
  CUpointer_attribute Asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                 CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  void *Answers[] = {&Type, &Start, &Size};
  if (D.cuPointerGetAttributes(3, Asked, Answers, toDevicePtr(Address)) !=
      CUDA_SUCCESS)
    return false;
  return Type == CU_MEMORYTYPE_HOST &&
         toDevicePtr(Address) + Bytes <= Start + Size;
}

bool CudaBackend::isForeignDeviceMemory(const void *Address) {
  CurrentDevice Scope(Devices, 0);
  CUmemorytype Type = {};
  unsigned Managed = 0;
  CUpointer_attribute Asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void *Answers[] = {&Type, &Managed};
  return D.cuPointerGetAttributes(2, Asked, Answers, toDevicePtr(Address)) ==
             CUDA_SUCCESS &&
         Type == CU_MEMORYTYPE_DEVICE && !Managed;
}

bool CudaBackend::isPageable(const void *Address, size_t Bytes) {
  CurrentDevice Scope(Devices, 0);
  // The driver may know only one end, if the program has registered less than
  // all; it refuses such a copy itself.
  for (const std::byte *At :
       {static_cast<const std::byte *>(Address),
        static_cast<const std::byte *>(Address) + Bytes - 1}) {
    CUmemorytype Type = {};
    CUpointer_attribute Asked = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    void *Answer = &Type;
    if (D.cuPointerGetAttributes(1, &Asked, &Answer, toDevicePtr(At)) ==
            CUDA_SUCCESS &&
        Type != CUmemorytype{})
      return false;
  }
  return true;
}

} // namespace gridspan::cuda
