//===- Pager.cpp - Memory whose home is the host --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frames are large on real devices, because mapping costs 0.2 ms whatever is
// mapped (64 MiB cross the bus in 1.2 ms), and a small part of the memory, so
// that launches on many allocations, and chains of them, have several frames of
// each at once. Pages of frames that leave are kept for those that come, in
// their ring's slot where they had one. Slots without a frame give way when
// pages are short.
//
// Memory is pinned frame by frame, when it is first needed and by several
// threads (0.03 s a GiB, where its pages exist), beside the bus where a plan
// says what is needed (BackgroundPins.h).
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/Pager.h"
#include "runtime/report/Tracing.h"
#include "runtime/support/HostMemoryOps.h"
#include "runtime/support/UntrackedCode.h"
#include <algorithm>
#include <bit>
#include <driver_types.h>

namespace gridspan {

static constexpr uint64_t LargestFrame = uint64_t(64) << 20;
static constexpr uint64_t FramesPerDevice = 256;
/// Smaller ones save too little room for the copies and maps that they take.
static constexpr uint64_t SmallFrame = uint64_t(16) << 20;
static constexpr uint64_t ChunksPerDevice = 32;
/// Device memory left to everything else: small allocations, the driver.
static constexpr uint64_t HeadroomShare = 32;
static constexpr uint64_t MostHeadroom = uint64_t(512) << 20;
/// More runs of bytes take longer to look at than they can save.
static constexpr size_t MostAccessedRuns = 1 << 14;

Allocation::Allocation(std::byte *Base, uint64_t Bytes, AllocationKind Kind,
                       uint64_t First)
    : Base(Base), Bytes(Bytes), First(First), Kind(Kind) {}
Allocation::~Allocation() = default;

/// The memory of the smallest device.
static uint64_t leastMemory(const SystemInfo &System) {
  uint64_t Least = UINT64_MAX;
  for (const DeviceInfo &D : System.Devices)
    Least = std::min(Least, D.MemoryBytes);
  return Least;
}

static uint64_t chooseChunkBytes(const SystemInfo &System) {
  return std::max(System.PageSize,
                  std::min(LargestFrame, std::bit_floor(leastMemory(System) /
                                                        ChunksPerDevice)));
}

static uint64_t chooseFrameBytes(const SystemInfo &System) {
  return std::min(
      chooseChunkBytes(System),
      std::clamp(std::bit_floor(leastMemory(System) / FramesPerDevice),
                 SmallFrame, LargestFrame));
}

Pager::Pager(Backend &B)
    : B(B), PageSize(B.system().PageSize),
      FrameBytes(chooseFrameBytes(B.system())),
      ChunkBytes(chooseChunkBytes(B.system())), Unused(B.system().numDevices()),
      Held(B.system().numDevices()), IdleRings(B.system().numDevices()),
      Backings(B) {}

Pager::~Pager() { trim(); }

//===--- Allocations ----------------------------------------------------===//

std::unique_ptr<PagedMemory>
Pager::makeFrames(uint64_t Bytes, AllocationKind Kind, bool Anonymous) const {
  auto P = std::make_unique<PagedMemory>();
  P->Bytes = (Bytes + PageSize - 1) / PageSize * PageSize;
  P->FrameBytes = FrameBytes;
  P->Anonymous = Anonymous;
  P->Rings.resize(B.system().numDevices());
  for (uint64_t Lo = 0; Lo < P->Bytes; Lo += FrameBytes) {
    PagedMemory::Frame F = {};
    F.Lo = Lo;
    F.Bytes = std::min(FrameBytes, P->Bytes - Lo);
    // The host fills it when it wants, without telling.
    F.Filled = Kind == AllocationKind::Managed;
    P->Frames.push_back(std::move(F));
  }
  return P;
}

void Pager::attach(Allocation &A, std::unique_ptr<PagedMemory> P) {
  A.Homes.set(0, P->Bytes, Host);
  // Pages that take the place of others exist from the beginning.
  for (const PagedMemory::Frame &F : P->Frames)
    if (!F.Ready && P->Anonymous)
      Promised += F.Bytes;
  {
    MutexLock Guard(Lock);
    All.insert(P.get());
  }
  A.Paged = std::move(P);
  ++Count;
}

Expected<std::shared_ptr<Allocation>> Pager::create(uint64_t Bytes,
                                                    AllocationKind Kind) {
  auto P = makeFrames(Bytes, Kind, true);
  std::optional<HostBacking> Used;
  // Programs see managed memory as the system makes it, zero.
  if (Kind != AllocationKind::Managed)
    Used = Backings.take(P->Bytes);
  for (size_t I = 0; Used && I < P->Frames.size(); ++I)
    P->Frames[I].Ready = Used->Pinned[I];
  auto *const Base =
      Used ? Used->Base : static_cast<std::byte *>(reserveHostMemory(P->Bytes));
  if (!Base)
    return cudaErrorMemoryAllocation;
  auto A = std::make_shared<Allocation>(Base, Bytes, Kind);
  attach(*A, std::move(P));
  return A;
}

cudaError_t Pager::convert(Allocation &A) {
  auto P = makeFrames(A.bytes(), A.kind(), false);
  for (PagedMemory::Frame &F : P->Frames)
    if (cudaError_t Error = B.createPages(Host, F.Bytes, F.Converted))
      return Error;
  attach(A, std::move(P));
  return cudaSuccess;
}

std::shared_ptr<Allocation> Pager::adopt(std::byte *Page, uint64_t First,
                                         uint64_t Bytes) {
  auto P = makeFrames(Bytes, AllocationKind::Device, false);
  P->Adopted = true;
  P->ContentsLo = First;
  P->ContentsHi = Bytes;
  for (PagedMemory::Frame &F : P->Frames)
    F.Filled = true;
  auto A =
      std::make_shared<Allocation>(Page, Bytes, AllocationKind::Device, First);
  attach(*A, std::move(P));
  return A;
}

void Pager::detach(Allocation &A) {
  MutexLock Guard(Lock);
  PagedMemory &P = *A.Paged;
  HostBacking Memory = {A.base(), P.Bytes, P.FrameBytes, {}};
  for (uint32_t I = 0; I < P.Frames.size(); ++I) {
    PagedMemory::Frame &F = P.Frames[I];
    if (F.Device)
      (void)toHostLocked(A, I);
    if (F.Converted && F.Ready)
      (void)B.unmap(A.base() + F.Lo, F.Bytes);
    if (F.Pinned)
      (void)B.hostUnregister(A.base() + F.Lo);
    if (!F.Ready && P.Anonymous)
      Promised -= F.Bytes;
    Memory.Pinned.push_back(F.Ready);
  }
  for (size_t D = 0; D < P.Rings.size(); ++D)
    (void)dropRing(P, static_cast<int>(D));
  All.erase(&P);
  if (P.Shadow)
    B.release(P.Shadow, P.shadowBytes());
  const bool Anonymous = P.Anonymous;
  A.Paged.reset();
  // Libraries allocate memory of devices without asking.
  if (--Count == 0 && untrackedDeviceCode())
    trimLocked();
  else if (Count == 0)
    dropUnused();
  Guard.unlock();
  if (Anonymous)
    Backings.put(std::move(Memory));
}

//===--- The host's copy ------------------------------------------------===//

Pager::Range Pager::framesOf(const PagedMemory &P, uint64_t Lo, uint64_t Hi) {
  return {static_cast<uint32_t>(Lo / P.FrameBytes),
          std::min<uint32_t>(
              P.Frames.size(),
              static_cast<uint32_t>((Hi + P.FrameBytes - 1) / P.FrameBytes))};
}

bool Pager::isReady(const Allocation &A, PagedMemory::Frame &F) const {
  // The program may have pinned what it has lent.
  if (const PagedMemory::Part Own = A.Paged->contents(F);
      A.Paged->Adopted && !F.Ready)
    F.Ready = B.isPinned(A.base() + F.Lo + Own.Lo, Own.Hi - Own.Lo);
  return F.Ready;
}

bool Pager::isPinnedAtHome(const Allocation &A) const {
  MutexLock Guard(Lock);
  std::vector<PagedMemory::Frame> &Frames = A.Paged->Frames;
  return std::all_of(Frames.begin(), Frames.end(), [&](PagedMemory::Frame &F) {
    return !F.Device && isReady(A, F);
  });
}

/// Makes the pages of a frame of ordinary memory, where they are missing.
static void makeFramePages(const Allocation &A, const PagedMemory::Frame &F) {
  // What is only read may not be writable; what is the program's alone in the
  // first and last page is not touched.
  if (!A.Paged->Anonymous && !A.Paged->IsOutput)
    return;
  const PagedMemory::Part Own = A.Paged->contents(F);
  makeHostPages(A.base() + F.Lo + Own.Lo, Own.Hi - Own.Lo);
}

static cudaError_t pinFrame(Backend &B, const Allocation &A,
                            const PagedMemory::Frame &F) {
  if (!A.Paged->isOrdinary())
    return B.map(A.base() + F.Lo, *F.Converted, 0, F.Bytes);
  const uint64_t End = A.Paged->contents(F).Hi;
  return B.hostRegister(
      A.base() + F.Lo,
      A.Paged->Adopted ? (End + HostPage - 1) / HostPage * HostPage : F.Bytes,
      cudaHostRegisterPortable | cudaHostRegisterMapped);
}

/// Drivers make pages one by one, for one thread at a time, and have other
/// threads' pages wait while they pin some. So all pages are made first.
std::vector<cudaError_t> Pager::pin(Backend &B,
                                    std::span<const FrameOf> Frames) {
  const auto Frame = [&](size_t I) -> const PagedMemory::Frame & {
    return Frames[I].Of->Paged->Frames[Frames[I].Frame];
  };
  uint64_t Bytes = 0, Pinned = 0;
  for (size_t I = 0; I != Frames.size(); ++I) {
    Bytes += Frame(I).Bytes;
    Pinned += Frames[I].Of->Paged->isOrdinary() ? Frame(I).Bytes : 0;
  }
  HostSpan Span(Activity::Pin, Pinned);
  inParallel(Frames.size(), Pinned,
             [&](size_t I) { makeFramePages(*Frames[I].Of, Frame(I)); });
  std::vector<cudaError_t> Errors(Frames.size());
  inParallel(Frames.size(), Bytes, [&](size_t I) {
    Errors[I] = pinFrame(B, *Frames[I].Of, Frame(I));
  });
  return Errors;
}

void Pager::noteReadyLocked(const Allocation &A, PagedMemory::Frame &F) {
  F.Ready = true;
  F.Pinned = A.Paged->Adopted;
  if (A.Paged->Anonymous)
    Promised -= F.Bytes;
}

void Pager::noteReady(const Allocation &A, PagedMemory::Frame &F) {
  MutexLock Guard(Lock);
  noteReadyLocked(A, F);
}

cudaError_t Pager::readyLocked(const std::vector<FrameOf> &Frames) {
  std::vector<FrameOf> Missing;
  for (const FrameOf &F : Frames)
    if (!isReady(*F.Of, F.Of->Paged->Frames[F.Frame]))
      Missing.push_back(F);
  const std::vector<cudaError_t> Errors = pin(B, Missing);
  cudaError_t First = cudaSuccess;
  for (size_t I = 0; I != Missing.size(); ++I)
    if (Errors[I])
      First = First ? First : Errors[I];
    else
      noteReadyLocked(*Missing[I].Of,
                      Missing[I].Of->Paged->Frames[Missing[I].Frame]);
  return First;
}

cudaError_t Pager::readyLocked(Allocation &A, uint64_t Lo, uint64_t Hi) {
  std::vector<FrameOf> Frames;
  const Range R = framesOf(*A.Paged, Lo, Hi);
  for (uint32_t I = R.First; I < R.Last; ++I)
    Frames.push_back({&A, I});
  return readyLocked(Frames);
}

cudaError_t Pager::ensureReady(Allocation &A, uint64_t Lo, uint64_t Hi) {
  MutexLock Guard(Lock);
  return readyLocked(A, Lo, Hi);
}

cudaError_t Pager::ensureReady(const std::vector<FrameOf> &Frames) {
  MutexLock Guard(Lock);
  return readyLocked(Frames);
}

/// Saves what is dirty in the range and forgets what will be old.
cudaError_t Pager::accessLocked(Allocation &A, uint64_t Lo, uint64_t Hi,
                                Access How) {
  const bool Writes = How != Access::Reads;
  PagedMemory &P = *A.Paged;
  const Range R = framesOf(P, Lo, Hi);
  std::vector<FrameOf> Saved;
  for (uint32_t I = R.First; I < R.Last; ++I) {
    PagedMemory::Frame &F = P.Frames[I];
    F.Filled |= Writes;
    // Bytes behind the allocation's end are nobody's.
    const bool IsOverwritten = How == Access::Overwrites && Lo <= F.Lo &&
                               std::min(F.Lo + F.Bytes, A.bytes()) <= Hi;
    if (F.Device && F.Dirty && !IsOverwritten)
      Saved.push_back({&A, I});
  }
  cudaError_t Error = Saved.empty() ? cudaSuccess : readyLocked(Saved);
  if (!Error && !Saved.empty() && !Saves)
    Error = B.createStream(0, StreamKind::NonBlocking, 0, Saves);
  for (const FrameOf &F : Saved)
    if (const PagedMemory::Part Own = P.contents(P.Frames[F.Frame]); !Error)
      Error = B.copy(*Saves, A.base() + P.Frames[F.Frame].Lo + Own.Lo,
                     address(A, F.Frame) + Own.Lo, Own.Hi - Own.Lo);
  if (!Saved.empty() && Saves) {
    cudaError_t Copying = B.synchronize(*Saves);
    Error = Error ? Error : Copying;
  }
  if (Error)
    return Error;
  for (uint32_t I = R.First; I < R.Last; ++I) {
    // What was saved is wanted back when the frame has left, clean.
    P.Frames[I].Filled |= P.Frames[I].Dirty;
    P.Frames[I].Dirty = false;
    if (Writes && P.Frames[I].Device && !Error)
      Error = toHostLocked(A, I);
  }
  return Error;
}

cudaError_t Pager::hostAccess(Allocation &A, uint64_t Lo, uint64_t Hi,
                              bool Writes) {
  return hostAccess(A, Lo, Hi, Writes ? Access::Writes : Access::Reads);
}

cudaError_t Pager::overwrite(Allocation &A, uint64_t Lo, uint64_t Hi) {
  return hostAccess(A, Lo, Hi, Access::Overwrites);
}

cudaError_t Pager::hostAccess(Allocation &A, uint64_t Lo, uint64_t Hi,
                              Access How) {
  WriterLock Others(A.Paged->Visitors);
  MutexLock Guard(Lock);
  if (cudaError_t Error = accessLocked(A, Lo, Hi, How))
    return Error;
  return A.Paged->isOrdinary() ? cudaSuccess : readyLocked(A, Lo, Hi);
}

cudaError_t Pager::deviceAccess(Allocation &A, uint64_t Lo, uint64_t Hi,
                                bool Writes) {
  WriterLock Others(A.Paged->Visitors);
  MutexLock Guard(Lock);
  if (cudaError_t Error =
          accessLocked(A, Lo, Hi, Writes ? Access::Writes : Access::Reads))
    return Error;
  return readyLocked(A, Lo, Hi);
}

std::vector<Pager::Source> Pager::sources(const Allocation &A, uint64_t Lo,
                                          uint64_t Hi) {
  MutexLock Guard(Lock);
  std::vector<Source> Out;
  const Range R = framesOf(*A.Paged, Lo, Hi);
  for (uint32_t I = R.First; I < R.Last; ++I) {
    const PagedMemory::Frame &F = A.Paged->Frames[I];
    const uint64_t From = std::max(Lo, F.Lo), To = std::min(Hi, F.Lo + F.Bytes);
    const bool OnDevice = F.Device && F.Dirty;
    if (!OnDevice && !Out.empty() && Out.back().Where == Host)
      Out.back().Hi = To;
    else
      Out.push_back(
          {From, To,
           (OnDevice ? address(A, I) : A.base() + F.Lo) + (From - F.Lo),
           OnDevice ? F.Device->location() : Host});
  }
  return Out;
}

//===--- Frames ---------------------------------------------------------===//

uint64_t Pager::budget(int Device) const {
  MutexLock Guard(Lock);
  return budgetLocked(Device);
}

uint64_t Pager::budgetLocked(int Device) const {
  size_t Free = 0, Total = 0;
  B.memoryInfo(Device, Free, Total);
  const uint64_t Headroom = std::max(
      PageSize, std::min<uint64_t>(MostHeadroom, Total / HeadroomShare));
  const uint64_t All = Free + Held[Device];
  return All > Headroom ? All - Headroom : 0;
}

/// Returns the bytes of the frame that the program knows of.
static boost::icl::discrete_interval<uint64_t>
bytesOf(const Allocation &A, const PagedMemory::Frame &F) {
  return boost::icl::discrete_interval<uint64_t>::right_open(
      F.Lo, std::min(F.Lo + F.Bytes, A.bytes()));
}

PagedView Pager::view(const Allocation &A) const {
  PagedView Out;
  if (!A.Paged)
    return Out;
  MutexLock Guard(Lock);
  const PagedMemory &P = *A.Paged;
  Out.FrameBytes = P.FrameBytes;
  Out.ChunkBytes = ChunkBytes;
  auto MustWriteBack = [&](const PagedMemory::Frame &F) {
    return A.kind() == AllocationKind::Managed &&
           !boost::icl::contains(P.Accessed, bytesOf(A, F));
  };
  for (const PagedMemory::Frame &F : P.Frames)
    Out.Frames.push_back({F.Bytes, F.Device ? F.Device->location() : Host,
                          F.Dirty, F.Filled || F.Device, false,
                          MustWriteBack(F)});
  return Out;
}

void Pager::markAccessed(Allocation &A,
                         const boost::icl::interval_set<uint64_t> &Bytes) {
  MutexLock Guard(Lock);
  boost::icl::interval_set<uint64_t> &All = A.Paged->Accessed;
  All += Bytes;
  if (boost::icl::interval_count(All) <= MostAccessedRuns)
    return;
  // What covers no frame is forgotten, as less is never wrong.
  boost::icl::interval_set<uint64_t> Whole;
  for (const PagedMemory::Frame &F : A.Paged->Frames)
    if (const auto Bytes = bytesOf(A, F); boost::icl::contains(All, Bytes))
      Whole.add(Whole.end(), Bytes);
  All = std::move(Whole);
}

void Pager::forgetAccessed(Allocation &A) {
  MutexLock Guard(Lock);
  A.Paged->Accessed.clear();
}

std::vector<RingView> Pager::rings(const Allocation &A) const {
  std::vector<RingView> Out(B.system().numDevices());
  if (!A.Paged)
    return Out;
  for (size_t D = 0; D < Out.size(); ++D)
    Out[D].Slots = static_cast<uint32_t>(A.Paged->Rings[D].Slots.size());
  for (uint32_t I = 0; I < A.Paged->Frames.size(); ++I)
    if (const PagedMemory::Frame &F = A.Paged->Frames[I]; F.Window)
      Out[F.Device->location()].Frames.push_back(I);
  return Out;
}

std::byte *Pager::address(const Allocation &A, uint32_t Frame) {
  const PagedMemory::Frame &F = A.Paged->Frames[Frame];
  return F.Window ? F.Window : A.Paged->Shadow + F.Lo;
}

/// Maps the frame in the shadow.
cudaError_t Pager::shadow(PagedMemory &P, PagedMemory::Frame &F) {
  if (F.Shadowed)
    return cudaSuccess;
  if (!P.Shadow) {
    void *Address = nullptr;
    if (cudaError_t Error = B.reserve(P.shadowBytes(), Address))
      return Error;
    P.Shadow = static_cast<std::byte *>(Address);
  }
  const cudaError_t Error =
      B.map(P.Shadow + F.Lo, *F.Device, 0, F.Device->bytes());
  F.Shadowed = !Error;
  return Error;
}

Expected<ptrdiff_t> Pager::distance(Allocation &A, uint32_t Lo, uint32_t Hi,
                                    int Device) {
  MutexLock Guard(Lock);
  PagedMemory &P = *A.Paged;
  const PagedMemory::Ring &R = P.Rings[Device];
  bool Contiguous = Hi - Lo <= R.Slots.size();
  for (uint32_t I = Lo; I < Hi && Contiguous; ++I)
    Contiguous = P.Frames[I].Window && P.Frames[I].Device->location() == Device;
  if (Contiguous)
    return R.Base + Lo % R.Slots.size() * P.FrameBytes -
           (A.base() + P.Frames[Lo].Lo);
  for (uint32_t I = Lo; I < Hi; ++I)
    if (P.Frames[I].Device)
      if (cudaError_t Error = shadow(P, P.Frames[I]))
        return Error;
  return P.Shadow - A.base();
}

//===--- Coming and going ----------------------------------------------===//

cudaError_t Pager::toDevice(Allocation &A, uint32_t Frame, int Device,
                            bool InRing) {
  MutexLock Guard(Lock);
  PagedMemory &P = *A.Paged;
  PagedMemory::Frame &F = P.Frames[Frame];
  F.Dirty = false;
  cudaError_t Error = InRing ? toFrameSlot(P, Frame, Device) : cudaSuccess;
  if (F.Device || (Error && Error != cudaErrorMemoryAllocation))
    return Error;
  if (!Error) {
    Expected<std::shared_ptr<Pages>> Own = takePages(Device, F.Bytes);
    Error = Own.error();
    if (Own)
      F.Device = std::move(*Own);
  }
  // Less room than was thought: pages of the host do as well, only slower.
  if (Error == cudaErrorMemoryAllocation) {
    std::unique_ptr<Pages> Memory;
    Error = B.createHostPagesFor(Device, F.Bytes, Memory);
    F.Device = std::move(Memory);
  }
  if (!Error && (Error = shadow(P, F)))
    giveBack(std::move(F.Device));
  if (Error)
    F.Device.reset();
  return Error;
}

cudaError_t Pager::toHost(Allocation &A, uint32_t Frame) {
  MutexLock Guard(Lock);
  return toHostLocked(A, Frame);
}

bool Pager::forgetClean(Allocation &A) {
  MutexLock Guard(Lock);
  bool Any = false;
  for (uint32_t I = 0; I < A.Paged->Frames.size(); ++I)
    if (A.Paged->Frames[I].Device && !A.Paged->Frames[I].Dirty) {
      (void)toHostLocked(A, I);
      Any = true;
    }
  return Any;
}

cudaError_t Pager::toHostLocked(Allocation &A, uint32_t Frame) {
  PagedMemory &P = *A.Paged;
  PagedMemory::Frame &F = P.Frames[Frame];
  cudaError_t Error = cudaSuccess;
  if (F.Shadowed)
    Error = B.unmap(P.Shadow + F.Lo, F.Device->bytes());
  if (F.Window) {
    PagedMemory::Ring &R = P.Rings[F.Device->location()];
    R.Slots[(F.Window - R.Base) / P.FrameBytes].Taken = false;
  } else {
    giveBack(std::move(F.Device));
  }
  F.Device.reset();
  F.Window = nullptr;
  F.Shadowed = F.Dirty = false;
  return Error;
}

} // namespace gridspan
