//===- WaitingFunctions.cpp - Host functions that may wait ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There are as many threads as functions that have run at the same time, which
// is one for each stream at most.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/WaitingFunctions.h"
#include <atomic>

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

cudaError_t WaitingFunctions::take(Place &Out) {
  MutexLock Guard(Lock);
  if (FreeWords.empty()) {
    void *Block = nullptr;
    if (cudaError_t Error = Memory.Allocate(Block))
      return Error;
    Blocks.push_back(Block);
    for (size_t I = 0; I != WordMemory::Bytes / sizeof(uint64_t); ++I)
      FreeWords.push_back(static_cast<uint64_t *>(Block) + I);
  }
  Out.Word = FreeWords.back();
  FreeWords.pop_back();
  Out.Value = *Out.Word + 1;
  return cudaSuccess;
}

void WaitingFunctions::giveBack(const Place &At) {
  MutexLock Guard(Lock);
  FreeWords.push_back(At.Word);
}

void WaitingFunctions::start(const Place &At, std::function<void()> Fn) {
  std::shared_ptr<CpuQueue> Thread;
  {
    MutexLock Guard(Lock);
    if (IdleThreads.empty()) {
      Threads.push_back(std::make_shared<CpuQueue>());
      IdleThreads.push_back(Threads.back());
    }
    Thread = std::move(IdleThreads.back());
    IdleThreads.pop_back();
  }
  CpuQueue &On = *Thread;
  On.push({}, [this, At, Fn = std::move(Fn), Thread = std::move(Thread)] {
    Fn();
    std::atomic_ref(*At.Word).store(At.Value, std::memory_order_release);
    MutexLock Guard(Lock);
    FreeWords.push_back(At.Word);
    IdleThreads.push_back(Thread);
  });
}

} // namespace gridspan::ranks
