//===- CpuStream.h - Streams and events of CPU devices ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA's ordering rules on top of queues: an operation in the legacy default
// stream waits for all earlier work in the blocking streams of its device, and
// later work in those waits for it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_CPUSTREAM_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_CPUSTREAM_H

#include "runtime/backend/Backend.h"
#include "runtime/backend/cpu/CpuQueue.h"
#include "runtime/support/SharedSignal.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

namespace gridspan {

/// The streams of one device.
class CpuStreamGroup {
public:
  /// Error is shared by all devices: once set, all later work is skipped.
  explicit CpuStreamGroup(std::shared_ptr<std::atomic<cudaError_t>> Error)
      : Error(std::move(Error)) {}

  /// Returns the ends of all streams that have work.
  std::vector<QueuePoint> ends();

private:
  friend class CpuStream;
  const std::shared_ptr<std::atomic<cudaError_t>> Error;
  Mutex Lock; ///< held while a task and its predecessors are determined
  std::vector<std::weak_ptr<CpuQueue>> Legacy GUARDED_BY(Lock);
  std::vector<std::weak_ptr<CpuQueue>> Blocking GUARDED_BY(Lock);
  std::vector<std::weak_ptr<CpuQueue>> NonBlocking GUARDED_BY(Lock);
};

class CpuStream : public Stream {
public:
  CpuStream(std::shared_ptr<CpuStreamGroup> Group, int Device, StreamKind Kind);
  ~CpuStream() override;

  int device() const override { return Device; }
  StreamKind kind() const { return Kind; }
  cudaStream_t native() const override {
    return reinterpret_cast<cudaStream_t>(const_cast<CpuStream *>(this));
  }

  /// Appends a task in CUDA's order, behind the points of After as well.
  QueuePoint push(std::function<void()> Task,
                  std::vector<QueuePoint> After = {});
  /// Appends work that can fail and is skipped after a failure.
  QueuePoint pushWork(std::function<cudaError_t()> Work,
                      std::vector<QueuePoint> After = {});

  /// Returns the point behind everything that the stream is ordered after.
  QueuePoint end();
  /// Returns true if nothing is left to do.
  bool idle();

private:
  std::vector<std::weak_ptr<CpuQueue>> &siblings() REQUIRES(Group->Lock);

  std::shared_ptr<CpuStreamGroup> Group;
  const int Device;
  const StreamKind Kind;
  std::shared_ptr<CpuQueue> Queue = std::make_shared<CpuQueue>();
};

class CpuEvent : public Event {
public:
  /// Signal: if other processes have the event as well. A recording is a step
  /// of it then, and the last one is whoever's.
  explicit CpuEvent(unsigned Flags,
                    std::shared_ptr<SharedSignal> Signal = nullptr)
      : Flags(Flags), Signal(std::move(Signal)) {}

  cudaEvent_t native() const override {
    return reinterpret_cast<cudaEvent_t>(const_cast<CpuEvent *>(this));
  }

  const std::shared_ptr<SharedSignal> &signal() const { return Signal; }

  void record(CpuStream &S);
  /// Puts later work of S behind the last recording, if there is one.
  void holdBack(CpuStream &S) const;
  /// Blocks until the last recording is reached.
  void wait() const;
  /// Returns true if the last recording is reached, or there is none.
  bool reached() const;
  cudaError_t elapsedSince(const CpuEvent &From, float &Ms) const;

private:
  /// One recording. The stream writes the time before the point is reached.
  struct Recording {
    QueuePoint Point;
    std::chrono::steady_clock::time_point Time;
  };
  std::shared_ptr<Recording> last() const;
  QueuePoint point() const;

  const unsigned Flags;
  const std::shared_ptr<SharedSignal> Signal;
  mutable Mutex Lock;
  std::shared_ptr<Recording> Last GUARDED_BY(Lock);
};

/// Returns a stream or event of this backend as what it is.
inline CpuStream &cpu(Stream &S) { return static_cast<CpuStream &>(S); }
inline CpuEvent &cpu(Event &E) { return static_cast<CpuEvent &>(E); }

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_CPUSTREAM_H
