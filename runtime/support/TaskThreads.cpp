//===- TaskThreads.cpp - Threads for tasks that may wait ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task that finds no idle thread gets a new one. There are never more tasks
// in the queue than idle threads, so that none waits for another to end.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/TaskThreads.h"
#include "runtime/support/SignalsBlocked.h"
#include <system_error>
#include <utility>

namespace gridspan {

TaskThreads::~TaskThreads() {
  std::vector<std::thread> All;
  {
    MutexLock Guard(Lock);
    Stopping = true;
    All.swap(Threads);
  }
  Wake.notify_all();
  for (std::thread &T : All)
    T.join();
}

bool TaskThreads::run(std::function<void()> Task) {
  MutexLock Guard(Lock);
  Tasks.push_back(std::move(Task));
  if (Tasks.size() <= Idle) {
    Wake.notify_one();
    return true;
  }
  SignalsBlocked Scope;
  try {
    Threads.emplace_back([this] { work(); });
  } catch (const std::system_error &) {
    Tasks.pop_back();
    return false;
  }
  return true;
}

void TaskThreads::work() {
  MutexLock Guard(Lock);
  for (;;) {
    while (Tasks.empty() && !Stopping) {
      ++Idle;
      Guard.wait(Wake);
      --Idle;
    }
    if (Tasks.empty())
      return;
    std::function<void()> Task = std::move(Tasks.front());
    Tasks.pop_front();
    Guard.unlock();
    Task();
    Task = nullptr;
    Guard.lock();
  }
}

} // namespace gridspan
