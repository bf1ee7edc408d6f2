//===- WorkerPool.cpp - Threads that help with work -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A job lies on the stack of the thread that brings it, and leaves the list
// before that thread waits for its helpers; so a helper that wakes up late
// finds no job rather than one that is over. Each helper that begins wakes the
// next one, so that offering work costs its owner one wake-up.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/WorkerPool.h"
#include "runtime/support/SignalsBlocked.h"
#include <algorithm>
#include <cassert>
#include <system_error>

namespace gridspan {

WorkerPool::WorkerPool(unsigned Threads) : MostHelpers(Threads - 1) {
  assert(Threads != 0 && "the thread that brings the work is one");
}

WorkerPool::~WorkerPool() {
  std::vector<std::thread> Ending;
  {
    MutexLock Guard(Lock);
    assert(Jobs.empty() && "work is left");
    Stopping = true;
    std::swap(Ending, Helpers);
    Offered.notify_all();
  }
  for (std::thread &T : Ending)
    T.join();
}

void WorkerPool::startThreads(unsigned Wanted) {
  const unsigned Missing = Wanted > Idle ? Wanted - Idle : 0;
  const unsigned Count =
      std::min<size_t>(MostHelpers, Helpers.size() + Missing);
  if (Helpers.size() >= Count)
    return;
  const SignalsBlocked Scope;
  try {
    while (Helpers.size() < Count)
      Helpers.emplace_back([this] { help(); });
  } catch (const std::system_error &) {
    // There are no more; the work is done with fewer.
  }
}

void WorkerPool::run(unsigned Threads, const std::function<void()> &Work) {
  const unsigned Wanted = std::min(std::max(Threads, 1U) - 1, MostHelpers);
  if (Wanted == 0)
    return Work();
  Job Mine = {&Work, Wanted};
  {
    MutexLock Guard(Lock);
    startThreads(Wanted);
    Jobs.push_back(&Mine);
    Offered.notify_one();
  }
  Work();
  MutexLock Guard(Lock);
  std::erase(Jobs, &Mine);
  while (Mine.Active != 0)
    Guard.wait(Ended);
}

void WorkerPool::help() {
  MutexLock Guard(Lock);
  while (true) {
    ++Idle;
    while (Jobs.empty() && !Stopping)
      Guard.wait(Offered);
    --Idle;
    if (Jobs.empty())
      return;
    Job &Next = *Jobs.front();
    if (--Next.Wanted == 0)
      Jobs.pop_front();
    if (!Jobs.empty())
      Offered.notify_one();
    ++Next.Active;
    Guard.unlock();
    (*Next.Work)();
    Guard.lock();
    if (--Next.Active == 0)
      Ended.notify_all();
  }
}

} // namespace gridspan
