//===- CpuStream.cpp - Streams and events of CPU devices ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task waits for the ends of the streams that CUDA orders it after, which are
// read under the group's lock (CUDA C++ Programming Guide, "Default Stream" and
// "Events").
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/CpuStream.h"
#include <algorithm>

namespace gridspan {

static void addEnds(std::vector<std::weak_ptr<CpuQueue>> &Queues,
                    std::vector<QueuePoint> &Out) {
  for (const std::weak_ptr<CpuQueue> &Weak : Queues)
    if (std::shared_ptr<CpuQueue> Queue = Weak.lock()) {
      QueuePoint End = Queue->last();
      if (!End.reached())
        Out.push_back(std::move(End));
    }
}

std::vector<QueuePoint> CpuStreamGroup::ends() {
  MutexLock Guard(Lock);
  std::vector<QueuePoint> Out;
  addEnds(Legacy, Out);
  addEnds(Blocking, Out);
  addEnds(NonBlocking, Out);
  return Out;
}

CpuStream::CpuStream(std::shared_ptr<CpuStreamGroup> TheGroup, int Device,
                     StreamKind Kind)
    : Group(std::move(TheGroup)), Device(Device), Kind(Kind) {
  MutexLock Guard(Group->Lock);
  siblings().push_back(Queue);
}

CpuStream::~CpuStream() {
  Queue->stop();
  MutexLock Guard(Group->Lock);
  std::erase_if(siblings(), [&](const std::weak_ptr<CpuQueue> &Weak) {
    std::shared_ptr<CpuQueue> Other = Weak.lock();
    return !Other || Other == Queue;
  });
}

std::vector<std::weak_ptr<CpuQueue>> &CpuStream::siblings() {
  switch (Kind) {
  case StreamKind::LegacyDefault:
    return Group->Legacy;
  case StreamKind::NonBlocking:
    return Group->NonBlocking;
  default:
    return Group->Blocking;
  }
}

QueuePoint CpuStream::push(std::function<void()> Task,
                           std::vector<QueuePoint> After) {
  if (Kind == StreamKind::NonBlocking)
    return Queue->push(std::move(After), std::move(Task));
  MutexLock Guard(Group->Lock);
  addEnds(Kind == StreamKind::LegacyDefault ? Group->Blocking : Group->Legacy,
          After);
  return Queue->push(std::move(After), std::move(Task));
}

QueuePoint CpuStream::pushWork(std::function<cudaError_t()> Work,
                               std::vector<QueuePoint> After) {
  return push(
      [Error = Group->Error, Work = std::move(Work)] {
        if (*Error != cudaSuccess)
          return;
        cudaError_t None = cudaSuccess;
        if (const cudaError_t Failure = Work())
          Error->compare_exchange_strong(None, Failure);
      },
      std::move(After));
}

QueuePoint CpuStream::end() {
  // The legacy stream's end includes the blocking streams.
  return Kind == StreamKind::LegacyDefault ? push([] {}) : Queue->last();
}

bool CpuStream::idle() {
  if (!Queue->last().reached())
    return false;
  if (Kind != StreamKind::LegacyDefault)
    return true;
  MutexLock Guard(Group->Lock);
  std::vector<QueuePoint> Busy;
  addEnds(Group->Blocking, Busy);
  return Busy.empty();
}

void CpuEvent::record(CpuStream &S) {
  if (Signal) {
    const uint64_t Step = Signal->announce();
    S.push([Signal = Signal, Step] { Signal->finish(Step); });
    return;
  }
  auto New = std::make_shared<Recording>();
  // The stream may run the task before push returns, but nobody reads the
  // recording before it is stored below.
  New->Point = S.push([New] { New->Time = std::chrono::steady_clock::now(); });
  MutexLock Guard(Lock);
  Last = std::move(New);
}

std::shared_ptr<CpuEvent::Recording> CpuEvent::last() const {
  MutexLock Guard(Lock);
  return Last;
}

/// Returns the point of the last recording; a null queue if there is none.
QueuePoint CpuEvent::point() const {
  std::shared_ptr<Recording> R = last();
  return R ? R->Point : QueuePoint();
}

void CpuEvent::holdBack(CpuStream &S) const {
  if (Signal) {
    const uint64_t Step = Signal->last();
    if (!Signal->isDone(Step))
      S.push([Signal = Signal, Step] { Signal->wait(Step); });
    return;
  }
  QueuePoint Point = point();
  if (!Point.reached())
    S.push([] {}, {std::move(Point)});
}

void CpuEvent::wait() const {
  if (Signal)
    Signal->wait(Signal->last());
  else
    point().wait();
}

bool CpuEvent::reached() const {
  return Signal ? Signal->isDone(Signal->last()) : point().reached();
}

cudaError_t CpuEvent::elapsedSince(const CpuEvent &From, float &Ms) const {
  std::shared_ptr<Recording> Begin = From.last(), End = last();
  if (!Begin || !End || ((From.Flags | Flags) & cudaEventDisableTiming))
    return cudaErrorInvalidResourceHandle;
  if (!Begin->Point.reached() || !End->Point.reached())
    return cudaErrorNotReady;
  Ms =
      std::chrono::duration<float, std::milli>(End->Time - Begin->Time).count();
  return cudaSuccess;
}

} // namespace gridspan
