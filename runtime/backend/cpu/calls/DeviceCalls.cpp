//===- DeviceCalls.cpp - Functions that lowered device code calls ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C functions behind the calls that passes/cpu emits, except arithmetic
// (DeviceMath.cpp). All but the last few get the block first. A call of
// __gridspan_cpu_<name> gets to __gridspan_own_cpu_<name> of the runtime that
// runs the block (include/gridspan/RuntimeCalls.def).
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/AccessCheck.h"
#include "runtime/backend/cpu/AccessRecorder.h"
#include "runtime/backend/cpu/BlockScheduler.h"
#include "runtime/backend/cpu/BlockState.h"
#include "runtime/backend/cpu/KernelFaults.h"
#include "runtime/backend/cpu/KernelRunner.h"
#include "runtime/backend/cpu/ReachMap.h"
#include "runtime/backend/cpu/calls/DevicePrintf.h"
#include <cassert>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <pthread.h>

using namespace gridspan;

#define GRIDSPAN_DEVICE_CALL extern "C" __attribute__((visibility("hidden")))

/// Returns the block's scheduler. Precondition: threads are fibers, as code
/// that waits is never run in a loop.
static ScheduledBlock &scheduled(const GridspanCpuBlock *B) {
  ScheduledBlock *Scheduled = BlockState::of(B).Scheduled;
  assert(Scheduled && "the thread is no fiber");
  return *Scheduled;
}

// The frames above are device code and C functions without anything to destroy.
void gridspan::leaveThread(const GridspanCpuBlock *B) {
  BlockState &State = BlockState::of(B);
  if (State.Scheduled)
    State.Scheduled->endThread();
  std::longjmp(State.Launch->Failed, 1);
}

void gridspan::failThread(const GridspanCpuBlock *B, cudaError_t Error,
                          const char *Deed) {
  LaunchState &Launch = *BlockState::of(B).Launch;
  const GridspanTile &Tile = Launch.Launch.Tile;
  Launch.fail(Error,
              fmt::format("gridspan: {}: a thread of block ({}, {}, {}) {}",
                          Launch.Launch.Kernel->Name,
                          B->BlockIdxX + Tile.Origin[0],
                          B->BlockIdxY + Tile.Origin[1],
                          B->BlockIdxZ + Tile.Origin[2], Deed));
  leaveThread(B);
}

//===--- Barriers and warp operations -----------------------------------===//

GRIDSPAN_DEVICE_CALL void __gridspan_own_cpu_barrier(const GridspanCpuBlock *B,
                                                     uint32_t Id,
                                                     uint32_t Count) {
  scheduled(B).barrier(Id, Count, BarrierReduction::Count, 0);
}

GRIDSPAN_DEVICE_CALL uint32_t
__gridspan_own_cpu_barrier_reduce(const GridspanCpuBlock *B, uint32_t Id,
                                  uint32_t Reduction, uint32_t Value) {
  return scheduled(B).barrier(Id, 0, BarrierReduction(Reduction), Value);
}

GRIDSPAN_DEVICE_CALL void
__gridspan_own_cpu_barrier_arrive(const GridspanCpuBlock *B, uint32_t Id,
                                  uint32_t Count) {
  scheduled(B).arrive(Id, Count);
}

static uint64_t warpOp(const GridspanCpuBlock *B, WarpOp Op, uint32_t Code,
                       uint32_t Mask, uint64_t Value) {
  LaneRequest R;
  R.Op = Op;
  R.Code = Code;
  R.Mask = Mask;
  R.Value = Value;
  return scheduled(B).warpOp(R);
}

GRIDSPAN_DEVICE_CALL void
__gridspan_own_cpu_warp_sync(const GridspanCpuBlock *B, uint32_t Mask) {
  warpOp(B, WarpOp::Sync, 0, Mask, 0);
}

GRIDSPAN_DEVICE_CALL uint32_t
__gridspan_own_cpu_warp_vote(const GridspanCpuBlock *B, uint32_t Mask,
                             uint32_t Vote, uint32_t Predicate) {
  return warpOp(B, WarpOp::Vote, Vote, Mask, Predicate);
}

