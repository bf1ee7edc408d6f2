//===- RankObjects.h - Handles of devices of all ranks ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pages, streams and events of a RankBackend: either the local backend's own,
// or numbers by which another rank knows them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_RANKOBJECTS_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_RANKOBJECTS_H

#include "runtime/backend/ranks/RankBackend.h"

namespace gridspan::ranks {

/// Waits for events of a stream of rank 0, in their order: a stream that is put
/// behind them, and a thread that waits for it.
struct RankBackend::Helper {
  std::unique_ptr<Stream> S;
  std::shared_ptr<CpuQueue> Queue = std::make_shared<CpuQueue>();

  ~Helper() { Queue->stop(); }
};

/// A point in a stream of another rank, which has told so or will.
struct RankBackend::Recording {
  uint64_t Number = 0;
  int Rank = 0;
  int Device = 0;
  bool Timed = false;
  // Under RecordingLock.
  bool Reached = false;
  cudaError_t Error = cudaSuccess;
  double Milliseconds = 0;
};

class RankBackend::RankPages : public Pages {
public:
  explicit RankPages(std::unique_ptr<Pages> Own) : Own(std::move(Own)) {}
  RankPages(RankBackend &B, uint64_t Number, int Device, size_t Bytes)
      : B(&B), Number(Number), Device(Device), Size(Bytes) {}
  ~RankPages() override;

  Location location() const override { return Own ? Own->location() : Device; }
  size_t bytes() const override { return Own ? Own->bytes() : Size; }

  const std::unique_ptr<Pages> Own; ///< null: another rank's
  RankBackend *const B = nullptr;
  const uint64_t Number = 0;

private:
  const int Device = 0;
  const size_t Size = 0;
};

class RankBackend::RankStream : public Stream {
public:
  explicit RankStream(std::unique_ptr<Stream> Own) : Own(std::move(Own)) {}
  RankStream(RankBackend &B, uint64_t Number, int Device)
      : B(&B), Number(Number), Device(Device) {}
  ~RankStream() override;

  int device() const override { return Own ? Own->device() : Device; }
  cudaStream_t native() const override {
    return Own ? Own->native()
               : reinterpret_cast<cudaStream_t>(const_cast<RankStream *>(this));
  }

  const std::unique_ptr<Stream> Own; ///< null: another rank's
  RankBackend *const B = nullptr;
  const uint64_t Number = 0;

  /// Host functions run one after the other.
  std::shared_ptr<CpuQueue> Functions;

  Mutex Lock; ///< of commands, so that their order is that of their numbers
  /// For events that rank 0's own stream records.
  std::shared_ptr<Helper> Watcher GUARDED_BY(Lock);
  uint64_t Commands GUARDED_BY(Lock) = 0;
  /// Behind the first Marked commands.
  std::shared_ptr<Recording> Mark GUARDED_BY(Lock);
  uint64_t Marked GUARDED_BY(Lock) = 0;

private:
  const int Device = 0;
};

class RankBackend::RankEvent : public Event {
public:
  explicit RankEvent(std::unique_ptr<Event> Own) : Own(std::move(Own)) {}
  explicit RankEvent(unsigned Flags) : Flags(Flags) {}

  cudaEvent_t native() const override {
    return Own ? Own->native()
               : reinterpret_cast<cudaEvent_t>(const_cast<RankEvent *>(this));
  }

  std::shared_ptr<Recording> last() {
    MutexLock Guard(Lock);
    return Last;
  }

  const std::unique_ptr<Event> Own; ///< null: of a device of another rank
  const unsigned Flags = 0;
  Mutex Lock;
  std::shared_ptr<Recording> Last GUARDED_BY(Lock);
  /// Of the stream that has recorded rank 0's own event; null: not known.
  std::shared_ptr<Helper> Watcher GUARDED_BY(Lock);
};

template <typename T> void RankBackend::command(RankStream &S, const T &M) {
  MutexLock Guard(S.Lock);
  send(rankOf(S), M);
  ++S.Commands;
}

template <typename T> Reply RankBackend::ask(int Rank, T M) {
  M.To = ++LastNumber;
  send(Rank, M);
  return Tokens.wait(M.To);
}

inline cudaError_t errorOf(const Reply &R) {
  return static_cast<cudaError_t>(R.Error);
}

inline uint64_t number(const void *Address) {
  return reinterpret_cast<uint64_t>(Address);
}

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_RANKOBJECTS_H
