//===- AddressSpace.cpp - From an address to its allocation ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An ordered map by base address: the candidate is the last allocation that
// begins at or before the address.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/AddressSpace.h"

namespace gridspan {

void AddressSpace::insert(std::shared_ptr<Allocation> A) {
  auto Key = reinterpret_cast<uintptr_t>(A->base());
  WriterLock Guard(Lock);
  ByBase.emplace(Key, std::move(A));
  Generation = NextGeneration++;
}

bool AddressSpace::insertApart(std::shared_ptr<Allocation> A) {
  const auto Key = reinterpret_cast<uintptr_t>(A->base());
  WriterLock Guard(Lock);
  const auto Next = ByBase.upper_bound(Key);
  if (Next != ByBase.end() && Next->first - Key < A->bytes())
    return false;
  if (Next != ByBase.begin())
    if (const auto &[Lo, Before] = *std::prev(Next); Key - Lo < Before->bytes())
      return false;
  ByBase.emplace(Key, std::move(A));
  Generation = NextGeneration++;
  return true;
}

std::shared_ptr<Allocation> AddressSpace::find(const void *Address) const {
  auto Key = reinterpret_cast<uintptr_t>(Address);
  ReaderLock Guard(Lock);
  auto It = ByBase.upper_bound(Key);
  if (It == ByBase.begin())
    return nullptr;
  --It;
  return It->second->holds(Key) ? It->second : nullptr;
}

namespace {

/// The allocations that a thread was told about last.
struct RememberedAllocations {
  static constexpr unsigned Count = 8;
  uint64_t Generation; ///< 0: nothing
  struct {
    uintptr_t Lo;
    uint64_t Bytes; ///< 0: none
    Allocation *A;
  } At[Count];
  unsigned Next;
};

/// The answers that a thread had to addresses, one for each value of their
/// hash. Kernels that get tables of pointers ask for hundreds in each launch.
struct RememberedAddresses {
  static constexpr unsigned LogCount = 9;
  struct Answer {
    uintptr_t Address;
    uint64_t Generation; ///< 0: nothing
    Allocation *A;       ///< null: no allocation holds it
  } At[1 << LogCount];

  Answer &of(uintptr_t Address) {
    return At[Address * 0x9e3779b97f4a7c15ULL >> (64 - LogCount)];
  }
};

} // namespace

Allocation *AddressSpace::peek(const void *Address) const {
  static constinit thread_local RememberedAllocations Last = {};
  static constinit thread_local RememberedAddresses Answers = {};
  const auto Key = reinterpret_cast<uintptr_t>(Address);
  const uint64_t Present = Generation.load(std::memory_order_acquire);
  if (Last.Generation != Present) {
    Last = {};
    Last.Generation = Present;
  }
  for (const auto &R : Last.At)
    if (Key - R.Lo < R.Bytes)
      return R.A;
  RememberedAddresses::Answer &Answer = Answers.of(Key);
  if (Answer.Generation == Present && Answer.Address == Key)
    return Answer.A;
  const std::shared_ptr<Allocation> A = find(Address);
  if (A)
    Last.At[Last.Next++ % Last.Count] = {
        reinterpret_cast<uintptr_t>(A->base()) + A->first(),
        A->bytes() - A->first(), A.get()};
  Answer = {Key, Present, A.get()};
  return A.get();
}

std::shared_ptr<Allocation> AddressSpace::remove(const void *Address) {
  WriterLock Guard(Lock);
  auto It = ByBase.find(reinterpret_cast<uintptr_t>(Address));
  if (It == ByBase.end())
    return nullptr;
  std::shared_ptr<Allocation> A = std::move(It->second);
  ByBase.erase(It);
  Generation = NextGeneration++;
  return A;
}

std::vector<std::shared_ptr<Allocation>> AddressSpace::all() const {
  ReaderLock Guard(Lock);
  std::vector<std::shared_ptr<Allocation>> Out;
  for (const auto &[Key, A] : ByBase)
    Out.push_back(A);
  return Out;
}

} // namespace gridspan