GRIDSPAN_DEVICE_CALL uint64_t __gridspan_own_cpu_warp_shuffle(
    const GridspanCpuBlock *B, uint32_t Mask, uint32_t Mode, uint32_t Value,
    uint32_t Lane, uint32_t Clamp) {
  LaneRequest R;
  R.Op = WarpOp::Shuffle;
  R.Code = Mode;
  R.Mask = Mask;
  R.Value = Value;
  R.Lane = Lane;
  R.Clamp = Clamp;
  return scheduled(B).warpOp(R);
}

GRIDSPAN_DEVICE_CALL uint64_t __gridspan_own_cpu_warp_match_any(
    const GridspanCpuBlock *B, uint32_t Mask, uint64_t Value) {
  return warpOp(B, WarpOp::MatchAny, 0, Mask, Value);
}

GRIDSPAN_DEVICE_CALL uint64_t __gridspan_own_cpu_warp_match_all(
    const GridspanCpuBlock *B, uint32_t Mask, uint64_t Value) {
  return warpOp(B, WarpOp::MatchAll, 0, Mask, Value);
}

GRIDSPAN_DEVICE_CALL uint32_t
__gridspan_own_cpu_warp_reduce(const GridspanCpuBlock *B, uint32_t Mask,
                               uint32_t Operation, uint32_t Value) {
  return warpOp(B, WarpOp::Reduce, Operation, Mask, Value);
}

GRIDSPAN_DEVICE_CALL void
__gridspan_own_cpu_warp_multiply(const GridspanCpuBlock *B, uint32_t Product,
                                 void *Fragments) {
  warpOp(B, WarpOp::Multiply, Product, ~0U,
         reinterpret_cast<uint64_t>(Fragments));
}

GRIDSPAN_DEVICE_CALL uint32_t
__gridspan_own_cpu_active_mask(const GridspanCpuBlock *B, uint32_t Site) {
  LaneRequest R;
  R.Op = WarpOp::ActiveMask;
  R.Code = Site;
  R.Site = __builtin_return_address(0);
  return scheduled(B).warpOp(R);
}

//===--- The course of a thread -----------------------------------------===//

GRIDSPAN_DEVICE_CALL void __gridspan_own_cpu_yield(const GridspanCpuBlock *B) {
  scheduled(B).yield();
}

GRIDSPAN_DEVICE_CALL void __gridspan_own_cpu_exit(const GridspanCpuBlock *B) {
  scheduled(B).endThread();
}

GRIDSPAN_DEVICE_CALL void __gridspan_own_cpu_trap(const GridspanCpuBlock *B) {
  failThread(B, cudaErrorLaunchFailure, "executed a trap");
}

GRIDSPAN_DEVICE_CALL void
__gridspan_own_cpu_assert_fail(const GridspanCpuBlock *B, uint32_t X,
                               uint32_t Y, uint32_t Z, const char *Message,
                               const char *File, uint32_t Line,
                               const char *Function) {
  LaunchState &Launch = *BlockState::of(B).Launch;
  const GridspanTile &Tile = Launch.Launch.Tile;
  Launch.fail(cudaErrorAssert,
              fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] "
                          "Assertion `{}` failed.",
                          File, Line, Function, B->BlockIdxX + Tile.Origin[0],
                          B->BlockIdxY + Tile.Origin[1],
                          B->BlockIdxZ + Tile.Origin[2], X, Y, Z, Message));
  leaveThread(B);
}

//===--- Memory ---------------------------------------------------------===//

/// Returns the lower end of the calling host thread's stack.
static const char *hostStackLo() {
  struct Bounds {
    const char *Lo = nullptr;
    Bounds() {
      pthread_attr_t Attributes;
      if (pthread_getattr_np(pthread_self(), &Attributes))
        return;
      void *Base = nullptr;
      size_t Size = 0;
      pthread_attr_getstack(&Attributes, &Base, &Size);
      pthread_attr_destroy(&Attributes);
      Lo = static_cast<const char *>(Base);
    }
  };
  static thread_local const Bounds Stack;
  return Stack.Lo;
}

