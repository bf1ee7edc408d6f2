//===- Memory.cpp - Pages of GPUs and of the host -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA Driver API, "Virtual Memory Management": cuMemMap takes offset 0 only,
// and cuMemUnmap cannot unmap a part of what was mapped. Small handles would
// avoid cutting but make allocation slow (each costs tens of microseconds), so
// chunks are large and cut where a page boundary is really needed: two new
// handles get the chunk's contents and take its place in every mapping.
//
// That is sound because whoever maps or unmaps has waited for the users of the
// range, and the cut chunk reaches no further than the pages that were made in
// one createPages: the runtime's placement lock is held alone while pages of an
// allocation move.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/Memory.h"
#include "runtime/backend/cuda/HostMemory.h"
#include "runtime/backend/cuda/Queues.h"
#include <algorithm>
#include <cassert>
#include <mutex>

namespace gridspan::cuda {
namespace {

/// At most this many chunks in one createPages, unless they were smaller than
/// MinChunk: the cost of handles stays below that of touching the memory.
constexpr size_t MaxChunks = 64;
constexpr size_t MinChunk = size_t(64) << 20;

/// What is left to the driver on each device: it loads kernels and makes room
/// for their stacks when they are first launched, and fails when pages have
/// taken everything.
constexpr size_t Headroom = size_t(256) << 20;
constexpr size_t headroom(size_t Total) {
  return std::min(Headroom, Total / 16);
}

constexpr size_t roundUp(size_t N, size_t To) { return (N + To - 1) / To * To; }

} // namespace

CudaPages::~CudaPages() {
#ifndef NDEBUG
  for (const auto &[Offset, C] : Chunks)
    assert(C.MappedAt.empty() && "pages are still mapped");
#endif
  if (Where != Host)
    Owner.Used[Where] -= Bytes;
}

static CUmemAllocationProp propertiesOf(const DeviceList &Devices,
                                        Location Where) {
  CUmemAllocationProp Prop = {};
  Prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  if (Where == Host) {
    Prop.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
    Prop.location.id = Devices[0]->hostNode();
  } else {
    Prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    Prop.location.id = Devices[Where]->handle();
  }
  return Prop;
}

bool hostPagesWork(const DeviceList &Devices) {
  if (std::all_of(Devices.begin(), Devices.end(), [](const auto &Dev) {
        return Dev->attribute(
            CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
      }))
    return true;
  // Where the driver knows of no nodes the attribute says nothing.
  const Driver &D = Devices[0]->driver();
  const CUmemAllocationProp Prop = propertiesOf(Devices, Host);
  size_t Bytes = 0;
  CUmemGenericAllocationHandle Handle;
  if (D.cuMemGetAllocationGranularity(&Bytes, &Prop,
                                      CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) ||
      D.cuMemCreate(&Handle, Bytes, &Prop, 0))
    return false;
  D.cuMemRelease(Handle);
  return true;
}

Memory::Memory(const DeviceList &Devices,
               std::vector<std::vector<bool>> MayAccess, uint64_t Cap)
    : Devices(Devices), D(Devices[0]->driver()),
      MayAccess(std::move(MayAccess)), Cap(Cap),
      HostPages(hostPagesWork(Devices)), Used(Devices.size()),
      Claimed(Devices.size()) {
  for (size_t I = 0; I < Devices.size(); ++I) {
    CurrentDevice Scope(Devices, static_cast<int>(I));
    size_t Free = 0, Total = 0;
    D.cuMemGetInfo(&Free, &Total);
    OfOthers.push_back(Total - Free);
  }
  for (Location Where = Host; Where < static_cast<int>(Devices.size());
       ++Where) {
    CUmemAllocationProp Prop = properties(Where);
    size_t Granularity = 0;
    if (D.cuMemGetAllocationGranularity(&Granularity, &Prop,
                                        CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) ==
        CUDA_SUCCESS)
      PageSize = std::max(PageSize, Granularity);
  }
}

cudaError_t Memory::reserve(size_t Bytes, void *&Address) {
  CUdeviceptr P = 0;
  CUresult R = D.cuMemAddressReserve(&P, Bytes, PageSize, 0, 0);
  Address = reinterpret_cast<void *>(P);
  return toError(R);
}

void Memory::release(void *Address, size_t Bytes) {
  D.cuMemAddressFree(toDevicePtr(Address), Bytes);
}

CUmemAllocationProp Memory::properties(Location Where) const {
  return propertiesOf(Devices, Where);
}

cudaError_t Memory::createHandle(Location Where, size_t Bytes,
                                 MemoryHandle &Out) {
  CUmemAllocationProp Prop = properties(Where);
  CUmemGenericAllocationHandle Handle;
  CUresult R = D.cuMemCreate(&Handle, Bytes, &Prop, 0);
  if (R == CUDA_SUCCESS)
    Out = MemoryHandle(D, Handle);
  return toError(R);
}

cudaError_t Memory::createPages(Location Where, size_t Bytes,
                                std::unique_ptr<Pages> &Out) {
  if (Where != Host) {
    uint64_t Now = Used[Where] += Bytes;
    if (Cap && Now + Claimed[Where] > Cap) {
      Used[Where] -= Bytes;
      return cudaErrorMemoryAllocation;
    }
  } else if (!HostPages) {
    return cudaErrorMemoryAllocation;
  }
  // From here on the destructor gives the bytes back.
  auto P = std::make_unique<CudaPages>(*this, Where, Bytes);
  CurrentDevice Scope(Devices, Where == Host ? 0 : Where);
  size_t Free, Total;
  if (Where != Host && D.cuMemGetInfo(&Free, &Total) == CUDA_SUCCESS &&
      Bytes + headroom(Total) > Free)
    return cudaErrorMemoryAllocation;
  size_t ChunkBytes = std::max(MinChunk, roundUp(Bytes / MaxChunks, PageSize));
  for (size_t Offset = 0; Offset < Bytes; Offset += ChunkBytes) {
    CudaPages::Chunk C;
    C.Bytes = std::min(ChunkBytes, Bytes - Offset);
    if (cudaError_t E = createHandle(Where, C.Bytes, C.Handle))
      return E;
    P->Chunks.emplace(Offset, std::move(C));
  }
  Out = std::move(P);
  return cudaSuccess;
}

cudaError_t Memory::setAccess(uintptr_t Address, size_t Bytes, Location Where) {
  std::vector<CUmemAccessDesc> Access;
  for (size_t I = 0; I < Devices.size(); ++I) {
    if (Where != Host && !MayAccess[I][Where])
      continue;
    CUmemAccessDesc A = {};
    A.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    A.location.id = Devices[I]->handle();
    A.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    Access.push_back(A);
  }
  if (Where == Host) {
    CUmemAccessDesc A = {};
    A.location = properties(Host).location;
    A.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    Access.push_back(A);
  }
  return toError(
      D.cuMemSetAccess(Address, Bytes, Access.data(), Access.size()));
}

cudaError_t Memory::map(void *Address, CudaPages &P, size_t Offset,
                        size_t Bytes) {
  WriterLock Guard(Lock);
  CurrentDevice Scope(Devices, P.Where == Host ? 0 : P.Where);
  if (cudaError_t E = cutAt(P, Offset))
    return E;
  if (cudaError_t E = cutAt(P, Offset + Bytes))
    return E;

  auto At = reinterpret_cast<uintptr_t>(Address);
  uintptr_t End = At;
  for (auto It = P.Chunks.find(Offset);
       It != P.Chunks.end() && It->first < Offset + Bytes; ++It) {
    CudaPages::Chunk &C = It->second;
    CUresult R = D.cuMemMap(End, C.Bytes, 0, C.Handle.get(), 0);
    if (R != CUDA_SUCCESS) {
      if (End != At)
        unmapLocked(At, End - At);
      return toError(R);
    }
    C.MappedAt.push_back(End);
    C.Used = true;
    Mappings.emplace(End, Mapping{&P, It->first, C.Bytes});
    End += C.Bytes;
  }
  cudaError_t E = setAccess(At, Bytes, P.Where);
  if (E)
    unmapLocked(At, Bytes);
  return E;
}

cudaError_t Memory::unmap(void *Address, size_t Bytes) {
  WriterLock Guard(Lock);
  CurrentDevice Scope(Devices, 0);
  auto At = reinterpret_cast<uintptr_t>(Address);
  if (cudaError_t E = cutMappingAt(At))
    return E;
  if (cudaError_t E = cutMappingAt(At + Bytes))
    return E;
  return unmapLocked(At, Bytes);
}

/// Unmaps all mappings in the range, which begin and end there.
cudaError_t Memory::unmapLocked(uintptr_t Address, size_t Bytes) {
  auto First = Mappings.lower_bound(Address);
  auto Last = Mappings.lower_bound(Address + Bytes);
  CUresult Result = CUDA_SUCCESS;
  for (auto It = First; It != Last; ++It) {
    auto [At, M] = *It;
    CUresult R = D.cuMemUnmap(At, M.Bytes);
    if (R != CUDA_SUCCESS)
      Result = R;
    std::erase(M.Owner->Chunks.at(M.Offset).MappedAt, At);
  }
  Mappings.erase(First, Last);
  return toError(Result);
}

Memory::MappingTable::const_iterator Memory::holding(uintptr_t Address) const {
  auto It = Mappings.upper_bound(Address);
  if (It == Mappings.begin())
    return Mappings.end();
  --It;
  return Address - It->first < It->second.Bytes ? It : Mappings.end();
}

cudaError_t Memory::cutMappingAt(uintptr_t Address) {
  auto It = holding(Address);
  if (It == Mappings.end() || It->first == Address)
    return cudaSuccess;
  return cutAt(*It->second.Owner, It->second.Offset + (Address - It->first));
}

/// Makes a chunk begin at Offset, keeping contents and mappings.
cudaError_t Memory::cutAt(CudaPages &P, size_t Offset) {
  if (Offset >= P.Bytes || P.Chunks.count(Offset))
    return cudaSuccess;
  auto It = std::prev(P.Chunks.upper_bound(Offset));
  auto &[Begin, Old] = *It;

  CudaPages::Chunk Lower, Upper;
  Lower.Bytes = Offset - Begin;
  Upper.Bytes = Old.Bytes - Lower.Bytes;
  Lower.Used = Upper.Used = Old.Used;
  if (cudaError_t E = createHandle(P.Where, Lower.Bytes, Lower.Handle))
    return E;
  if (cudaError_t E = createHandle(P.Where, Upper.Bytes, Upper.Handle))
    return E;
  if (Old.Used)
    if (cudaError_t E = copyChunk(P, Old, Lower, Upper))
      return E;

  for (uintptr_t At : Old.MappedAt) {
    uintptr_t Middle = At + Lower.Bytes;
    CUresult R = D.cuMemUnmap(At, Old.Bytes);
    if (R == CUDA_SUCCESS)
      R = D.cuMemMap(At, Lower.Bytes, 0, Lower.Handle.get(), 0);
    if (R == CUDA_SUCCESS)
      R = D.cuMemMap(Middle, Upper.Bytes, 0, Upper.Handle.get(), 0);
    if (R != CUDA_SUCCESS)
      return toError(R);
    if (cudaError_t E = setAccess(At, Old.Bytes, P.Where))
      return E;
    Lower.MappedAt.push_back(At);
    Upper.MappedAt.push_back(Middle);
    Mappings[At].Bytes = Lower.Bytes;
    Mappings.emplace(Middle, Mapping{&P, Offset, Upper.Bytes});
  }
  Old = std::move(Lower);
  P.Chunks.emplace(Offset, std::move(Upper));
  return cudaSuccess;
}

/// Copies a chunk to the two that replace it, through mappings of its own.
cudaError_t Memory::copyChunk(CudaPages &P, const CudaPages::Chunk &From,
                              const CudaPages::Chunk &Lower,
                              const CudaPages::Chunk &Upper) {
  size_t Bytes = From.Bytes;
  void *Window = nullptr;
  if (cudaError_t E = reserve(2 * Bytes, Window))
    return E;
  auto At = reinterpret_cast<uintptr_t>(Window);
  struct Part {
    uintptr_t At;
    const CudaPages::Chunk &C;
    bool Mapped = false;
  };
  Part Parts[] = {
      {At, From}, {At + Bytes, Lower}, {At + Bytes + Lower.Bytes, Upper}};
  CUresult R = CUDA_SUCCESS;
  for (Part &I : Parts) {
    R = D.cuMemMap(I.At, I.C.Bytes, 0, I.C.Handle.get(), 0);
    if (R != CUDA_SUCCESS)
      break;
    I.Mapped = true;
  }
  cudaError_t E = toError(R);
  if (!E)
    E = setAccess(At, 2 * Bytes, P.Where);
  std::unique_ptr<Stream> Copies;
  if (!E)
    E = CudaStream::create(Devices, P.Where == Host ? 0 : P.Where,
                           StreamKind::NonBlocking, 0, Copies);
  for (const Part &I : {Parts[1], Parts[2]})
    if (!E)
      E = toError(
          D.cuMemcpyAsync(I.At, I.At - Bytes, I.C.Bytes, Copies->native()));
  if (!E)
    E = toError(D.cuStreamSynchronize(Copies->native()));
  for (const Part &I : Parts)
    if (I.Mapped)
      D.cuMemUnmap(I.At, I.C.Bytes);
  release(Window, 2 * Bytes);
  return E;
}

void Memory::info(Location Where, size_t &Free, size_t &Total) const {
  if (Where == Host) {
    hostMemoryInfo(Free, Total);
    return;
  }
  CurrentDevice Scope(Devices, Where);
  Free = Total = 0;
  D.cuMemGetInfo(&Free, &Total);
  const uint64_t Pages = Used[Where], Unified = Claimed[Where];
  // The driver counts unified memory as far as it is there at present.
  const uint64_t Taken = Total - Free, NotUnified = Pages + OfOthers[Where];
  const uint64_t Present =
      std::min(Unified, Taken - std::min(Taken, NotUnified));
  Free -= std::min<size_t>(Free, headroom(Total) + (Unified - Present));
  if (!Cap)
    return;
  Total = std::min<size_t>(Total, Cap);
  Free = std::min<size_t>(Free, Cap - std::min(Cap, Pages + Unified));
}

cudaError_t Memory::claim(int Device, size_t Bytes) {
  WriterLock Guard(Lock);
  size_t Free = 0, Total = 0;
  info(Device, Free, Total);
  if (Bytes > Free)
    return cudaErrorMemoryAllocation;
  Claimed[Device] += Bytes;
  return cudaSuccess;
}

Location Memory::locationOf(const void *Address) const {
  ReaderLock Guard(Lock);
  auto It = holding(reinterpret_cast<uintptr_t>(Address));
  return It == Mappings.end() ? Host : It->second.Owner->Where;
}

size_t Memory::uniformPrefix(const void *Address, size_t Bytes) const {
  ReaderLock Guard(Lock);
  auto At = reinterpret_cast<uintptr_t>(Address);
  auto It = holding(At);
  if (It == Mappings.end()) {
    It = Mappings.lower_bound(At);
    return It == Mappings.end() ? Bytes
                                : std::min<size_t>(Bytes, It->first - At);
  }
  Location Where = It->second.Owner->Where;
  uintptr_t End = It->first + It->second.Bytes;
  for (++It; End - At < Bytes && It != Mappings.end() && It->first == End &&
             It->second.Owner->Where == Where;
       ++It)
    End += It->second.Bytes;
  return std::min<size_t>(Bytes, End - At);
}

} // namespace gridspan::cuda
