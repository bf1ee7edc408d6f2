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

#include "runtime/launch/DeferredLaunches.h"
#include <utility>

namespace gridspan {

cudaError_t DeferredLaunches::finishLocked(const Run &RunAll) {
  const std::vector<DeferredLaunch> All = std::exchange(Waiting, {});
  const std::vector<DeferredEvent> Behind = std::exchange(Events, {});
  const cudaError_t Error = All.empty() ? cudaSuccess : RunAll(All, Behind);
  // Whoever sees this sees what they did.
  Any.store(false, std::memory_order_release);
  return Error;
}

cudaError_t DeferredLaunches::finish(const Run &RunAll) {
  if (!any())
    return cudaSuccess;
  MutexLock Guard(Lock);
  return finishLocked(RunAll);
}

std::optional<cudaError_t> DeferredLaunches::record(std::shared_ptr<Event> E,
                                                    const ProgramStream &S,
                                                    const Run &RunAll) {
  if (!any())
    return std::nullopt;
  MutexLock Guard(Lock);
  if (Waiting.empty())
    return std::nullopt;
  if (&Waiting.front().request().Stream == &S) {
    Events.push_back({std::move(E), Waiting.size()});
    return cudaSuccess;
  }
  const cudaError_t Error = finishLocked(RunAll);
  return Error ? std::optional(Error) : std::nullopt;
}

cudaError_t DeferredLaunches::add(DeferredLaunch L, const Run &RunAll) {
  MutexLock Guard(Lock);
  if (!Waiting.empty() &&
      (Waiting.size() >= Most ||
       &Waiting.front().request().Stream != &L.request().Stream))
    if (cudaError_t Error = finishLocked(RunAll))
      return Error;
  Waiting.push_back(std::move(L));
  Any.store(true, std::memory_order_release);
  return cudaSuccess;
}

} // namespace gridspan
