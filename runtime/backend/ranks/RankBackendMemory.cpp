//===- RankBackendMemory.cpp - Memory of devices of all ranks -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses are the same on all ranks. Rank 0 reserves them where no process
// has anything of its own, and a rank reserves them as well when it maps pages
// there.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/RankBackend.h"
#include "runtime/backend/ranks/RankObjects.h"

namespace gridspan::ranks {

/// Where ranks look for addresses: far below the stack and the libraries of a
/// process, and where the tools that watch memory accept them.
static constexpr uint64_t FirstAddress = 0x7c0000000000,
                          LastAddress = 0x7e0000000000;

static uint64_t roundUp(uint64_t Value, uint64_t To) {
  return (Value + To - 1) / To * To;
}

/// Returns Bytes, a multiple of the page size, of the addresses that were not
/// given out for longest, as reserveAt() wants them; in another unit than the
/// last ones if IsNextUnit. Page sizes may differ from call to call.
static uint64_t takeAddresses(uint64_t Bytes, uint64_t PageSize,
                              bool IsNextUnit) {
  static std::atomic<uint64_t> Next{FirstAddress};
  constexpr uint64_t Unit = Backend::ReservationUnit;
  uint64_t At = Next, Begin;
  do {
    Begin = roundUp(At, PageSize);
    if (IsNextUnit || Begin / Unit != (Begin + Bytes - 1) / Unit)
      Begin = roundUp(Begin, Unit);
    if (Begin + Bytes > LastAddress)
      Begin = FirstAddress;
  } while (!Next.compare_exchange_weak(
      At, Bytes < Unit ? Begin + Bytes : roundUp(Begin + Bytes, Unit)));
  return Begin;
}

RankBackend::RankPages::~RankPages() {
  if (B)
    B->send(B->remote(Device).Rank, DestroyPages{Number});
}

cudaError_t RankBackend::reserve(size_t Bytes, void *&Address) {
  const uint64_t Size = roundUp(Bytes, System.PageSize);
  cudaError_t Failed = cudaErrorMemoryAllocation;
  for (unsigned Tries = 0; Failed && Tries != 64; ++Tries) {
    Address = reinterpret_cast<void *>(
        takeAddresses(Size, System.PageSize, Tries > 0));
    Failed = inner().reserveAt(Address, Bytes);
  }
  if (Failed)
    return Failed;
  MutexLock Guard(MemoryLock);
  Reservations[number(Address)] = {
      Bytes, std::vector<bool>(static_cast<size_t>(Way.numRanks()))};
  return cudaSuccess;
}

void RankBackend::release(void *Address, size_t Bytes) {
  {
    MutexLock Guard(MemoryLock);
    const auto It = Reservations.find(number(Address));
    if (It != Reservations.end()) {
      for (int Rank = 1; Rank < Way.numRanks(); ++Rank)
        if (It->second.ToldRank[static_cast<size_t>(Rank)])
          send(Rank, Release{It->first, It->second.Bytes});
      Reservations.erase(It);
    }
  }
  inner().release(Address, Bytes);
}

cudaError_t RankBackend::createPages(Location Where, size_t Bytes,
                                     std::unique_ptr<Pages> &Out) {
  if (isRemote(Where))
    return createRemotePages(Where, remote(Where).Device, Bytes, Out);
  std::unique_ptr<Pages> Own;
  if (cudaError_t Error = inner().createPages(Where, Bytes, Own))
    return Error;
  Out = std::make_unique<RankPages>(std::move(Own));
  return cudaSuccess;
}

// The host of another rank is out of reach for all but its devices.
cudaError_t RankBackend::createHostPagesFor(int Device, size_t Bytes,
                                            std::unique_ptr<Pages> &Out) {
  return isRemote(Device) ? createRemotePages(Device, Host, Bytes, Out)
                          : createPages(Host, Bytes, Out);
}

/// Creates pages at Where, as the rank of Device calls that.
cudaError_t RankBackend::createRemotePages(int Device, Location Where,
                                           size_t Bytes,
                                           std::unique_ptr<Pages> &Out) {
  const int Rank = remote(Device).Rank;
  const uint64_t Number = ++LastNumber;
  if (cudaError_t Error =
          errorOf(ask(Rank, CreatePages{0, Number, Where, Bytes})))
    return Error;
  Out = std::make_unique<RankPages>(*this, Number, Device, Bytes);
  return cudaSuccess;
}

cudaError_t RankBackend::map(void *Address, Pages &P, size_t Offset,
                             size_t Bytes) {
  auto &Known = static_cast<RankPages &>(P);
  if (Known.Own)
    return inner().map(Address, *Known.Own, Offset, Bytes);
  const int Rank = remote(P.location()).Rank;
  {
    MutexLock Guard(MemoryLock);
    auto It = Reservations.upper_bound(number(Address));
    if (It == Reservations.begin())
      return cudaErrorInvalidValue;
    --It;
    if (!It->second.ToldRank[static_cast<size_t>(Rank)])
      send(Rank, Reserve{It->first, It->second.Bytes});
    It->second.ToldRank[static_cast<size_t>(Rank)] = true;
  }
  if (cudaError_t Error = errorOf(
          ask(Rank, MapPages{0, number(Address), Known.Number, Offset, Bytes})))
    return Error;
  WriterLock Guard(PlaceLock);
  Places.set(number(Address), Bytes, {Rank, 0});
  return cudaSuccess;
}

cudaError_t RankBackend::unmap(void *Address, size_t Bytes) {
  // The pieces may be of several ranks.
  const uint64_t End = number(Address) + Bytes;
  cudaError_t First = cudaSuccess;
  for (uint64_t At = number(Address); At != End;) {
    int Rank = 0;
    uint64_t To = At;
    {
      WriterLock Guard(PlaceLock);
      const auto RankAt = [&](uint64_t Where) REQUIRES(PlaceLock) {
        const Place *P = Places.find(Where);
        return P ? P->Rank : 0;
      };
      Rank = RankAt(At);
      while (To != End && RankAt(To) == Rank)
        To = std::min(End, Places.endOf(To, End));
      Places.erase(At, To - At);
    }
    const cudaError_t Error =
        Rank ? errorOf(ask(Rank, UnmapPages{0, At, To - At}))
             : inner().unmap(reinterpret_cast<void *>(At), To - At);
    First = First ? First : Error;
    At = To;
  }
  return First;
}

RankBackend::Located RankBackend::locate(const void *Address) {
  ReaderLock Guard(PlaceLock);
  const Place *P = Places.find(number(Address));
  return P ? Located{P->Rank, number(Address) + static_cast<uint64_t>(P->Move)}
           : Located{0, number(Address)};
}

void RankBackend::memoryInfo(Location Where, size_t &Free, size_t &Total) {
  if (!isRemote(Where))
    return inner().memoryInfo(Where, Free, Total);
  const Reply R = ask(remote(Where).Rank, MemoryInfo{0, remote(Where).Device});
  MutexLock Guard(MemoryLock);
  const uint64_t Taken = Claimed[Where];
  Free = R.First > Taken ? R.First - Taken : 0;
  Total = R.Second;
}

// Other processes of this machine can only have what is on it.
cudaError_t RankBackend::createShareablePages(int Device, size_t Bytes,
                                              std::unique_ptr<Pages> &Out) {
  if (isRemote(Device))
    return cudaErrorNotSupported;
  std::unique_ptr<Pages> Own;
  if (cudaError_t Error = inner().createShareablePages(Device, Bytes, Own))
    return Error;
  Out = std::make_unique<RankPages>(std::move(Own));
  return cudaSuccess;
}

cudaError_t RankBackend::exportPages(const Pages &P, SharedPages &Out) {
  const auto &Known = static_cast<const RankPages &>(P);
  return Known.Own ? inner().exportPages(*Known.Own, Out)
                   : cudaErrorNotSupported;
}

cudaError_t RankBackend::importPages(const SharedPages &From,
                                     std::unique_ptr<Pages> &Out) {
  std::unique_ptr<Pages> Own;
  if (cudaError_t Error = inner().importPages(From, Own))
    return Error;
  Out = std::make_unique<RankPages>(std::move(Own));
  return cudaSuccess;
}

// Unified memory is rank 0's. Another rank's device as its home is a claim.
cudaError_t RankBackend::preferHome(void *Address, size_t Bytes, Location From,
                                    Location To) {
  if (!isRemote(From) && !isRemote(To))
    return inner().preferHome(Address, Bytes, From, To);
  if (isRemote(To)) {
    size_t Free = 0, Total = 0;
    memoryInfo(To, Free, Total);
    if (Bytes > Free)
      return cudaErrorMemoryAllocation;
  }
  if (cudaError_t Error =
          inner().preferHome(Address, Bytes, isRemote(From) ? Host : From,
                             isRemote(To) ? Host : To))
    return Error;
  MutexLock Guard(MemoryLock);
  if (isRemote(From))
    Claimed[From] -= Bytes;
  if (isRemote(To))
    Claimed[To] += Bytes;
  return cudaSuccess;
}

cudaError_t RankBackend::prefetch(Stream &S, void *Address, size_t Bytes,
                                  Location To) {
  if (isRemote(S.device()) || isRemote(To))
    return cudaSuccess;
  return inner().prefetch(own(S), Address, Bytes, To);
}

cudaError_t RankBackend::advise(void *Address, size_t Bytes,
                                cudaMemoryAdvise Advice, Location Where) {
  return isRemote(Where) ? cudaSuccess
                         : inner().advise(Address, Bytes, Advice, Where);
}

bool RankBackend::isPageable(const void *Address, size_t Bytes) {
  return locate(Address).Rank == 0 && inner().isPageable(Address, Bytes);
}

} // namespace gridspan::ranks
