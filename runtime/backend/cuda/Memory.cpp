//===- Memory.cpp - Pages of GPUs and of the host -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA Driver API, "Virtual Memory Management": cuMemMap takes offset 0 only,
// and cuMemUnmap must be given all of what was mapped. Small handles would make
// allocation slow (each costs tens of microseconds). So segments are large and
// divided where a boundary is needed: two new handles get the contents and
// replace the old one in every mapping.
//
// That is sound because the caller of map or unmap has waited for the users of
// the range, and a segment reaches no further than the pages of one
// createPages: the runtime holds its PlacementLock alone while pages of an
// allocation move.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/Memory.h"
#include "runtime/backend/cuda/HostMemory.h"
#include "runtime/backend/cuda/Queues.h"
#include <algorithm>
#include <cassert>

namespace gridspan::cuda {
namespace {

/// The most segments of one createPages, unless they were smaller than
/// MinSegment: handles then cost less than touching the memory does.
constexpr size_t MaxSegments = 64;
constexpr size_t MinSegment = size_t(64) << 20;

/// Bytes that are left to the driver on each device, which loads kernels and
/// makes room for their stacks at the first launch.
constexpr size_t Headroom = size_t(256) << 20;
constexpr size_t headroom(size_t Total) {
  return std::min(Headroom, Total / 16);
}

constexpr size_t roundUp(size_t N, size_t To) { return (N + To - 1) / To * To; }

} // namespace

CudaPages::~CudaPages() {
#ifndef NDEBUG
  for (const auto &[Offset, C] : Segments)
    assert(C.MappedAt.empty() && "pages are still mapped");
#endif
  if (Where != Host && IsCounted)
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
  // Without NUMA information the attribute is 0 everywhere, so try.
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
               std::vector<std::vector<bool>> MayAccess, uint64_t Cap,
               bool HostPages)
    : Devices(Devices), D(Devices[0]->driver()),
      MayAccess(std::move(MayAccess)), Cap(Cap), HostPages(HostPages),
      Used(Devices.size()), Claimed(Devices.size()), OfOthers(Devices.size()),
      HasAccess(Devices.size()) {
  for (size_t I = 0, E = Devices.size(); I != E; ++I) {
    HasAccess[I] = Devices[I]->isOpen();
    size_t Free = 0, Total = 0;
    deviceInfo(static_cast<int>(I), Free, Total);
    OfOthers[I] = Total - Free;
    // Devices that are one GPU have equal parts of it.
    const auto Sharers =
        std::count_if(Devices.begin(), Devices.end(), [&](const auto &Other) {
          return isSameGpu(*Other, *Devices[I]);
        });
    const uint64_t Part = (Free - std::min(Free, headroom(Total))) / Sharers;
    if (Sharers > 1)
      this->Cap = std::min(Cap ? Cap : Part, Part);
  }
  for (Location Where = Host, E = int(Devices.size()); Where != E; ++Where) {
    CUmemAllocationProp Prop = properties(Where);
    size_t Granularity = 0;
    if (D.cuMemGetAllocationGranularity(&Granularity, &Prop,
                                        CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) ==
        CUDA_SUCCESS)
      PageSize = std::max(PageSize, Granularity);
  }
}

CUresult Memory::opened(int Device) {
  size_t Free = 0, Total = 0;
  if (CUresult R = D.cuMemGetInfo(&Free, &Total))
    return R;
  WriterLock Guard(Lock);
  const uint64_t Taken = Total - Free, Own = Used[Device];
  OfOthers[Device] = Taken - std::min(Taken, Own);
  CUmemAccessDesc Access = {};
  Access.location = properties(Device).location;
  Access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  for (const auto &[At, M] : Mappings) {
    const Location Where = M.Owner->Where;
    if (Where == Host || MayAccess[Device][Where])
      if (CUresult R = D.cuMemSetAccess(At, M.Bytes, &Access, 1))
        return R;
  }
  HasAccess[Device] = true;
  return CUDA_SUCCESS;
}

cudaError_t Memory::reserve(size_t Bytes, void *&Address) {
  CUdeviceptr P = 0;
  CUresult R = D.cuMemAddressReserve(&P, Bytes, PageSize, 0, 0);
  Address = reinterpret_cast<void *>(P);
  return toError(R);
}

cudaError_t Memory::reserveAt(void *Address, size_t Bytes) {
  const ReservationUnits::Range Wanted = {reinterpret_cast<uintptr_t>(Address),
                                          Bytes};
  MutexLock Guard(UnitsLock);
  const ReservationUnits::Place Where = Units.find(Wanted);
  if (Where == ReservationUnits::Place::Taken)
    return cudaErrorMemoryAllocation;
  if (Where == ReservationUnits::Place::Outside) {
    const ReservationUnits::Range Row = ReservationUnits::around(Wanted);
    CUdeviceptr P = 0;
    // The driver takes the address for a wish.
    if (CUresult R =
            D.cuMemAddressReserve(&P, Row.Bytes, PageSize, Row.Address, 0))
      return toError(R);
    if (P != Row.Address) {
      D.cuMemAddressFree(P, Row.Bytes);
      return cudaErrorMemoryAllocation;
    }
  }
  Units.add(Wanted);
  return cudaSuccess;
}

void Memory::release(void *Address, size_t Bytes) {
  {
    MutexLock Guard(UnitsLock);
    const auto At = reinterpret_cast<uintptr_t>(Address);
    if (Units.isKnown(At)) {
      if (const std::optional<ReservationUnits::Range> Row = Units.remove(At))
        D.cuMemAddressFree(Row->Address, Row->Bytes);
      return;
    }
  }
  D.cuMemAddressFree(toDevicePtr(Address), Bytes);
}

CUmemAllocationProp Memory::properties(Location Where) const {
  return propertiesOf(Devices, Where);
}

cudaError_t Memory::createHandle(Location Where, size_t Bytes,
                                 MemoryHandle &Out,
                                 CUmemAllocationHandleType Type) {
  CUmemAllocationProp Prop = properties(Where);
  Prop.requestedHandleTypes = Type;
  CUmemGenericAllocationHandle Handle;
  CUresult R = D.cuMemCreate(&Handle, Bytes, &Prop, 0);
  if (R == CUDA_SUCCESS)
    Out = MemoryHandle(D, Handle);
  return toError(R);
}

/// Makes pages without memory, if the device has room for it.
cudaError_t Memory::makeRoom(Location Where, size_t Bytes,
                             std::unique_ptr<CudaPages> &Out) {
  if (Where != Host) {
    uint64_t Now = Used[Where] += Bytes;
    if (Cap && Now + Claimed[Where] > Cap) {
      Used[Where] -= Bytes;
      return cudaErrorMemoryAllocation;
    }
  } else if (!HostPages) {
    return cudaErrorMemoryAllocation;
  }
  // From here on the destructor of the pages gives the bytes back.
  auto P = std::make_unique<CudaPages>(*this, Where, Bytes);
  if (Where != Host) {
    // What a device that is not open is said to use has the bytes already.
    const bool IsOpen = Devices[Where]->isOpen();
    size_t Free, Total;
    deviceInfo(Where, Free, Total);
    if (Devices[Where]->isReplaced() ||
        (Total && (IsOpen ? Bytes : 0) + headroom(Total) > Free))
      return cudaErrorMemoryAllocation;
  }
  Out = std::move(P);
  return cudaSuccess;
}

cudaError_t Memory::createPages(Location Where, size_t Bytes,
                                std::unique_ptr<Pages> &Out) {
  std::unique_ptr<CudaPages> P;
  if (cudaError_t E = makeRoom(Where, Bytes, P))
    return E;
  CurrentDevice Scope(Devices, deviceFor(Where));
  size_t SegmentBytes =
      std::max(MinSegment, roundUp(Bytes / MaxSegments, PageSize));
  for (size_t Offset = 0; Offset < Bytes; Offset += SegmentBytes) {
    CudaPages::Segment C;
    C.Bytes = std::min(SegmentBytes, Bytes - Offset);
    if (cudaError_t E = createHandle(Where, C.Bytes, C.Handle))
      return E;
    P->Segments.emplace(Offset, std::move(C));
  }
  Out = std::move(P);
  return cudaSuccess;
}

cudaError_t Memory::setAccess(uintptr_t Address, size_t Bytes, Location Where) {
  std::vector<CUmemAccessDesc> Access;
  for (size_t I = 0, E = Devices.size(); I != E; ++I) {
    if (!HasAccess[I] || (Where != Host && !MayAccess[I][Where]))
      continue;
    const bool IsNamed =
        std::any_of(Access.begin(), Access.end(), [&](const auto &Other) {
          return Other.location.id == Devices[I]->handle();
        });
    if (IsNamed)
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
  CurrentDevice Scope(Devices, deviceFor(P.Where));
  if (cudaError_t E = divideAt(P, Offset))
    return E;
  if (cudaError_t E = divideAt(P, Offset + Bytes))
    return E;

  auto At = reinterpret_cast<uintptr_t>(Address);
  uintptr_t End = At;
  for (auto It = P.Segments.find(Offset);
       It != P.Segments.end() && It->first < Offset + Bytes; ++It) {
    CudaPages::Segment &C = It->second;
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
  if (cudaError_t E = divideMappingAt(At))
    return E;
  if (cudaError_t E = divideMappingAt(At + Bytes))
    return E;
  return unmapLocked(At, Bytes);
}

/// Unmaps all mappings in the range. Precondition: none crosses its ends.
cudaError_t Memory::unmapLocked(uintptr_t Address, size_t Bytes) {
  auto First = Mappings.lower_bound(Address);
  auto Last = Mappings.lower_bound(Address + Bytes);
  CUresult Result = CUDA_SUCCESS;
  for (auto It = First; It != Last; ++It) {
    auto [At, M] = *It;
    CUresult R = D.cuMemUnmap(At, M.Bytes);
    if (R != CUDA_SUCCESS)
      Result = R;
    std::erase(M.Owner->Segments.at(M.Offset).MappedAt, At);
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

cudaError_t Memory::divideMappingAt(uintptr_t Address) {
  auto It = holding(Address);
  if (It == Mappings.end() || It->first == Address)
    return cudaSuccess;
  return divideAt(*It->second.Owner, It->second.Offset + (Address - It->first));
}

/// Makes a segment begin at Offset, keeping contents and mappings.
cudaError_t Memory::divideAt(CudaPages &P, size_t Offset) {
  if (Offset >= P.Bytes || P.Segments.count(Offset))
    return cudaSuccess;
  auto It = std::prev(P.Segments.upper_bound(Offset));
  auto &[Begin, Old] = *It;

  CudaPages::Segment Lower, Upper;
  Lower.Bytes = Offset - Begin;
  Upper.Bytes = Old.Bytes - Lower.Bytes;
  Lower.Used = Upper.Used = Old.Used;
  if (cudaError_t E = createHandle(P.Where, Lower.Bytes, Lower.Handle))
    return E;
  if (cudaError_t E = createHandle(P.Where, Upper.Bytes, Upper.Handle))
    return E;
  if (Old.Used)
    if (cudaError_t E = copySegment(P, Old, Lower, Upper))
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
  P.Segments.emplace(Offset, std::move(Upper));
  return cudaSuccess;
}

/// Copies a segment to the two that replace it, through mappings of its own.
cudaError_t Memory::copySegment(CudaPages &P, const CudaPages::Segment &From,
                                const CudaPages::Segment &Lower,
                                const CudaPages::Segment &Upper) {
  size_t Bytes = From.Bytes;
  void *Window = nullptr;
  if (cudaError_t E = reserve(2 * Bytes, Window))
    return E;
  auto At = reinterpret_cast<uintptr_t>(Window);
  struct View {
    uintptr_t At;
    const CudaPages::Segment &C;
    bool Mapped = false;
  };
  View Views[] = {
      {At, From}, {At + Bytes, Lower}, {At + Bytes + Lower.Bytes, Upper}};
  CUresult R = CUDA_SUCCESS;
  for (View &I : Views) {
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
    E = CudaStream::create(Devices, deviceFor(P.Where), StreamKind::NonBlocking,
                           0, Copies);
  for (const View &I : {Views[1], Views[2]})
    if (!E)
      E = toError(
          D.cuMemcpyAsync(I.At, I.At - Bytes, I.C.Bytes, Copies->native()));
  if (!E)
    E = toError(D.cuStreamSynchronize(Copies->native()));
  for (const View &I : Views)
    if (I.Mapped)
      D.cuMemUnmap(I.At, I.C.Bytes);
  release(Window, 2 * Bytes);
  return E;
}

/// Asks for the memory of a device. Of one that is not open only its size is
/// known, and what it was given.
void Memory::deviceInfo(int Device, size_t &Free, size_t &Total) const {
  Free = Total = 0;
  if (Devices[Device]->isReplaced())
    return;
  if (Devices[Device]->isOpen()) {
    CurrentDevice Scope(Devices, Device);
    D.cuMemGetInfo(&Free, &Total);
  } else if (D.cuDeviceTotalMem(&Total, Devices[Device]->handle()) ==
             CUDA_SUCCESS) {
    Free = Total - std::min<size_t>(Total, Used[Device]);
  }
}

void Memory::info(Location Where, size_t &Free, size_t &Total) const {
  if (Where == Host) {
    hostMemoryInfo(Free, Total);
    return;
  }
  deviceInfo(Where, Free, Total);
  const uint64_t Pages = Used[Where], Unified = Claimed[Where];
  // The driver counts the unified memory that is on the device at present.
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
