//===- SubPageAllocator.cpp - Pieces of pages -----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First fit over the free ranges of slabs of one page. A slab knows a bound of
// its longest free range, so that one in pieces is searched in vain only once.
// An empty slab goes back at once, except the last one.
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
    GiveBack(std::move(S.Page));
}

/// Takes Size bytes of S; returns nothing if none of its free ranges is as
/// long.
std::optional<SubPageAllocator::Piece>
SubPageAllocator::takeFrom(Slab &S, uint64_t Size) {
  if (S.MostFree < Size)
    return std::nullopt;
  uint64_t Longest = 0;
  for (const auto &Range : S.Free) {
    const uint64_t Lo = Range.lower();
    Longest = std::max(Longest, Range.upper() - Lo);
    if (Range.upper() - Lo < Size)
      continue;
    S.Free -= Interval::right_open(Lo, Lo + Size);
    S.Used += Size;
    return Piece{S.Page.Base + Lo, S.Page.Homes.at(0)};
  }
  S.MostFree = Longest;
  return std::nullopt;
}

Expected<SubPageAllocator::Piece>
SubPageAllocator::allocate(uint64_t Bytes, const PageSource &Source) {
  assert(Bytes > 0 && Bytes <= PageSize);
  const uint64_t Size = std::min(rounded(Bytes), PageSize);
  for (auto &[Base, S] : Slabs)
    if (const std::optional<Piece> Found = takeFrom(S, Size))
      return *Found;

  Expected<MappedRange> Page = Source();
  if (!Page)
    return Page.error();
  const auto Base = reinterpret_cast<uintptr_t>(Page->Base);
  Slab &S = Slabs[Base];
  S.Page = std::move(*Page);
  S.Free += Interval::right_open(0, PageSize);
  S.MostFree = PageSize;
  return *takeFrom(S, Size);
}

MappedRange &SubPageAllocator::pageOf(const void *Address) {
  auto It = Slabs.upper_bound(reinterpret_cast<uintptr_t>(Address));
  assert(It != Slabs.begin() && "allocate() returned it");
  return std::prev(It)->second.Page;
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
  const auto Merged = S.Free.find(Lo);
  S.MostFree = std::max(S.MostFree, Merged->upper() - Merged->lower());
  if (S.Used == 0 && Slabs.size() != 1)
    erase(It);
}

void SubPageAllocator::erase(std::map<uintptr_t, Slab>::iterator It) {
  MappedRange Page = std::move(It->second.Page);
  Slabs.erase(It);
  GiveBack(std::move(Page));
}

void SubPageAllocator::releaseEmpty() {
  if (Slabs.size() == 1 && Slabs.begin()->second.Used == 0)
    erase(Slabs.begin());
}

} // namespace gridspan
