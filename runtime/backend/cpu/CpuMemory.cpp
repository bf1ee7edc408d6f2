//===- CpuMemory.cpp - Physical pages of a CPU device ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pages are ranges of one memory file a location; destroying them punches a
// hole into it (memfd_create(2), fallocate(2), mmap(2)). Pages that processes
// share have a file of their own, which lives as long as somebody has it.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/CpuMemory.h"
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace gridspan {

CpuMemory::CpuMemory(Location Where, uint64_t Limit)
    : Where(Where), Limit(Limit) {
  const std::string Name =
      Where == Host ? "gridspan-host" : fmt::format("gridspan-cpu-{}", Where);
  File = FileDescriptor(memfd_create(Name.c_str(), MFD_CLOEXEC));
}

CpuMemory::CpuMemory(Location Where, FileDescriptor File, uint64_t Bytes,
                     std::shared_ptr<CpuMemory> Counted)
    : Where(Where), Limit(Bytes), File(std::move(File)), IsShared(true),
      Counted(std::move(Counted)) {}

CpuMemory::~CpuMemory() {
  if (Counted)
    Counted->disclaim(Limit);
}

cudaError_t CpuMemory::createShareable(size_t Bytes,
                                       std::unique_ptr<Pages> &Out) {
  if (cudaError_t Error = claim(Bytes))
    return Error;
  // From here on its destructor gives the bytes back.
  const std::shared_ptr<CpuMemory> Own(new CpuMemory(
      Where, FileDescriptor(memfd_create("gridspan-shared", MFD_CLOEXEC)),
      Bytes, shared_from_this()));
  return Own->create(Bytes, Out);
}

cudaError_t CpuMemory::open(Location Where, const SharedPages &From,
                            std::unique_ptr<Pages> &Out) {
  FileDescriptor File(fcntl(From.File.get(), F_DUPFD_CLOEXEC, 0));
  if (!File)
    return cudaErrorInvalidValue;
  const std::shared_ptr<CpuMemory> Own(
      new CpuMemory(Where, std::move(File), From.Bytes, nullptr));
  Out = std::make_unique<CpuPages>(Own, From.Offset, From.Bytes);
  return cudaSuccess;
}

cudaError_t CpuMemory::create(size_t Bytes, std::unique_ptr<Pages> &Out) {
  MutexLock Guard(Lock);
  if (!File || Bytes > Limit || Used > Limit - Bytes)
    return cudaErrorMemoryAllocation;
  if (ftruncate(File.get(), static_cast<off_t>(End + Bytes)) != 0)
    return cudaErrorMemoryAllocation;
  Out = std::make_unique<CpuPages>(shared_from_this(), End, Bytes);
  End += Bytes;
  Used += Bytes;
  return cudaSuccess;
}

cudaError_t CpuMemory::claim(size_t Bytes) {
  MutexLock Guard(Lock);
  if (Bytes > Limit || Used > Limit - Bytes)
    return cudaErrorMemoryAllocation;
  Used += Bytes;
  return cudaSuccess;
}

void CpuMemory::disclaim(size_t Bytes) {
  MutexLock Guard(Lock);
  Used -= Bytes;
}

void CpuMemory::destroy(uint64_t Offset, size_t Bytes) {
  if (IsShared)
    return;
  MutexLock Guard(Lock);
  Used -= Bytes;
  // A failure only keeps the host's memory in use until the process ends.
  (void)fallocate(File.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(Offset), static_cast<off_t>(Bytes));
}

void CpuMemory::info(size_t &Free, size_t &Total) const {
  MutexLock Guard(Lock);
  Free = Limit - Used;
  Total = Limit;
}

cudaError_t CpuPages::exportTo(SharedPages &Out) const {
  if (!Memory->IsShared)
    return cudaErrorNotSupported;
  Out.File = FileDescriptor(fcntl(Memory->File.get(), F_DUPFD_CLOEXEC, 0));
  Out.Offset = Offset;
  Out.Bytes = Size;
  return Out.File ? cudaSuccess : cudaErrorOperatingSystem;
}

cudaError_t CpuPages::mapAt(void *Address, size_t From, size_t Bytes) const {
  if (From > Size || Bytes > Size - From)
    return cudaErrorInvalidValue;
  void *At = mmap(Address, Bytes, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_FIXED | MAP_NORESERVE, Memory->File.get(),
                  static_cast<off_t>(Offset + From));
  return At == MAP_FAILED ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t reserveAddresses(size_t Bytes, void *&Out) {
  void *At = mmap(nullptr, Bytes, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (At == MAP_FAILED)
    return cudaErrorMemoryAllocation;
  Out = At;
  return cudaSuccess;
}

cudaError_t reserveAddressesAt(void *Address, size_t Bytes) {
  void *At = mmap(
      Address, Bytes, PROT_NONE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (At == Address)
    return cudaSuccess;
  // Kernels before 4.17 take the address for a hint.
  if (At != MAP_FAILED)
    munmap(At, Bytes);
  return cudaErrorMemoryAllocation;
}

cudaError_t unmapPages(void *Address, size_t Bytes) {
  void *At =
      mmap(Address, Bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return At == MAP_FAILED ? cudaErrorUnknown : cudaSuccess;
}

void releaseAddresses(void *Address, size_t Bytes) { munmap(Address, Bytes); }

} // namespace gridspan
