//===- WaitingFunctions.cpp - Host functions that may wait ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There are as many threads as functions that have run at the same time, which
// is one for each stream at most, and as many words as functions that were
// enqueued at the same time. Memory for words is asked for without the lock, as
// that may wait for streams, which wait for functions to be started.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/WaitingFunctions.h"
#include <atomic>
#include <system_error>

namespace gridspan::ranks {

WaitingFunctions::~WaitingFunctions() {
  std::vector<std::shared_ptr<CpuQueue>> All;
  {
    MutexLock Guard(Lock);
    All = Threads;
  }
  for (const std::shared_ptr<CpuQueue> &Thread : All)
    Thread->stop();
  for (void *Block : Blocks)
    Memory.Free(Block);
}

bool WaitingFunctions::takeFree(Place &Out) {
  MutexLock Guard(Lock);
  if (FreeWords.empty())
    return false;
  Out.Word = FreeWords.back();
  FreeWords.pop_back();
  Out.Value = *Out.Word + 1;
  ++NumTaken;
  return true;
}

cudaError_t WaitingFunctions::take(Place &Out) {
  while (!takeFree(Out)) {
    void *Block = nullptr;
    if (cudaError_t Error = Memory.Allocate(Block))
      return Error;
    MutexLock Guard(Lock);
    Blocks.push_back(Block);
    for (size_t I = 0; I != WordMemory::Bytes / sizeof(uint64_t); ++I)
      FreeWords.push_back(static_cast<uint64_t *>(Block) + I);
  }
  return cudaSuccess;
}

bool WaitingFunctions::areAnyTaken() {
  MutexLock Guard(Lock);
  return NumTaken != 0;
}

void WaitingFunctions::waitUntilNone(
    std::optional<std::chrono::steady_clock::time_point> Latest) {
  MutexLock Guard(Lock);
  while (NumTaken && (!Latest || std::chrono::steady_clock::now() < *Latest))
    if (Latest)
      Guard.waitUntil(NoneTaken, *Latest);
    else
      Guard.wait(NoneTaken);
}

void WaitingFunctions::giveBack(const Place &At) {
  MutexLock Guard(Lock);
  FreeWords.push_back(At.Word);
  if (--NumTaken == 0)
    NoneTaken.notify_all();
}

/// Returns a thread with nothing to do.
std::shared_ptr<CpuQueue> WaitingFunctions::idleThread() {
  MutexLock Guard(Lock);
  if (IdleThreads.empty()) {
    Threads.push_back(std::make_shared<CpuQueue>());
    return Threads.back();
  }
  std::shared_ptr<CpuQueue> Out = std::move(IdleThreads.back());
  IdleThreads.pop_back();
  return Out;
}

void WaitingFunctions::run(const Place &At, const std::function<void()> &Fn) {
  Fn();
  std::atomic_ref(*At.Word).store(At.Value, std::memory_order_release);
  giveBack(At);
}

void WaitingFunctions::start(const Place &At, std::function<void()> Fn) {
  const std::shared_ptr<CpuQueue> Thread = idleThread();
  try {
    Thread->push({}, [this, At, Fn, Thread] {
      run(At, Fn);
      MutexLock Guard(Lock);
      IdleThreads.push_back(Thread);
    });
  } catch (const std::system_error &) {
    // Without a thread it holds the others back. The caller is the driver, in
    // which no exception may end.
    run(At, Fn);
  }
}

} // namespace gridspan::ranks
