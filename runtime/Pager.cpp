//===- Pager.cpp - Memory that lives on the host and visits devices -------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frames are large on real devices, because mapping costs 0.2 ms whatever is
// mapped (128 MiB cross the bus in 2.5 ms), and a small part of the memory, so
// that a launch with several arguments still has a ring of them. Pages of
// frames that leave are kept for those that come.
//
// Memory is pinned frame by frame, when it is first needed and by several
// threads (0.02 s a GiB).
//
//===----------------------------------------------------------------------===//

#include "Pager.h"
#include "HostBytes.h"
#include <algorithm>
#include <bit>
#include <driver_types.h>

namespace gridspan {

static constexpr uint64_t LargestFrame = uint64_t(128) << 20;
static constexpr uint64_t FramesPerDevice = 32;
/// Device memory left to everything else: small allocations, the driver.
static constexpr uint64_t HeadroomShare = 32;
static constexpr uint64_t MostHeadroom = uint64_t(512) << 20;

Allocation::Allocation(std::byte *Base, uint64_t Bytes, AllocationKind Kind)
    : Base(Base), Bytes(Bytes), Kind(Kind) {}
Allocation::~Allocation() = default;

static uint64_t chooseFrameBytes(const SystemInfo &System) {
  uint64_t Least = UINT64_MAX;
  for (const DeviceInfo &D : System.Devices)
    Least = std::min(Least, D.MemoryBytes);
  return std::max(
      System.PageSize,
      std::min(LargestFrame, std::bit_floor(Least / FramesPerDevice)));
}

Pager::Pager(Backend &B)
    : B(B), PageSize(B.system().PageSize),
      FrameBytes(chooseFrameBytes(B.system())), Unused(B.system().numDevices()),
      Held(B.system().numDevices()) {}

//===--- Allocations ----------------------------------------------------===//

cudaError_t Pager::attach(Allocation &A, bool Anonymous) {
  auto P = std::make_unique<PagedMemory>();
  P->Bytes = (A.bytes() + PageSize - 1) / PageSize * PageSize;
  P->FrameBytes = FrameBytes;
  P->Anonymous = Anonymous;
  for (uint64_t Lo = 0; Lo < P->Bytes; Lo += FrameBytes) {
    PagedMemory::Frame F = {};
    F.Lo = Lo;
    F.Bytes = std::min(FrameBytes, P->Bytes - Lo);
    // The host fills it when it wants, without telling.
    F.Filled = A.kind() == AllocationKind::Managed;
    P->Frames.push_back(std::move(F));
  }
  if (!Anonymous)
    for (PagedMemory::Frame &F : P->Frames)
      if (cudaError_t Error = B.createPages(Host, F.Bytes, F.Converted))
        return Error;
  A.Homes.set(0, P->Bytes, Host);
  Promised += P->Bytes;
  A.Paged = std::move(P);
  ++Count;
  return cudaSuccess;
}

void Pager::detach(Allocation &A) {
  std::unique_lock Guard(Lock);
  PagedMemory &P = *A.Paged;
  for (uint32_t I = 0; I < P.Frames.size(); ++I) {
    PagedMemory::Frame &F = P.Frames[I];
    if (F.Device)
      (void)toHostLocked(A, I);
    if (F.Converted && F.Ready)
      (void)B.unmap(A.base() + F.Lo, F.Bytes);
    if (!F.Ready)
      Promised -= F.Bytes;
  }
  inParallel(P.Frames.size(), P.Bytes, [&](size_t I) {
    if (P.Frames[I].Ready && P.Anonymous)
      (void)B.hostUnregister(A.base() + P.Frames[I].Lo);
  });
  if (P.Shadow)
    B.release(P.Shadow, P.Bytes);
  A.Paged.reset();
  if (--Count == 0)
    trimLocked();
}

//===--- The host's copy ------------------------------------------------===//

Pager::Range Pager::framesOf(const PagedMemory &P, uint64_t Lo, uint64_t Hi) {
  return {static_cast<uint32_t>(Lo / P.FrameBytes),
          std::min<uint32_t>(
              P.Frames.size(),
              static_cast<uint32_t>((Hi + P.FrameBytes - 1) / P.FrameBytes))};
}

cudaError_t Pager::makeReady(Allocation &A, PagedMemory::Frame &F) {
  cudaError_t Error;
  if (A.Paged->Anonymous) {
    Error = B.hostRegister(A.base() + F.Lo, F.Bytes,
                           cudaHostRegisterPortable | cudaHostRegisterMapped);
  } else {
    Error = B.map(A.base() + F.Lo, *F.Converted, 0, F.Bytes);
  }
  if (Error)
    return Error;
  F.Ready = true;
  Promised -= F.Bytes;
  return cudaSuccess;
}

cudaError_t Pager::readyLocked(Allocation &A, uint64_t Lo, uint64_t Hi) {
  std::vector<PagedMemory::Frame *> Missing;
  const Range R = framesOf(*A.Paged, Lo, Hi);
  uint64_t Bytes = 0;
  for (uint32_t I = R.First; I < R.Last; ++I)
    if (!A.Paged->Frames[I].Ready) {
      Missing.push_back(&A.Paged->Frames[I]);
      Bytes += Missing.back()->Bytes;
    }
  std::atomic<cudaError_t> First{cudaSuccess};
  inParallel(Missing.size(), Bytes, [&](size_t I) {
    if (cudaError_t Error = makeReady(A, *Missing[I]))
      First = Error;
  });
  return First;
}

cudaError_t Pager::ensureReady(Allocation &A, uint64_t Lo, uint64_t Hi) {
  std::unique_lock Guard(Lock);
  return readyLocked(A, Lo, Hi);
}

/// Saves what is dirty in the range and forgets what will be old.
cudaError_t Pager::accessLocked(Allocation &A, uint64_t Lo, uint64_t Hi,
                                bool Writes) {
  PagedMemory &P = *A.Paged;
  const Range R = framesOf(P, Lo, Hi);
  bool Saving = false;
  cudaError_t Error = cudaSuccess;
  for (uint32_t I = R.First; I < R.Last && !Error; ++I) {
    PagedMemory::Frame &F = P.Frames[I];
    F.Filled |= Writes;
    if (!F.Device || !F.Dirty)
      continue;
    if (!Saves)
      Error = B.createStream(0, StreamKind::NonBlocking, 0, Saves);
    if (!Error && !F.Ready)
      Error = makeReady(A, F);
    if (!Error)
      Error = B.copy(*Saves, A.base() + F.Lo, P.Shadow + F.Lo, F.Bytes);
    Saving = true;
  }
  if (Saving && Saves) {
    cudaError_t Copying = B.synchronize(*Saves);
    Error = Error ? Error : Copying;
  }
  if (Error)
    return Error;
  for (uint32_t I = R.First; I < R.Last; ++I) {
    P.Frames[I].Dirty = false;
    if (Writes && P.Frames[I].Device && !Error)
      Error = toHostLocked(A, I);
  }
  return Error;
}

cudaError_t Pager::hostAccess(Allocation &A, uint64_t Lo, uint64_t Hi,
                              bool Writes) {
  std::unique_lock Guard(Lock);
  if (cudaError_t Error = accessLocked(A, Lo, Hi, Writes))
    return Error;
  return A.Paged->Anonymous ? cudaSuccess : readyLocked(A, Lo, Hi);
}

cudaError_t Pager::deviceAccess(Allocation &A, uint64_t Lo, uint64_t Hi,
                                bool Writes) {
  std::unique_lock Guard(Lock);
  if (cudaError_t Error = accessLocked(A, Lo, Hi, Writes))
    return Error;
  return readyLocked(A, Lo, Hi);
}

//===--- Frames ---------------------------------------------------------===//

uint64_t Pager::budget(int Device) const {
  size_t Free = 0, Total = 0;
  B.memoryInfo(Device, Free, Total);
  const uint64_t Headroom = std::max(
      PageSize, std::min<uint64_t>(MostHeadroom, Total / HeadroomShare));
  const uint64_t All = Free + Held[Device];
  return All > Headroom ? All - Headroom : 0;
}

PagedView Pager::view(const Allocation &A) const {
  PagedView Out;
  if (!A.Paged)
    return Out;
  Out.FrameBytes = A.Paged->FrameBytes;
  Out.GoesHome = A.kind() == AllocationKind::Managed;
  for (const PagedMemory::Frame &F : A.Paged->Frames)
    Out.Frames.push_back({F.Bytes, F.Device ? F.Device->location() : Host,
                          F.Dirty, F.Filled || F.Device, false});
  return Out;
}

cudaError_t Pager::createShadow(PagedMemory &P) {
  if (P.Shadow)
    return cudaSuccess;
  void *Address = nullptr;
  cudaError_t Error = B.reserve(P.Bytes, Address);
  if (!Error)
    P.Shadow = static_cast<std::byte *>(Address);
  return Error;
}

cudaError_t Pager::distance(Allocation &A, ptrdiff_t &Out) {
  std::unique_lock Guard(Lock);
  cudaError_t Error = createShadow(*A.Paged);
  Out = A.Paged->Shadow - A.base();
  return Error;
}

cudaError_t Pager::takePages(int Device, uint64_t Bytes,
                             std::unique_ptr<Pages> &Out) {
  auto It = Unused[Device].find(Bytes);
  if (It != Unused[Device].end()) {
    Out = std::move(It->second);
    Unused[Device].erase(It);
    return cudaSuccess;
  }
  cudaError_t Error = B.createPages(Device, Bytes, Out);
  while (Error == cudaErrorMemoryAllocation && !Unused[Device].empty()) {
    // Pages of other sizes are in the way.
    Held[Device] -= Unused[Device].begin()->first;
    Unused[Device].erase(Unused[Device].begin());
    Error = B.createPages(Device, Bytes, Out);
  }
  if (!Error)
    Held[Device] += Bytes;
  return Error;
}

void Pager::trim() {
  std::unique_lock Guard(Lock);
  trimLocked();
}

void Pager::trimLocked() {
  for (size_t D = 0; D < Unused.size(); ++D) {
    for (const auto &[Bytes, Memory] : Unused[D])
      Held[D] -= Bytes;
    Unused[D].clear();
  }
}

cudaError_t Pager::toDevice(Allocation &A, uint32_t Frame, int Device) {
  std::unique_lock Guard(Lock);
  PagedMemory &P = *A.Paged;
  PagedMemory::Frame &F = P.Frames[Frame];
  if (cudaError_t Error = createShadow(P))
    return Error;
  std::unique_ptr<Pages> Memory;
  cudaError_t Error = takePages(Device, F.Bytes, Memory);
  // Less room than was thought: pages of the host do as well, only slower.
  if (Error == cudaErrorMemoryAllocation)
    Error = B.createPages(Host, F.Bytes, Memory);
  if (!Error)
    Error = B.map(P.Shadow + F.Lo, *Memory, 0, F.Bytes);
  if (!Error)
    F.Device = std::move(Memory);
  else if (Memory && Memory->location() != Host)
    Unused[Device].emplace(F.Bytes, std::move(Memory));
  F.Dirty = false;
  return Error;
}

cudaError_t Pager::toHost(Allocation &A, uint32_t Frame) {
  std::unique_lock Guard(Lock);
  return toHostLocked(A, Frame);
}

cudaError_t Pager::toHostLocked(Allocation &A, uint32_t Frame) {
  PagedMemory::Frame &F = A.Paged->Frames[Frame];
  const cudaError_t Error = B.unmap(A.Paged->Shadow + F.Lo, F.Bytes);
  if (F.Device->location() != Host)
    Unused[F.Device->location()].emplace(F.Bytes, std::move(F.Device));
  F.Device.reset();
  F.Dirty = false;
  return Error;
}

} // namespace gridspan
