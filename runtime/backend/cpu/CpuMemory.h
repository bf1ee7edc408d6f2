//===- CpuMemory.h - Physical pages of a CPU device -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pages of one location are ranges of a memfd, so that they can be mapped at
// any reserved address, several times, and moved between addresses, as GPU
// pages can. Offsets only grow and freed ranges become holes, so that pages are
// always contiguous; what is in use is counted against the device's limit.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_CPUMEMORY_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_CPUMEMORY_H

#include "runtime/backend/Backend.h"
#include "runtime/support/ThreadSafety.h"
#include <memory>

namespace gridspan {

/// The memory of one device, or of the host. Thread-safe. Shared by its pages,
/// which may outlive the backend.
class CpuMemory : public std::enable_shared_from_this<CpuMemory> {
public:
  CpuMemory(Location Where, uint64_t Limit);
  /// Makes pages that other processes can map: they have a file of their own,
  /// and count against this memory.
  cudaError_t createShareable(size_t Bytes, std::unique_ptr<Pages> &Out);
  /// Makes pages at Where of what another process has exported.
  static cudaError_t open(Location Where, const SharedPages &From,
                          std::unique_ptr<Pages> &Out);
  ~CpuMemory();
  CpuMemory(const CpuMemory &) = delete;
  CpuMemory &operator=(const CpuMemory &) = delete;

  Location location() const { return Where; }
  cudaError_t create(size_t Bytes, std::unique_ptr<Pages> &Out);
  /// Counts bytes that are not in the file, if there is room.
  cudaError_t claim(size_t Bytes);
  void disclaim(size_t Bytes);
  void info(size_t &Free, size_t &Total) const;

private:
  friend class CpuPages;
  /// The memory of shared pages. Counted: where they count; null if nowhere.
  CpuMemory(Location Where, FileDescriptor File, uint64_t Bytes,
            std::shared_ptr<CpuMemory> Counted);
  void destroy(uint64_t Offset, size_t Bytes);

  const Location Where;
  const uint64_t Limit;
  FileDescriptor File;
  const bool IsShared = false; ///< its contents are other processes' as well
  const std::shared_ptr<CpuMemory> Counted;
  mutable Mutex Lock;
  uint64_t End GUARDED_BY(Lock) = 0; ///< first offset that was never used
  uint64_t
      Used GUARDED_BY(Lock) = 0; ///< bytes of existing pages and claimed bytes
};

class CpuPages : public Pages {
public:
  CpuPages(std::shared_ptr<CpuMemory> Memory, uint64_t Offset, size_t Bytes)
      : Memory(std::move(Memory)), Offset(Offset), Size(Bytes) {}
  ~CpuPages() override { Memory->destroy(Offset, Size); }

  Location location() const override { return Memory->location(); }
  size_t bytes() const override { return Size; }

  /// Writes how other processes get the pages, but for the device;
  /// cudaErrorNotSupported if they cannot.
  cudaError_t exportTo(SharedPages &Out) const;
  /// Maps Bytes of the pages from offset From at Address.
  cudaError_t mapAt(void *Address, size_t From, size_t Bytes) const;

private:
  std::shared_ptr<CpuMemory> Memory;
  uint64_t Offset;
  size_t Size;
};

/// Reserves addresses without pages: touching them faults.
cudaError_t reserveAddresses(size_t Bytes, void *&Out);
/// Reserves just these; cudaErrorMemoryAllocation if something is there.
cudaError_t reserveAddressesAt(void *Address, size_t Bytes);
/// Takes pages away and keeps the addresses.
cudaError_t unmapPages(void *Address, size_t Bytes);
void releaseAddresses(void *Address, size_t Bytes);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_CPUMEMORY_H