static MemorySpace spaceOf(BlockState &State, const void *Address) {
  if (State.isShared(Address))
    return MemorySpace::Shared;
  if (State.isFrame(Address))
    return MemorySpace::Local;
  const auto *P = static_cast<const char *>(Address);
  if (State.Scheduled) {
    const Fiber &Stack = *State.Scheduled->current().Stack;
    if (P >= Stack.stackLo() && P < Stack.stackHi())
      return MemorySpace::Local;
  }
  // What is above device code's frames is the runtime's, as is what is beside
  // the stack.
  const char *Hi = State.Launch->StackHi;
  return P < Hi && P >= hostStackLo() ? MemorySpace::Local
                                      : MemorySpace::Global;
}

GRIDSPAN_DEVICE_CALL uint32_t __gridspan_own_cpu_memory_space(
    const GridspanCpuBlock *B, const void *Address) {
  return uint32_t(spaceOf(BlockState::of(B), Address));
}

/// Ends the thread, as a GPU does that cannot reach a peer's memory.
static void failAccess(const GridspanCpuBlock *B, const void *Address,
                       int Owner) {
  LaunchState &Launch = *BlockState::of(B).Launch;
  const GridspanTile &Tile = Launch.Launch.Tile;
  Launch.fail(
      cudaErrorIllegalAddress,
      fmt::format("gridspan: {}: block ({}, {}, {}) on device {} accessed {} "
                  "in the memory of device {}, which it cannot reach",
                  Launch.Launch.Kernel->Name, B->BlockIdxX + Tile.Origin[0],
                  B->BlockIdxY + Tile.Origin[1], B->BlockIdxZ + Tile.Origin[2],
                  Launch.Launch.Device, Address, Owner));
  leaveThread(B);
}

/// Shows Access to those who look at every access. Ends the thread if it is
/// wrong.
static void lookAt(const GridspanCpuBlock *B, const DeviceAccess &Access,
                   bool ToShared) {
  BlockState &State = BlockState::of(B);
  LaunchState &Launch = *State.Launch;
  if (Launch.Last)
    *Launch.Last = Access;
  if (!Launch.Checker)
    return;
  bool Fine;
  {
    const CalleeScope Scope;
    Fine = Launch.Checker->check(State, Access, ToShared);
  }
  if (!Fine)
    leaveThread(B);
}

static DeviceAccess makeAccess(uint32_t Thread, uint32_t Mode,
                               const void *Address, uint64_t Size) {
  DeviceAccess Out;
  Out.Thread = Thread;
  Out.Mode = Mode & ((1U << AccessAlignmentShift) - 1);
  if (const uint32_t Log = Mode >> AccessAlignmentShift)
    Out.Alignment = 1U << (Log - 1);
  Out.Address = reinterpret_cast<uintptr_t>(Address);
  Out.Bytes = Size;
  return Out;
}

GRIDSPAN_DEVICE_CALL void
__gridspan_own_cpu_access(const GridspanCpuBlock *B, uint32_t Thread,
                          uint32_t Site, uint32_t Mode, const void *Address,
                          uint64_t Size, uint64_t Iterations) {
  BlockState &State = BlockState::of(B);
  LaunchState &Launch = *State.Launch;
  const ReachMap *Reach = Launch.Launch.Reach.get();
  const bool Looks = Launch.Last || Launch.Checker;
  if (!Reach && !Launch.Recorder && !Looks)
    return;
  const MemorySpace Space = spaceOf(State, Address);
  DeviceAccess Access = makeAccess(Thread, Mode, Address, Size);
  Access.Site = Site;
  if (Looks && Space != MemorySpace::Local)
    lookAt(B, Access, Space == MemorySpace::Shared);
  if (Space != MemorySpace::Global)
    return;
  if (Reach)
    if (auto Owner = Reach->otherOwner(Launch.Launch.Device, Address, Size))
      failAccess(B, Address, *Owner);
  if (Launch.Recorder)
    Launch.Recorder->record(*B, Thread, Site, Access.Mode, Access.Address, Size,
                            Iterations);
}

