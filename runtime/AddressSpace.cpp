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

#include "AddressSpace.h"

namespace gridspan {

void AddressSpace::insert(std::shared_ptr<Allocation> A) {
  auto Key = reinterpret_cast<uintptr_t>(A->base());
  std::unique_lock Guard(Lock);
  ByBase.emplace(Key, std::move(A));
}

std::shared_ptr<Allocation> AddressSpace::find(const void *Address) const {
  auto Key = reinterpret_cast<uintptr_t>(Address);
  std::shared_lock Guard(Lock);
  auto It = ByBase.upper_bound(Key);
  if (It == ByBase.begin())
    return nullptr;
  --It;
  return Key - It->first < It->second->bytes() ? It->second : nullptr;
}

std::shared_ptr<Allocation> AddressSpace::remove(const void *Address) {
  std::unique_lock Guard(Lock);
  auto It = ByBase.find(reinterpret_cast<uintptr_t>(Address));
  if (It == ByBase.end())
    return nullptr;
  std::shared_ptr<Allocation> A = std::move(It->second);
  ByBase.erase(It);
  return A;
}

std::vector<std::shared_ptr<Allocation>> AddressSpace::all() const {
  std::shared_lock Guard(Lock);
  std::vector<std::shared_ptr<Allocation>> Out;
  for (const auto &[Key, A] : ByBase)
    Out.push_back(A);
  return Out;
}

} // namespace gridspan
