//===- MemPools.cpp - Memory pools of the CPU device ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is freed counts as free at once, as the next allocation in the stream
// may have it.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/MemPools.h"
#include "runtime/api/ApiCall.h"
#include "runtime/api/StreamCapture.h"
#include <algorithm>
#include <cstring>

namespace gridspan {

template <typename T> static T readAs(const void *Value) {
  T Out;
  std::memcpy(&Out, Value, sizeof(Out));
  return Out;
}

template <typename T> static cudaError_t writeAs(T Value, void *Out) {
  std::memcpy(Out, &Value, sizeof(Value));
  return cudaSuccess;
}

cudaError_t MemPool::set(cudaMemPoolAttr Attribute, const void *Value) {
  MutexLock Guard(Lock);
  switch (Attribute) {
  case cudaMemPoolReuseFollowEventDependencies:
  case cudaMemPoolReuseAllowOpportunistic:
  case cudaMemPoolReuseAllowInternalDependencies:
    Reuse[Attribute - cudaMemPoolReuseFollowEventDependencies] =
        readAs<int>(Value);
    return cudaSuccess;
  case cudaMemPoolAttrReleaseThreshold:
    ReleaseThreshold = readAs<uint64_t>(Value);
    return cudaSuccess;
  case cudaMemPoolAttrReservedMemHigh:
  case cudaMemPoolAttrUsedMemHigh:
    if (readAs<uint64_t>(Value) != 0)
      return cudaErrorInvalidValue;
    Most = Used;
    return cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

cudaError_t MemPool::get(cudaMemPoolAttr Attribute, void *Out) const {
  MutexLock Guard(Lock);
  switch (Attribute) {
  case cudaMemPoolReuseFollowEventDependencies:
  case cudaMemPoolReuseAllowOpportunistic:
  case cudaMemPoolReuseAllowInternalDependencies:
    return writeAs(Reuse[Attribute - cudaMemPoolReuseFollowEventDependencies],
                   Out);
  case cudaMemPoolAttrReleaseThreshold:
    return writeAs(ReleaseThreshold, Out);
  case cudaMemPoolAttrReservedMemCurrent:
  case cudaMemPoolAttrUsedMemCurrent:
    return writeAs(Used, Out);
  case cudaMemPoolAttrReservedMemHigh:
  case cudaMemPoolAttrUsedMemHigh:
    return writeAs(Most, Out);
  default:
    return cudaErrorInvalidValue;
  }
}

void MemPool::take(uint64_t Bytes) {
  MutexLock Guard(Lock);
  Used += Bytes;
  Most = std::max(Most, Used);
}

void MemPool::giveBack(uint64_t Bytes) {
  MutexLock Guard(Lock);
  Used -= Bytes;
}

static cudaMemPool_t handleOf(const std::shared_ptr<MemPool> &Pool) {
  return reinterpret_cast<cudaMemPool_t>(Pool.get());
}

MemPools &MemPools::get() {
  static auto *Pools = new MemPools;
  return *Pools;
}

cudaMemPool_t MemPools::defaultPool() const { return handleOf(Default); }

cudaMemPool_t MemPools::current() const {
  MutexLock Guard(Lock);
  return handleOf(Current);
}

cudaError_t MemPools::setCurrent(cudaMemPool_t Pool) {
  std::shared_ptr<MemPool> New = find(Pool);
  if (!New)
    return cudaErrorInvalidValue;
  MutexLock Guard(Lock);
  Current = std::move(New);
  return cudaSuccess;
}

cudaMemPool_t MemPools::create() {
  auto Pool = std::make_shared<MemPool>();
  const cudaMemPool_t Handle = handleOf(Pool);
  MutexLock Guard(Lock);
  Pools.push_back(std::move(Pool));
  return Handle;
}

cudaError_t MemPools::destroy(cudaMemPool_t Pool) {
  MutexLock Guard(Lock);
  const auto It = std::find_if(Pools.begin(), Pools.end(), [&](const auto &P) {
    return handleOf(P) == Pool;
  });
  if (It == Pools.end() || *It == Default)
    return cudaErrorInvalidValue;
  if (*It == Current)
    Current = Default;
  Pools.erase(It);
  return cudaSuccess;
}

std::shared_ptr<MemPool> MemPools::find(cudaMemPool_t Pool) const {
  MutexLock Guard(Lock);
  for (const std::shared_ptr<MemPool> &P : Pools)
    if (handleOf(P) == Pool)
      return P;
  return nullptr;
}

void MemPools::taken(const void *Address, std::shared_ptr<MemPool> From,
                     uint64_t Bytes) {
  From->take(Bytes);
  MutexLock Guard(Lock);
  Allocations[Address] = {std::move(From), Bytes};
}

void MemPools::freed(const void *Address) {
  MutexLock Guard(Lock);
  const auto It = Allocations.find(Address);
  if (It == Allocations.end())
    return;
  It->second.From->giveBack(It->second.Bytes);
  Allocations.erase(It);
}

void MemPools::freedAll() {
  MutexLock Guard(Lock);
  for (const auto &[Address, What] : Allocations)
    What.From->giveBack(What.Bytes);
  Allocations.clear();
}

cudaError_t allocateFrom(Runtime &R, ProgramStream &S,
                         std::shared_ptr<MemPool> Pool, size_t Bytes,
                         void **Out) {
  if (!Out)
    return cudaErrorInvalidValue;
  *Out = nullptr;
  if (Bytes == 0)
    return cudaSuccess;
  if (StreamCapture::any() && StreamCapture::get().find(S)) {
    Expected<GraphTask> Task = allocationTask(R, Bytes);
    if (!Task)
      return Task.error();
    *Out = Task->Memory->Address;
    // Another thread may have ended the capture.
    return StreamCapture::get()
        .add(S, std::move(Task))
        .value_or(cudaErrorIllegalState);
  }
  // A node of the graph, whose memory is CUDA's.
  if (hasVendorMemory(R) && R.backend().isCapturing(S.main()))
    return cudaMallocAsync(Out, Bytes, S.main().native());
  const Expected<void *> Address = R.memory().allocateAsync(Bytes, S.main());
  if (!Address)
    return Address.error();
  *Out = *Address;
  if (Pool)
    MemPools::get().taken(*Out, std::move(Pool), Bytes);
  return cudaSuccess;
}

} // namespace gridspan
