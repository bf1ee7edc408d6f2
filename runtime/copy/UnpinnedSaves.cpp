//===- UnpinnedSaves.cpp - From a device to memory that is not pinned -----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread enqueues the pieces of one copy after the other, as long as there
// are slots, and empties the oldest slot when it needs one or has nothing else
// to do. All that it waits for was enqueued before the copy was asked for, so
// it waits for nobody who may be waiting for it.
//
// Pages that are not there yet are made by the team's threads, as they write.
//
//===----------------------------------------------------------------------===//

#include "runtime/copy/UnpinnedSaves.h"
#include "runtime/support/SignalsBlocked.h"
#include <algorithm>
#include <cassert>
#include <system_error>
#include <utility>

namespace gridspan {

UnpinnedSaves::~UnpinnedSaves() {
  {
    MutexLock Guard(Lock);
    Stopping = true;
  }
  Changed.notify_all();
  if (Thread.joinable())
    Thread.join();
}

cudaError_t UnpinnedSaves::create(int Device) {
  if (cudaError_t Failure =
          B.createStream(Device, StreamKind::NonBlocking, 0, Bus))
    return Failure;
  const SignalsBlocked Scope;
  try {
    Thread = std::thread([this] { run(); });
  } catch (const std::system_error &) {
    return cudaErrorMemoryAllocation;
  }
  return cudaSuccess;
}

uint64_t UnpinnedSaves::copy(std::byte *Dst, const std::byte *Src,
                             uint64_t Bytes, std::vector<Event *> After) {
  assert(Bytes && "what is empty never comes");
  uint64_t Number;
  {
    MutexLock Guard(Lock);
    Number = ++Last;
    Queue.push_back({Number, Dst, Src, Bytes, std::move(After)});
  }
  Changed.notify_all();
  return Number;
}

cudaError_t UnpinnedSaves::waitFor(uint64_t Number) {
  MutexLock Guard(Lock);
  while (Done < Number)
    Guard.wait(Changed);
  return Error;
}

/// Copies up to that one are complete, or will never be.
void UnpinnedSaves::noteDone(uint64_t Number, cudaError_t This) {
  {
    MutexLock Guard(Lock);
    Error = Error ? Error : This;
    Done = std::max(Done, Number);
  }
  Changed.notify_all();
}

cudaError_t UnpinnedSaves::finishOldest() {
  const Crossing C = Under.front();
  Under.pop_front();
  if (cudaError_t Failure = B.synchronize(*C.Slot->Crossed))
    return Failure;
  copyByTeam(Team, C.Dst, C.Slot->Memory, C.Bytes, /*Streaming=*/true);
  if (C.Completes)
    noteDone(C.Completes, cudaSuccess);
  return cudaSuccess;
}

cudaError_t UnpinnedSaves::start(const Copy &C) {
  for (Event *E : C.After)
    if (cudaError_t Failure = B.wait(*Bus, *E))
      return Failure;
  for (uint64_t At = 0; At < C.Bytes; At += PinnedSlots::Bytes) {
    if (Under.size() == PinnedSlots::Count)
      if (cudaError_t Failure = finishOldest())
        return Failure;
    const uint64_t Piece = std::min(PinnedSlots::Bytes, C.Bytes - At);
    PinnedSlots::Slot &S = Slots.next();
    if (cudaError_t Failure = B.copy(*Bus, S.Memory, C.Src + At, Piece))
      return Failure;
    if (cudaError_t Failure = B.record(*S.Crossed, *Bus))
      return Failure;
    Under.push_back(
        {&S, C.Dst + At, Piece, At + Piece == C.Bytes ? C.Number : 0});
  }
  return cudaSuccess;
}

void UnpinnedSaves::run() {
  cudaError_t Failure = cudaSuccess;
  for (;;) {
    Copy Next;
    bool IsNew = false;
    {
      MutexLock Guard(Lock);
      while (Queue.empty() && Under.empty() && !Stopping)
        Guard.wait(Changed);
      if (Queue.empty() && Under.empty())
        return;
      if (!Queue.empty()) {
        Next = std::move(Queue.front());
        Queue.pop_front();
        IsNew = true;
      }
    }
    if (!Failure)
      Failure = IsNew ? start(Next) : finishOldest();
    if (!Failure)
      continue;
    // What crosses the bus still goes to slots, which wait for it.
    Under.clear();
    noteDone(UINT64_MAX, Failure);
  }
}

} // namespace gridspan
