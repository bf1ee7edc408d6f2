//===- PinnedMemory.cpp - Pinned and registered host memory ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges never overlap, so that the range of an address is the last one that
// begins at it or below.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/PinnedMemory.h"
#include <sys/mman.h>

namespace gridspan {

cudaError_t PinnedMemory::allocate(size_t Bytes, void *&Out) {
  void *At = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (At == MAP_FAILED)
    return cudaErrorMemoryAllocation;
  WriterLock Guard(Lock);
  Ranges[reinterpret_cast<uintptr_t>(At)] = {Bytes, true};
  Out = At;
  return cudaSuccess;
}

cudaError_t PinnedMemory::free(void *Address) {
  size_t Bytes;
  {
    WriterLock Guard(Lock);
    auto It = Ranges.find(reinterpret_cast<uintptr_t>(Address));
    if (It == Ranges.end() || !It->second.Allocated)
      return cudaErrorInvalidValue;
    Bytes = It->second.Bytes;
    Ranges.erase(It);
  }
  munmap(Address, Bytes);
  return cudaSuccess;
}

cudaError_t PinnedMemory::add(void *Address, size_t Bytes) {
  auto Lo = reinterpret_cast<uintptr_t>(Address);
  WriterLock Guard(Lock);
  auto Next = Ranges.lower_bound(Lo);
  if (Next != Ranges.end() && Next->first - Lo < Bytes)
    return cudaErrorHostMemoryAlreadyRegistered;
  if (Next != Ranges.begin()) {
    auto Before = std::prev(Next);
    if (Lo - Before->first < Before->second.Bytes)
      return cudaErrorHostMemoryAlreadyRegistered;
  }
  Ranges[Lo] = {Bytes, false};
  return cudaSuccess;
}

cudaError_t PinnedMemory::remove(void *Address) {
  WriterLock Guard(Lock);
  auto It = Ranges.find(reinterpret_cast<uintptr_t>(Address));
  if (It == Ranges.end() || It->second.Allocated)
    return cudaErrorHostMemoryNotRegistered;
  Ranges.erase(It);
  return cudaSuccess;
}

bool PinnedMemory::contains(const void *Address, size_t Bytes) const {
  auto Lo = reinterpret_cast<uintptr_t>(Address);
  ReaderLock Guard(Lock);
  auto It = Ranges.upper_bound(Lo);
  if (It == Ranges.begin())
    return false;
  --It;
  const uintptr_t Offset = Lo - It->first;
  return Offset < It->second.Bytes && Bytes <= It->second.Bytes - Offset;
}

} // namespace gridspan
