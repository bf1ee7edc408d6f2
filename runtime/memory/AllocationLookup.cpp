//===- AllocationLookup.cpp - Addresses and allocations -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at all allocations: it is asked when something has gone wrong. Live
// allocations come first, as they may be where freed ones were.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/AllocationLookup.h"
#include "runtime/memory/MemoryManager.h"
#include "runtime/support/ResidentPages.h"
#include <algorithm>
#include <fmt/format.h>

namespace gridspan {

/// Freed allocations that are remembered.
static constexpr size_t MostFreed = 1024;
/// Addresses that are farther from an allocation have nothing to do with it.
static constexpr uint64_t Near = 64 << 20;
/// Memory of the host that is closer is more likely meant for the allocation.
static constexpr uint64_t Beside = 1 << 20;

AllocationLookup::AllocationLookup(MemoryManager &Memory, Backend &B)
    : Memory(Memory), B(B) {
  MemoryLookup::set(this);
}

AllocationLookup::~AllocationLookup() {
  if (MemoryLookup::get() == this)
    MemoryLookup::set(nullptr);
}

bool AllocationLookup::holds(const void *Address, uint64_t Bytes) const {
  std::shared_ptr<Allocation> A = Memory.find(Address);
  // A kernel before an asynchronous free uses the memory as before.
  if (!A)
    A = Memory.findFreed(Address);
  if (A) {
    const uint64_t At = static_cast<const std::byte *>(Address) - A->base();
    return Bytes <= A->bytes() - At;
  }
  return B.isPinned(Address, Bytes);
}

void AllocationLookup::noteFreed(const void *Base, uint64_t Bytes) {
  MutexLock Guard(Lock);
  Freed.push_front({reinterpret_cast<uintptr_t>(Base), Bytes});
  if (Freed.size() > MostFreed)
    Freed.pop_back();
}

std::string AllocationLookup::describeFreed(uintptr_t Address) const {
  MutexLock Guard(Lock);
  const auto It = std::find_if(Freed.begin(), Freed.end(), [&](const Range &R) {
    return Address - R.Lo < R.Bytes;
  });
  if (It == Freed.end())
    return "";
  return fmt::format("byte {} of an allocation of {} bytes at {:#x} that was "
                     "freed",
                     Address - It->Lo, It->Bytes, It->Lo);
}

/// Describes an access of Bytes that begins at byte Offset of Of, which has
/// Size.
static std::string textInside(uint64_t Offset, uint64_t Bytes, uint64_t Size,
                              const std::string &Of) {
  std::string Out = fmt::format("byte {} of {}", Offset, Of);
  if (Bytes > Size - Offset)
    Out +=
        fmt::format(", and {} bytes behind its end", Bytes - (Size - Offset));
  return Out;
}

std::string AllocationLookup::describe(const void *Address,
                                       uint64_t Bytes) const {
  const auto At = reinterpret_cast<uintptr_t>(Address);
  std::string Nearest;
  uint64_t Least = Near;
  for (const std::shared_ptr<Allocation> &A : Memory.all()) {
    const auto Lo = reinterpret_cast<uintptr_t>(A->base());
    const auto Of =
        fmt::format("an allocation of {} bytes at {:#x}", A->bytes(), Lo);
    if (At - Lo < A->bytes())
      return textInside(At - Lo, Bytes, A->bytes(), Of);
    if (Lo > At && Lo - At < Least) {
      Least = Lo - At;
      Nearest = fmt::format("{} bytes before {}", Least, Of);
    } else if (Lo < At && At - Lo - A->bytes() < Least) {
      Least = At - Lo - A->bytes();
      Nearest = fmt::format("{} bytes behind the end of {}", Least, Of);
    }
  }
  if (std::string Text = describeFreed(At); !Text.empty())
    return Text;
  if (At < 4096)
    return "a null pointer";
  if (B.isPageable(Address, 1) && isResident(Address)) {
    constexpr const char *OnHost =
        "memory of the host that is neither managed nor registered";
    return Least < Beside ? fmt::format("{}, {}", OnHost, Nearest) : OnHost;
  }
  return Nearest.empty() ? "near no allocation" : Nearest;
}

} // namespace gridspan
