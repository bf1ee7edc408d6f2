//===- DeferredLaunches.cpp - Launches that wait for others ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lock is held while launches run: whoever comes meanwhile waits for them,
// as its call is ordered behind them.
//
//===----------------------------------------------------------------------===//

#include "runtime/stream/DeferredLaunches.h"
#include "runtime/stream/OpaqueOperation.h"
#include "runtime/support/SignalsBlocked.h"
#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace gridspan {

/// A launch is given half of its own time: another one that comes meanwhile
/// saves more, and if none does that is what waiting costs (the ski rental
/// problem). But no longer than this.
static constexpr std::chrono::milliseconds LongestIdle(500);

void DeferredLaunches::endThread() {
  {
    MutexLock Guard(Lock);
    Ends = true;
  }
  Changed.notify_all();
  if (IdleThread.joinable())
    IdleThread.join();
}

cudaError_t DeferredLaunches::finishLocked(const Allocation *Freed,
                                           bool KeepsError) {
  const std::vector<DeferredLaunch> All = std::exchange(Waiting, {});
  const std::vector<DeferredEvent> Behind = std::exchange(Events, {});
  AnyOpaque = false;
  const cudaError_t Before = std::exchange(Failed, cudaSuccess);
  // The call returns that error, and frees nothing.
  if (Before)
    Freed = nullptr;
  const cudaError_t Error =
      All.empty() ? cudaSuccess : RunAll(All, Behind, Freed);
  const cudaError_t First = Before ? Before : Error;
  if (KeepsError && First) {
    // The next call that tells looks for it.
    Failed = First;
    return First;
  }
  // Whoever sees this sees what they did.
  Any.store(false, std::memory_order_release);
  return First;
}

cudaError_t DeferredLaunches::finish(const Allocation *Freed) {
  if (!any())
    return cudaSuccess;
  MutexLock Guard(Lock);
  return finishLocked(Freed);
}

std::optional<cudaError_t> DeferredLaunches::record(std::shared_ptr<Event> E,
                                                    const ProgramStream &S) {
  if (!any())
    return std::nullopt;
  MutexLock Guard(Lock);
  if (Waiting.empty())
    return std::nullopt;
  if (&Waiting.front().request().Stream == &S) {
    Events.push_back({std::move(E), Waiting.size()});
    return cudaSuccess;
  }
  const cudaError_t Error = finishLocked();
  return Error ? std::optional(Error) : std::nullopt;
}

cudaError_t DeferredLaunches::add(DeferredLaunch L, double Seconds) {
  MutexLock Guard(Lock);
  if (!Waiting.empty() &&
      (Waiting.size() >= (AnyOpaque ? MostBesideOpaque : Most) ||
       &Waiting.front().request().Stream != &L.request().Stream))
    if (cudaError_t Error = finishLocked())
      return Error;
  AnyOpaque |= OpaqueOperation::isOne(L.request().kernel());
  Waiting.push_back(std::move(L));
  Any.store(true, std::memory_order_release);
  LastAdded = Clock::now();
  if (Waiting.size() == 1)
    Wait = Idle;
  const auto Half = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(Seconds, 1e3) / 2));
  Wait = std::max(Wait, std::min<Clock::duration>(Half, LongestIdle));
  if (Idle.count() && Waiting.size() == 1)
    startThread();
  return cudaSuccess;
}

//===--- The thread -----------------------------------------------------===//

/// Lets the thread know that there is something to wait for. Without a thread
/// the launches wait for a call.
void DeferredLaunches::startThread() {
  if (!IdleThread.joinable() && !Ends) {
    const SignalsBlocked Blocked;
    try {
      IdleThread = std::thread([this] { runWhenIdle(); });
    } catch (const std::system_error &) {
    }
  }
  Changed.notify_all();
}

void DeferredLaunches::runWhenIdle() {
  MutexLock Guard(Lock);
  while (!Ends) {
    if (Waiting.empty()) {
      Guard.wait(Changed);
      continue;
    }
    if (Arriving)
      LastAdded = Clock::now();
    const Clock::time_point Due = LastAdded + Wait;
    if (Clock::now() < Due) {
      Guard.waitUntil(Changed, Due);
      continue;
    }
    // Work that was enqueued before may wait for what the host does next.
    if (!MayRun()) {
      LastAdded = Clock::now();
      continue;
    }
    runByThread();
  }
}

/// Runs what waits, and keeps an error. Nobody else catches what is thrown
/// here.
void DeferredLaunches::runByThread() {
  try {
    (void)finishLocked(nullptr, /*KeepsError=*/true);
  } catch (const std::bad_alloc &) {
    Failed = cudaErrorMemoryAllocation;
  } catch (...) {
    Failed = cudaErrorUnknown;
  }
}

} // namespace gridspan
