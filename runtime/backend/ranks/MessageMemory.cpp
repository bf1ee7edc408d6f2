//===- MessageMemory.cpp - Memory for the bytes of messages ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Free blocks by their size, which is a multiple of Step. Most messages with
// data have the same one. Memory that was added is cut into blocks of the size
// that a full piece of data takes, and each is for one message of any size up
// to that.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/MessageMemory.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <unordered_map>

namespace gridspan::ranks {

/// What is smaller comes from the C library, which keeps it.
static constexpr size_t Step = size_t(64) << 10;
/// Enough for the pieces that one receiver has under way.
static constexpr size_t MostKept = size_t(64) << 20;

/// A piece, and what is said of it.
static constexpr size_t AddedBlock = (size_t(1) << 20) + Step;
/// What may be on its way to this rank, and from it to another.
static constexpr size_t MostAdded = 64 * AddedBlock;

namespace {
struct Pool {
  Mutex Lock;
  std::byte *Added GUARDED_BY(Lock) = nullptr;
  size_t AddedBytes GUARDED_BY(Lock) = 0;
  std::vector<void *> FreeAdded GUARDED_BY(Lock);
  std::unordered_map<size_t, std::vector<void *>> Free GUARDED_BY(Lock);
  size_t Kept GUARDED_BY(Lock) = 0;
};
} // namespace

/// Never destroyed: messages may live longer than static objects.
static Pool &pool() {
  static Pool &The = *new Pool;
  return The;
}

static size_t blockOf(size_t Bytes) { return (Bytes + Step - 1) / Step * Step; }

void *takeMessageMemory(size_t Bytes) {
  if (Bytes < Step)
    return ::operator new(Bytes);
  const size_t Size = blockOf(Bytes);
  {
    MutexLock Guard(pool().Lock);
    if (Size <= AddedBlock && !pool().FreeAdded.empty()) {
      void *Out = pool().FreeAdded.back();
      pool().FreeAdded.pop_back();
      return Out;
    }
    const auto It = pool().Free.find(Size);
    if (It != pool().Free.end() && !It->second.empty()) {
      void *Out = It->second.back();
      It->second.pop_back();
      pool().Kept -= Size;
      return Out;
    }
  }
  return ::operator new(Size);
}

void giveBackMessageMemory(void *Memory, size_t Bytes) {
  const size_t Size = blockOf(Bytes);
  if (Bytes >= Step) {
    MutexLock Guard(pool().Lock);
    if (const auto *At = static_cast<std::byte *>(Memory);
        At >= pool().Added && At < pool().Added + pool().AddedBytes) {
      pool().FreeAdded.push_back(Memory);
      return;
    }
    if (pool().Kept + Size <= MostKept) {
      pool().Free[Size].push_back(Memory);
      pool().Kept += Size;
      return;
    }
  }
  ::operator delete(Memory);
}

size_t wantedMessageMemory() {
  static std::atomic<bool> WasAsked{false};
  return WasAsked.exchange(true) ? 0 : MostAdded;
}

void addMessageMemory(void *Memory, size_t Bytes) {
  MutexLock Guard(pool().Lock);
  pool().Added = static_cast<std::byte *>(Memory);
  pool().AddedBytes = Bytes;
  for (size_t At = 0; At + AddedBlock <= Bytes; At += AddedBlock)
    pool().FreeAdded.push_back(pool().Added + At);
}

} // namespace gridspan::ranks
