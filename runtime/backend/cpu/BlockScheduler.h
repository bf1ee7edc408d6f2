//===- BlockScheduler.h - Threads that wait for each other ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the threads of blocks as fibers on the calling thread, in rounds over
// the threads that can go on, and completes their barriers and warp operations.
// A thread that ends counts as arrived everywhere. When no thread can go on and
// not all have ended, they never will, which is reported as an error.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_BLOCKSCHEDULER_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_BLOCKSCHEDULER_H

#include "runtime/backend/cpu/BlockState.h"
#include "runtime/backend/cpu/Fiber.h"
#include "runtime/backend/cpu/LaunchBlocks.h"
#include "runtime/backend/cpu/WarpOps.h"
#include <array>
#include <deque>

namespace gridspan {

/// A thread of a device.
struct DeviceThread {
  enum class Status : uint8_t { Ready, AtBarrier, InWarpOp, Ended };

  ScheduledBlock *Block = nullptr;
  Fiber *Stack = nullptr;
  uint32_t Linear = 0;
  Status State = Status::Ready;
  bool Yielded = false; ///< gave way without waiting for anything
  LaneRequest Request;
  uint32_t NumRequests = 0; ///< in this block
  uint64_t Result = 0;      ///< of the operation that it last waited for
};

/// A block in flight.
class ScheduledBlock {
public:
  ScheduledBlock(LaunchState &Launch, FiberPool &Pool);
  ~ScheduledBlock();

  /// Starts the threads of the block with this number. Returns false if there
  /// is no memory for them.
  bool start(uint64_t Number);
  bool ended() const { return Live == 0; }
  /// Resumes each thread that can go on once. Returns true if one did more than
  /// yield.
  bool runRound();
  /// Returns true if some thread can go on.
  bool canRun() const { return !Ready.empty(); }
  /// Completes operations of warps whose lanes name different lanes. Returns
  /// true if there was one. Precondition: no thread can go on.
  bool completeUnequalMasks();
  /// Describes the operations that the threads wait for.
  std::string describeWaiting() const;

  BlockState &state() { return State; }
  DeviceThread &current() { return *Current; }

  // Precondition of these: they are called on the current thread's fiber.
  uint64_t barrier(uint32_t Id, uint32_t Count, BarrierReduction Reduction,
                   uint32_t Value);
  void arrive(uint32_t Id, uint32_t Count);
  uint64_t warpOp(const LaneRequest &Request);
  void yield();
  [[noreturn]] void endThread();

private:
  struct Barrier {
    uint32_t Arrived = 0;
    uint32_t Count = 0; ///< 0: all threads of the block
    uint32_t Sum = 0, Ones = 0;
    BarrierReduction Reduction = BarrierReduction::Count;
    std::vector<uint32_t> Waiting;
  };
  static constexpr unsigned NumBarriers = ClusterBarrier + 1;

  static void runThread(void *Thread);
  unsigned warpOf(uint32_t Linear) const { return Linear / WarpSize; }
  void makeReady(DeviceThread &T);
  void stopRunning(DeviceThread &T);
  bool isComplete(const Barrier &B) const;
  /// Makes the waiting threads ready; returns the reduction's result.
  uint64_t complete(Barrier &B);
  void completeBarriers();
  bool tryWarpOp(DeviceThread &T);
  void resolveActiveMasks(unsigned Warp);
  void retryWarp(unsigned Warp);
  bool gatherAlike(const DeviceThread &T, LaneRequests &Requests) const;

  LaunchState &Launch;
  FiberPool &Pool;
  BlockState State;
  std::vector<DeviceThread> Threads;
  std::vector<uint32_t> Ready, Round; ///< linear numbers
  std::vector<uint32_t> Running;      ///< lanes of each warp that do not wait
  std::array<Barrier, NumBarriers> Barriers;
  DeviceThread *Current = nullptr;
  uint32_t Live = 0;
  bool Progress = false;
  bool HasMemory = false; ///< for shared variables
};

/// Runs blocks of a launch until all are taken.
class BlockScheduler {
public:
  explicit BlockScheduler(LaunchState &Launch) : Launch(Launch) {}
  void run();

private:
  /// Returns true if there is a block that has not begun.
  bool hasNext();
  bool admit();
  void runBlocks();
  bool runRound();
  void reportDeadlock();

  LaunchState &Launch;
  std::deque<std::unique_ptr<ScheduledBlock>> InFlight;
  std::vector<std::unique_ptr<ScheduledBlock>> Idle;
  LaunchBlocks::Range Taken; ///< blocks that have not begun
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_BLOCKSCHEDULER_H
