//===- MpiTransport.h - Messages over MPI -----------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread owns MPI, and nobody else calls it: it sends what others hand to it,
// and handles what arrives. It sleeps until its bell is rung, by a thread of
// this process or by a rank of this machine that has sent something. Ranks of
// other machines have no bells here, and MPI cannot be waited for: for them it
// asks again and again, less and less often when there is nothing.
//
// Rank 0 and each other rank tell each other every second that they are there.
// Who hears nothing for a while says so, and ends all ranks.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_MPITRANSPORT_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_MPITRANSPORT_H

#include "runtime/backend/mpi/MpiCalls.h"
#include "runtime/backend/ranks/Bell.h"
#include "runtime/backend/ranks/Transport.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <optional>
#include <thread>
#include <vector>

namespace gridspan::ranks {

class MpiTransport : public Transport {
public:
  /// Begins to initialize MPI.
  explicit MpiTransport(const GridspanMpiCalls &Calls);
  ~MpiTransport() override;

  /// Blocks until MPI is initialized; returns false if that failed.
  bool waitUntilReady();
  int rank() const override { return Rank; }
  int numRanks() const override { return NumRanks; }

  void start(Handler Handle) override;
  void stop() override;
  void send(int To, MessageBytes Message) override;
  void allowSpinning() override;

  /// From now on a rank that is not heard of ends all.
  void watchRanks() { Watching = true; }
  /// Sends what there is, and ends MPI together with all other ranks. Returns
  /// false if that takes too long.
  bool finish();
  /// Says Why, and ends all ranks and this process.
  [[noreturn]] void abort(const std::string &Why);

private:
  using Clock = std::chrono::steady_clock;
  struct Outgoing {
    int To;
    MessageBytes Bytes;
  };
  struct Sending {
    int To;
    void *Request;
    MessageBytes Bytes;
  };

  /// A message that is coming in.
  struct Receiving {
    int From;
    void *Request;
    MessageBytes Bytes;
  };

  void work();
  bool sendWaiting();
  bool noteSent();
  bool isDone(void *Request);
  Buffer take(int &From);
  bool receive();
  bool onlyBellsMatter() const;
  void rest(uint32_t Rings, Clock::duration Idle);
  void findBells();
  void ring(int To);
  Clock::duration pause(Clock::duration Idle) const;
  void beat(Clock::time_point Now);

  const GridspanMpiCalls &Calls;
  std::atomic<int> Rank{0}, NumRanks{0};
  std::atomic<unsigned> NumHere{0}; ///< ranks of this machine
  std::atomic<bool> Watching{false};
  Bell Private; ///< where no memory is shared
  std::atomic<unsigned> Ringers{0};

  Mutex Lock;
  std::condition_variable Changed;
  std::deque<Outgoing> Queue GUARDED_BY(Lock);
  std::shared_ptr<const Handler> Handle GUARDED_BY(Lock);
  /// Who rings it counts as a ringer before the lock is given back.
  Bell *Own GUARDED_BY(Lock) = &Private;
  bool IsReady GUARDED_BY(Lock) = false;
  bool HasFailed GUARDED_BY(Lock) = false;
  bool Finishing GUARDED_BY(Lock) = false;
  bool Finished GUARDED_BY(Lock) = false;
  bool IsHandling GUARDED_BY(Lock) = false;

  // Of the thread.
  std::vector<Bell *> Bells; ///< by rank; null: none that this rank reaches
  bool AllHaveBells = true;
  std::vector<Sending> InFlight;
  /// One at a time, so that they are handled in their order. Large ones need
  /// their sender until they are there, which may die meanwhile.
  std::optional<Receiving> Incoming;
  Bell *Ears = nullptr;
  /// A message of so many bytes is a rank's last one. One of none is a beat.
  static constexpr size_t GoodbyeBytes = 1;
  int Goodbyes = 0; ///< of other ranks
  std::deque<MessageBytes> ToItself;
  std::vector<Clock::time_point> Heard; ///< by rank
  Clock::time_point LastBeat, LastLook;

  std::thread Worker;
};

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_MPITRANSPORT_H
