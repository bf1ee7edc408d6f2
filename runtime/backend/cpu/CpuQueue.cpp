//===- CpuQueue.cpp - An asynchronous in-order queue ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread takes the tasks in order. The first task starts it, so that a
// stream without work costs nothing.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/CpuQueue.h"
#include <cassert>

namespace gridspan {

bool QueuePoint::reached() const {
  if (!Queue)
    return true;
  MutexLock Guard(Queue->Lock);
  return Queue->Done >= Sequence;
}

void QueuePoint::wait() const {
  if (!Queue)
    return;
  MutexLock Guard(Queue->Lock);
  Queue->Finished.wait(Guard, [this]() REQUIRES(Queue->Lock) {
    return Queue->Done >= Sequence;
  });
}

CpuQueue::~CpuQueue() {
  assert(!Worker.joinable() && "the queue was not stopped");
}

QueuePoint CpuQueue::push(std::vector<QueuePoint> After,
                          std::function<void()> Task) {
  MutexLock Guard(Lock);
  assert(!Stopping && "the queue was stopped");
  Tasks.push_back({std::move(After), std::move(Task)});
  const uint64_t Sequence = ++Submitted;
  if (!Worker.joinable())
    Worker = std::thread([Self = shared_from_this()] { Self->work(); });
  Pushed.notifyAll();
  return {shared_from_this(), Sequence};
}

QueuePoint CpuQueue::last() {
  MutexLock Guard(Lock);
  return {shared_from_this(), Submitted};
}

void CpuQueue::stop() {
  std::thread Ending;
  {
    MutexLock Guard(Lock);
    Stopping = true;
    Pushed.notifyAll();
    Ending = std::move(Worker);
  }
  if (!Ending.joinable())
    return;
  // A host function may destroy its own stream.
  if (Ending.get_id() == std::this_thread::get_id())
    Ending.detach();
  else
    Ending.join();
}

void CpuQueue::work() {
  MutexLock Guard(Lock);
  while (true) {
    Pushed.wait(Guard,
                [this]() REQUIRES(Lock) { return !Tasks.empty() || Stopping; });
    if (Tasks.empty())
      return;
    {
      Entry Next = std::move(Tasks.front());
      Tasks.pop_front();
      Guard.unlock();
      for (const QueuePoint &Point : Next.After)
        Point.wait();
      Next.Task();
      // Destroys the task before it counts as done.
    }
    Guard.lock();
    ++Done;
    Finished.notifyAll();
  }
}

} // namespace gridspan
