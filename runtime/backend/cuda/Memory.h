//===- Memory.h - Pages of GPUs and of the host -----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reserved addresses and the physical memory mapped there, through the driver's
// virtual memory management. The driver maps and unmaps all of a memory handle,
// so pages are held as a row of segments with a handle each. A segment that is
// to be mapped or unmapped in part is first divided in two.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_MEMORY_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_MEMORY_H

#include "runtime/backend/Backend.h"
#include "runtime/backend/ReservationUnits.h"
#include "runtime/backend/cuda/Device.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <map>

namespace gridspan::cuda {

class Memory;

/// A memory handle of the driver, owned.
class MemoryHandle {
public:
  MemoryHandle() = default;
  MemoryHandle(const Driver &D, CUmemGenericAllocationHandle Handle)
      : D(&D), Handle(Handle) {}
  MemoryHandle(MemoryHandle &&O) noexcept : D(O.D), Handle(O.Handle) {
    O.D = nullptr;
  }
  MemoryHandle &operator=(MemoryHandle &&O) noexcept {
    std::swap(D, O.D);
    std::swap(Handle, O.Handle);
    return *this;
  }
  ~MemoryHandle() {
    if (D)
      D->cuMemRelease(Handle);
  }
  CUmemGenericAllocationHandle get() const { return Handle; }

private:
  const Driver *D = nullptr;
  CUmemGenericAllocationHandle Handle = 0;
};

class CudaPages final : public Pages {
public:
  /// IsCounted: the bytes are among those that the device is said to use, and
  /// its destructor takes them from there.
  CudaPages(Memory &Owner, Location Where, size_t Bytes, bool IsCounted = true)
      : Owner(Owner), Where(Where), Bytes(Bytes), IsCounted(IsCounted) {}
  ~CudaPages() override;

  Location location() const override { return Where; }
  size_t bytes() const override { return Bytes; }

private:
  friend class Memory;
  struct Segment {
    MemoryHandle Handle;
    size_t Bytes;
    std::vector<uintptr_t> MappedAt;
    bool Used = false; ///< was mapped before, so it may hold data
  };

  Memory &Owner;
  Location Where;
  size_t Bytes;
  bool IsCounted;
  bool IsShareable = false;
  std::map<size_t, Segment> Segments; ///< by offset, without gaps
};

/// Returns true if all devices can map pages of the host.
bool hostPagesWork(const DeviceList &Devices);

/// Backend.h documents the functions that it has too.
class Memory {
public:
  /// MayAccess[I][J]: device I may be given access to J's pages. Cap bounds the
  /// bytes of each device, unless it is 0. HostPages: hostPagesWork.
  Memory(const DeviceList &Devices, std::vector<std::vector<bool>> MayAccess,
         uint64_t Cap, bool HostPages);

  size_t pageSize() const { return PageSize; }

  /// A device has been opened since, and its context is current: gives it
  /// access to what is mapped.
  CUresult opened(int Device);

  cudaError_t reserve(size_t Bytes, void *&Address);
  cudaError_t reserveAt(void *Address, size_t Bytes);
  void release(void *Address, size_t Bytes);
  cudaError_t createPages(Location Where, size_t Bytes,
                          std::unique_ptr<Pages> &Out);
  cudaError_t map(void *Address, CudaPages &P, size_t Offset, size_t Bytes);
  cudaError_t unmap(void *Address, size_t Bytes);
  cudaError_t createShareablePages(int Device, size_t Bytes,
                                   std::unique_ptr<Pages> &Out);
  cudaError_t exportPages(const CudaPages &P, SharedPages &Out) const;
  cudaError_t importPages(const SharedPages &From, std::unique_ptr<Pages> &Out);
  void info(Location Where, size_t &Free, size_t &Total) const;
  /// Counts unified memory against the device that is to be its home, if there
  /// is room.
  cudaError_t claim(int Device, size_t Bytes);
  void disclaim(int Device, size_t Bytes) { Claimed[Device] -= Bytes; }

  /// Returns the home of the page of Address; Host if it is not mapped here.
  Location locationOf(const void *Address) const;

  /// Returns the number of the Bytes from Address on that have the same home.
  /// Addresses that are not mapped here count as one home.
  size_t uniformPrefix(const void *Address, size_t Bytes) const;

private:
  friend class CudaPages;
  struct Mapping {
    CudaPages *Owner;
    size_t Offset; ///< of the segment in Owner
    size_t Bytes;
  };
  using MappingTable = std::map<uintptr_t, Mapping>;

  CUmemAllocationProp properties(Location Where) const;
  cudaError_t
  createHandle(Location Where, size_t Bytes, MemoryHandle &Out,
               CUmemAllocationHandleType Type = CU_MEM_HANDLE_TYPE_NONE);
  cudaError_t makeRoom(Location Where, size_t Bytes,
                       std::unique_ptr<CudaPages> &Out);
  cudaError_t setAccess(uintptr_t Address, size_t Bytes, Location Where)
      REQUIRES(Lock);
  /// Returns the device whose context is to be current for work on pages at
  /// Where.
  int deviceFor(Location Where) const {
    return Where == Host || !Devices[Where]->isOpen() ? 0 : Where;
  }
  void deviceInfo(int Device, size_t &Free, size_t &Total) const;
  cudaError_t divideAt(CudaPages &P, size_t Offset) REQUIRES(Lock);
  cudaError_t copySegment(CudaPages &P, const CudaPages::Segment &From,
                          const CudaPages::Segment &Lower,
                          const CudaPages::Segment &Upper) REQUIRES(Lock);
  cudaError_t divideMappingAt(uintptr_t Address) REQUIRES(Lock);
  cudaError_t unmapLocked(uintptr_t Address, size_t Bytes) REQUIRES(Lock);
  MappingTable::const_iterator holding(uintptr_t Address) const
      REQUIRES_SHARED(Lock);

  const DeviceList &Devices;
  const Driver &D;
  std::vector<std::vector<bool>> MayAccess;
  uint64_t Cap;
  bool HostPages;
  size_t PageSize = 0;
  std::vector<std::atomic<uint64_t>> Used;    ///< bytes on each device
  std::vector<std::atomic<uint64_t>> Claimed; ///< the same of unified memory
  /// Bytes of each device that others had at first.
  std::vector<std::atomic<uint64_t>> OfOthers;

  Mutex UnitsLock;
  /// What reserveAt() has reserved.
  ReservationUnits Units GUARDED_BY(UnitsLock);

  /// Guards Mappings and the segments of all pages.
  mutable SharedMutex Lock;
  MappingTable Mappings GUARDED_BY(Lock);
  /// For each device if it has access to what is mapped.
  std::vector<bool> HasAccess GUARDED_BY(Lock);
};

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_MEMORY_H
