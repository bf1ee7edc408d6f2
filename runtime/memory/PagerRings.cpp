//===- PagerRings.cpp - Rings of frames -----------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of Pager for rings (FrameRings.h). Mapping the slots of a ring takes
// half a millisecond each, and longer where several devices reach them, so a
// ring outlives its allocation: it waits, with its pages, for the next one that
// wants as many slots, and gives way as soon as pages are short.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/Pager.h"
#include "runtime/support/UntrackedCode.h"
#include <algorithm>

namespace gridspan {

/// Takes a slot's pages from both of its addresses.
cudaError_t Pager::unmapFrameSlot(PagedMemory::Ring &R, size_t Slot) {
  cudaError_t First = cudaSuccess;
  for (size_t At : {Slot, Slot + R.Slots.size()}) {
    const cudaError_t Error = B.unmap(R.Base + At * FrameBytes, FrameBytes);
    First = First ? First : Error;
  }
  return First;
}

/// Takes the pages of a slot away that no frame is in.
cudaError_t Pager::emptyFrameSlot(PagedMemory::Ring &R, uint32_t Slot) {
  PagedMemory::Ring::FrameSlot &S = R.Slots[Slot];
  if (!S.Memory)
    return cudaSuccess;
  const cudaError_t First = unmapFrameSlot(R, Slot);
  giveBack(std::move(S.Memory));
  S = {};
  return First;
}

/// Gives back the addresses of a ring without frames, and its pages.
void Pager::releaseRing(PagedMemory::Ring &R) {
  for (uint32_t I = 0; I < R.Slots.size(); ++I)
    (void)emptyFrameSlot(R, I);
  if (R.Base)
    B.release(R.Base, 2 * R.Slots.size() * FrameBytes);
  R = {};
}

/// Gives back the pages of some slot that no frame is in, of rings that are
/// only kept first; false without one.
bool Pager::freeFrameSlot(int Device) {
  auto FreeIn = [&](PagedMemory::Ring &R) REQUIRES(Lock) {
    for (uint32_t I = 0; I < R.Slots.size(); ++I)
      if (R.Slots[I].Memory && !R.Slots[I].Taken) {
        (void)emptyFrameSlot(R, I);
        return true;
      }
    return false;
  };
  for (auto &Idle = IdleRings[Device]; !Idle.empty(); Idle.pop_front()) {
    if (FreeIn(Idle.front()))
      return true;
    releaseRing(Idle.front());
  }
  for (PagedMemory *P : All)
    if (FreeIn(P->Rings[Device]))
      return true;
  return false;
}

/// Frames that are in the ring get its pages for their own. A ring without any
/// is kept for others.
cudaError_t Pager::dropRing(PagedMemory &P, int Device) {
  PagedMemory::Ring &R = P.Rings[Device];
  bool Empty = true;
  for (PagedMemory::Frame &F : P.Frames) {
    if (!F.Window || F.Device->location() != Device)
      continue;
    if (cudaError_t Error = shadow(P, F))
      return Error;
    Empty = false;
    PagedMemory::Ring::FrameSlot &S =
        R.Slots[(F.Window - R.Base) / P.FrameBytes];
    F.Window = nullptr;
    S.Taken = false;
    (void)unmapFrameSlot(R, &S - R.Slots.data());
    S.Memory.reset();
  }
  if (R.Base && Empty)
    IdleRings[Device].push_back(std::move(R));
  else
    releaseRing(R);
  R = {};
  return cudaSuccess;
}

/// Makes an empty R one of Slots slots, out of one that is kept if there is
/// any.
cudaError_t Pager::makeRing(PagedMemory::Ring &R, int Device, uint32_t Slots) {
  // The one that was put there last is the least likely to have lost pages.
  auto &Idle = IdleRings[Device];
  const auto It = std::find_if(Idle.rbegin(), Idle.rend(), [&](const auto &K) {
    return K.Slots.size() == Slots;
  });
  if (It != Idle.rend()) {
    R = std::move(*It);
    Idle.erase(std::prev(It.base()));
    return cudaSuccess;
  }
  void *Address = nullptr;
  if (cudaError_t Error = B.reserve(2 * Slots * FrameBytes, Address))
    return Error;
  R.Base = static_cast<std::byte *>(Address);
  R.Slots.resize(Slots);
  return cudaSuccess;
}

cudaError_t Pager::setRing(Allocation &A, int Device, uint32_t Slots) {
  MutexLock Guard(Lock);
  PagedMemory &P = *A.Paged;
  PagedMemory::Ring &R = P.Rings[Device];
  if (R.Slots.size() == Slots)
    return cudaSuccess;
  if (cudaError_t Error = dropRing(P, Device))
    return Error;
  return Slots == 0 ? cudaSuccess : makeRing(R, Device, Slots);
}

bool Pager::hasFreeFrameSlot(const Allocation &A, uint32_t Frame,
                             int Device) const {
  const PagedMemory::Ring &R = A.Paged->Rings[Device];
  if (R.Slots.empty())
    return false;
  const PagedMemory::Ring::FrameSlot &S = R.Slots[Frame % R.Slots.size()];
  return S.Memory && !S.Taken;
}

/// Puts a frame into its slot; its Device stays null when that is taken.
cudaError_t Pager::toFrameSlot(PagedMemory &P, uint32_t Frame, int Device) {
  PagedMemory::Ring &R = P.Rings[Device];
  if (R.Slots.empty())
    return cudaSuccess;
  const uint32_t At = Frame % R.Slots.size();
  PagedMemory::Ring::FrameSlot &S = R.Slots[At];
  if (S.Taken)
    return cudaSuccess;
  if (!S.Memory) {
    S.Taken = true; // not for freeFrameSlot()
    Expected<std::shared_ptr<Pages>> Memory = takePages(Device, P.FrameBytes);
    cudaError_t Error = Memory.error();
    std::byte *const First = R.Base + At * P.FrameBytes;
    std::byte *const Second = First + R.Slots.size() * P.FrameBytes;
    if (!Error)
      Error = B.map(First, **Memory, 0, P.FrameBytes);
    if (!Error && (Error = B.map(Second, **Memory, 0, P.FrameBytes)))
      (void)B.unmap(First, P.FrameBytes);
    if (Error) {
      S.Taken = false;
      if (Memory)
        giveBack(std::move(*Memory));
      return Error;
    }
    S.Memory = std::move(*Memory);
  }
  S.Taken = true;
  P.Frames[Frame].Window = R.Base + At * P.FrameBytes;
  P.Frames[Frame].Device = S.Memory;
  return cudaSuccess;
}

//===--- Frames that come with a copy -----------------------------------===//

/// Slots of a new ring for frames that nobody has asked for: half of what no
/// frame has taken, so that as much is left for others.
uint32_t Pager::slotsForEarly(int Device) const {
  uint64_t Taken = 0;
  for (const PagedMemory *P : All)
    for (const PagedMemory::Frame &F : P->Frames)
      if (F.Device && F.Device->location() == Device)
        Taken += F.Device->bytes();
  const uint64_t Room = budgetLocked(Device);
  const uint64_t Frames = (Room - std::min(Room, Taken)) / FrameBytes;
  return static_cast<uint32_t>((Frames + 1) / 2);
}

std::vector<EarlyFrame> Pager::admit(Allocation &A, uint64_t Lo, uint64_t Hi,
                                     unsigned Devices) {
  std::vector<EarlyFrame> Out;
  // The host, or code that is not seen, may write what is at the address.
  if (A.kind() == AllocationKind::Managed || UnseenWrites || mayTouchUnseen())
    return Out;
  MutexLock Guard(Lock);
  PagedMemory &P = *A.Paged;
  std::vector<std::vector<uint32_t>> Admitted(Devices);
  size_t Most = 0;
  for (unsigned D = 0; D < Devices; ++D) {
    const auto Device = static_cast<int>(D);
    auto Next = static_cast<uint32_t>(P.Frames.size() * D / Devices);
    const auto Last =
        static_cast<uint32_t>(P.Frames.size() * (D + 1) / Devices);
    while (Next < Last && P.Frames[Next].Lo < Lo)
      ++Next;
    // Pinning what is not would take longer than it saves.
    auto Good = [&] {
      return Next < Last && P.Frames[Next].Lo + P.Frames[Next].Bytes <= Hi &&
             P.Frames[Next].Ready && !P.Frames[Next].Device;
    };
    if (!Good())
      continue;
    if (P.Rings[D].Slots.empty())
      if (const uint32_t Slots = slotsForEarly(Device))
        if (makeRing(P.Rings[D], Device, std::min(Slots, Last - Next)))
          continue;
    for (; Good(); ++Next) {
      if (toFrameSlot(P, Next, Device) || !P.Frames[Next].Device)
        break;
      P.Frames[Next].Dirty = false;
      Admitted[D].push_back(Next);
    }
    Most = std::max(Most, Admitted[D].size());
  }
  for (size_t I = 0; I < Most; ++I)
    for (unsigned D = 0; D < Devices; ++D)
      if (I < Admitted[D].size())
        Out.push_back({Admitted[D][I], static_cast<int>(D)});
  return Out;
}

} // namespace gridspan
