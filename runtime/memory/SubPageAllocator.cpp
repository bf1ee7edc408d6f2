//===- SubPageAllocator.cpp - Pieces of pages -----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First fit over the free ranges of slabs of one page. An empty slab goes back
// at once, except the last one.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/SubPageAllocator.h"
#include <algorithm>
#include <cassert>

namespace gridspan {

using Interval = boost::icl::interval<uint64_t>;

/// cudaMalloc promises 256 bytes and gives 512.
static constexpr uint64_t Alignment = 512;

static uint64_t rounded(uint64_t Bytes) {
  return (Bytes + Alignment - 1) / Alignment * Alignment;
}

SubPageAllocator::~SubPageAllocator() {
  for (auto &[Base, S] : Slabs)
    destroy(Base, S);
}

void SubPageAllocator::destroy(uintptr_t Base, Slab &S) {
  auto *Address = reinterpret_cast<void *>(Base);
  (void)B.unmap(Address, PageSize);
  B.release(Address, PageSize);
  S.Memory.reset();
}

Expected<SubPageAllocator::Piece> SubPageAllocator::allocate(uint64_t Bytes) {
  assert(Bytes > 0 && Bytes <= PageSize);
  const uint64_t Size = std::min(rounded(Bytes), PageSize);
  auto Take = [&](uintptr_t Base, Slab &S) -> std::optional<Piece> {
    for (const auto &Range : S.Free) {
      const uint64_t Lo = Range.lower();
      if (Range.upper() - Lo < Size)
        continue;
      S.Free -= Interval::right_open(Lo, Lo + Size);
      S.Used += Size;
      return Piece{reinterpret_cast<void *>(Base + Lo), S.Memory->location()};
    }
    return std::nullopt;
  };
  for (auto &[Base, S] : Slabs)
    if (S.Used + Size <= PageSize)
      if (const std::optional<Piece> Found = Take(Base, S))
        return *Found;

  Expected<std::unique_ptr<Pages>> Memory = Source();
  if (!Memory)
    return Memory.error();
  Slab New;
  New.Memory = std::move(*Memory);
  void *Address = nullptr;
  if (cudaError_t Error = B.reserve(PageSize, Address))
    return Error;
  if (cudaError_t Error = B.map(Address, *New.Memory, 0, PageSize)) {
    B.release(Address, PageSize);
    return Error;
  }
  New.Free += Interval::right_open(0, PageSize);
  auto Base = reinterpret_cast<uintptr_t>(Address);
  auto [It, Inserted] = Slabs.emplace(Base, std::move(New));
  return *Take(Base, It->second);
}

SubPageAllocator::Page SubPageAllocator::pageOf(const void *Address) {
  auto It = Slabs.upper_bound(reinterpret_cast<uintptr_t>(Address));
  assert(It != Slabs.begin() && "allocate() returned it");
  --It;
  return {reinterpret_cast<std::byte *>(It->first), It->second.Memory.get()};
}

cudaError_t SubPageAllocator::replace(const Page &P,
                                      std::unique_ptr<Pages> New) {
  Slab &S = Slabs.at(reinterpret_cast<uintptr_t>(P.Base));
  if (cudaError_t Error = B.unmap(P.Base, PageSize))
    return Error;
  if (cudaError_t Error = B.map(P.Base, *New, 0, PageSize)) {
    // It was mapped a moment ago; a driver that refuses it now is broken.
    (void)B.map(P.Base, *S.Memory, 0, PageSize);
    return Error;
  }
  S.Memory = std::move(New);
  return cudaSuccess;
}

void SubPageAllocator::free(void *Address, uint64_t Bytes) {
  const uint64_t Size = std::min(rounded(Bytes), PageSize);
  auto At = reinterpret_cast<uintptr_t>(Address);
  auto It = Slabs.upper_bound(At);
  assert(It != Slabs.begin() && "allocate() returned it");
  --It;
  Slab &S = It->second;
  const uint64_t Lo = At - It->first;
  S.Free += Interval::right_open(Lo, Lo + Size);
  S.Used -= Size;
  if (S.Used != 0 || Slabs.size() == 1)
    return;
  destroy(It->first, S);
  Slabs.erase(It);
}

} // namespace gridspan