/// An access to shared memory at Where in the source.
GRIDSPAN_DEVICE_CALL void
__gridspan_own_cpu_shared_access(const GridspanCpuBlock *B, uint32_t Thread,
                                 uint32_t Mode, const void *Address,
                                 uint64_t Size, const char *Where) {
  const LaunchState &Launch = *BlockState::of(B).Launch;
  if (!Launch.Last && !Launch.Checker)
    return;
  DeviceAccess Access = makeAccess(Thread, Mode, Address, Size);
  Access.Where = Where;
  lookAt(B, Access, true);
}

/// Returns the memory in which cooperative_groups has the state of a grid's
/// barrier.
GRIDSPAN_DEVICE_CALL uint64_t
__gridspan_own_cpu_grid_workspace(const GridspanCpuBlock *B) {
  LaunchState &Launch = *BlockState::of(B).Launch;
  if (!Launch.Launch.Cooperative)
    return 0;
  if (!Launch.GridWorkspace)
    Launch.GridWorkspace = std::make_unique<uint64_t[]>(64);
  return reinterpret_cast<uintptr_t>(Launch.GridWorkspace.get());
}

/// Returns the block's memory for barriers of cooperative_groups.
GRIDSPAN_DEVICE_CALL uint64_t
__gridspan_own_cpu_reserved_shared(const GridspanCpuBlock *B) {
  return reinterpret_cast<uintptr_t>(BlockState::of(B).Reserved);
}

/// Returns memory for what the threads of the block keep across barriers, until
/// the next call. Its address is a multiple of 4096.
GRIDSPAN_DEVICE_CALL char *__gridspan_own_cpu_frame(const GridspanCpuBlock *B,
                                                    uint64_t Bytes) {
  constexpr uint64_t Page = 4096;
  BlockFrame &Frame = BlockState::of(B).Frame;
  if (Bytes > Frame.Bytes) {
    const CalleeScope Scope;
    std::free(Frame.Begin);
    Frame.Bytes = (Bytes + Page - 1) / Page * Page;
    Frame.Begin = static_cast<char *>(std::aligned_alloc(Page, Frame.Bytes));
    if (!Frame.Begin)
      Frame.Bytes = 0;
  }
  if (!Frame.Begin)
    failThread(B, cudaErrorMemoryAllocation,
               "has no memory for what threads keep across barriers");
  return Frame.Begin;
}

GRIDSPAN_DEVICE_CALL void *__gridspan_own_cpu_malloc(uint64_t Bytes) {
  const CalleeScope Scope;
  void *Out = std::malloc(Bytes);
  noteDeviceHeap(Out, Bytes);
  return Out;
}

GRIDSPAN_DEVICE_CALL void __gridspan_own_cpu_free(void *Address) {
  const CalleeScope Scope;
  forgetDeviceHeap(Address);
  std::free(Address);
}

//===--- Other ----------------------------------------------------------===//

GRIDSPAN_DEVICE_CALL uint32_t __gridspan_own_cpu_printf(
    const GridspanCpuBlock *B, const char *Format, const void *Args) {
  constexpr size_t WriteAt = 64 << 10;
  LaunchState &Launch = *BlockState::of(B).Launch;
  const CalleeScope Scope;
  const int Count = formatDevicePrintf(Format, Args, Launch.Output);
  if (Launch.Output.size() >= WriteAt)
    Launch.passOutput();
  return Count;
}

GRIDSPAN_DEVICE_CALL uint64_t __gridspan_own_cpu_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Returns the VectorLevel up to which kernels are to run their codes.
GRIDSPAN_DEVICE_CALL uint32_t __gridspan_own_cpu_wide() {
  return static_cast<uint32_t>(usedVectors());
}
