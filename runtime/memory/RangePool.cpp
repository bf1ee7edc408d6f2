//===- RangePool.cpp - Mapped ranges for later allocations ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list in the order of coming, and an index of it by size. The last to come
// is the first to go out again, as caches still know it; the first to come is
// the first to be given back. The lock is not held while the backend works.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/RangePool.h"
#include <algorithm>

namespace gridspan {

/// The share of a device's memory that is kept, at most. Loops allocate what
/// they have just freed, which is seldom more; what is kept is missing to code
/// that Gridspan does not see.
static constexpr uint64_t KeptShare = 8;

static std::vector<uint64_t> boundsOf(const SystemInfo &System) {
  std::vector<uint64_t> Out;
  for (const DeviceInfo &D : System.Devices)
    Out.push_back(D.MemoryBytes / KeptShare);
  return Out;
}

RangePool::RangePool(const SystemInfo &System, Unmapping Unmap)
    : Unmap(std::move(Unmap)), Bounds(boundsOf(System)), Held(Bounds.size()) {}

bool RangePool::has(uint64_t Bytes) const {
  MutexLock Guard(Lock);
  return BySize.contains(Bytes);
}

/// Moves a range from the pool to the end of Out.
void RangePool::takeOut(Ranges::iterator It, Ranges &Out) {
  for (const PageHomes::Run &Run : It->Homes.runs(0, It->Bytes))
    Held[Run.Where] -= Run.Hi - Run.Lo;
  const auto Same = BySize.find(It->Bytes);
  Same->second.erase(It->Base);
  if (Same->second.empty())
    BySize.erase(Same);
  Out.splice(Out.end(), Kept, It);
}

std::optional<MappedRange> RangePool::take(uint64_t Bytes,
                                           const PageHomes &Homes) {
  Ranges Out;
  MutexLock Guard(Lock);
  const auto Same = BySize.find(Bytes);
  if (Same == BySize.end())
    return std::nullopt;
  const auto &Found = Same->second;
  const auto It = std::find_if(Found.begin(), Found.end(), [&](const auto &R) {
    return R.second->Homes == Homes;
  });
  if (It == Found.end())
    return std::nullopt;
  takeOut(It->second, Out);
  Reused.fetch_add(1, std::memory_order_relaxed);
  return std::move(Out.front());
}

/// Returns true if R alone is too large.
bool RangePool::exceedsBounds(const MappedRange &R) const {
  for (size_t D = 0, E = Bounds.size(); D != E; ++D)
    if (R.Homes.bytesAt(0, R.Bytes, static_cast<Location>(D)) > Bounds[D])
      return true;
  return false;
}

bool RangePool::exceedsBounds() const {
  for (size_t D = 0, E = Bounds.size(); D != E; ++D)
    if (Held[D] > Bounds[D])
      return true;
  return false;
}

void RangePool::put(MappedRange R) {
  Ranges Old;
  MutexLock Guard(Lock);
  for (const PageHomes::Run &Run : R.Homes.runs(0, R.Bytes))
    Held[Run.Where] += Run.Hi - Run.Lo;
  Kept.push_back(std::move(R));
  const auto Last = std::prev(Kept.end());
  BySize[Last->Bytes].emplace(Last->Base, Last);
  // One that is too large by itself does not take the others with it.
  if (exceedsBounds(*Last))
    takeOut(Last, Old);
  while (exceedsBounds())
    takeOut(Kept.begin(), Old);
  Guard.unlock();
  destroy(std::move(Old));
}

bool RangePool::giveBack(int Device, uint64_t Bytes) {
  Ranges Old;
  uint64_t Given = 0;
  MutexLock Guard(Lock);
  for (auto It = Kept.begin(); It != Kept.end() && Given < Bytes;) {
    const auto Next = std::next(It);
    if (const uint64_t There = It->Homes.bytesAt(0, It->Bytes, Device)) {
      Given += There;
      takeOut(It, Old);
    }
    It = Next;
  }
  Guard.unlock();
  destroy(std::move(Old));
  return Given != 0;
}

void RangePool::empty() {
  Ranges Old;
  MutexLock Guard(Lock);
  Old.swap(Kept);
  BySize.clear();
  std::fill(Held.begin(), Held.end(), 0);
  Guard.unlock();
  destroy(std::move(Old));
}

uint64_t RangePool::bytes(int Device) const {
  MutexLock Guard(Lock);
  return Held[Device];
}

void RangePool::destroy(Ranges All) {
  Unmapped.fetch_add(All.size(), std::memory_order_relaxed);
  for (MappedRange &R : All)
    Unmap(std::move(R));
}

} // namespace gridspan
