//===- BlockScheduler.cpp - Threads that wait for each other --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Order: threads go on in the order in which they became able to, at first in
// that of their numbers; so a run is the same every time. The thread that
// completes an operation goes on at once, the others in the next round.
//
// Blocks run one after the other, or all at once in a cooperative launch. If
// all threads in flight only yield, they may wait for a block that has not
// begun, as blocks that are resident at once on a GPU may: then the next one
// begins too.
//
// Lanes of a warp that name different lanes in one operation (__ballot_sync of
// the lower lanes) are undefined in CUDA. GPUs run them as one where the lanes
// are together. Here they wait until nothing else can go on; then each gets
// what the lanes it names contributed.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/BlockScheduler.h"
#include "runtime/backend/cpu/AccessRecorder.h"
#include <algorithm>
#include <bit>
#include <cassert>
#include <fmt/format.h>
#include <sched.h>

using namespace gridspan;

//===--- A block --------------------------------------------------------===//

ScheduledBlock::ScheduledBlock(LaunchState &Launch, FiberPool &Pool)
    : Launch(Launch), Pool(Pool) {
  HasMemory = State.allocate(Launch);
  State.Scheduled = this;
  Threads.resize(Launch.NumThreads);
}

ScheduledBlock::~ScheduledBlock() {
  for (DeviceThread &T : Threads)
    if (T.Stack)
      Pool.release(T.Stack);
}

bool ScheduledBlock::start(uint64_t Number) {
  if (!HasMemory)
    return false;
  State.setBlock(Number);
  Live = Threads.size();
  Running.assign((Threads.size() + WarpSize - 1) / WarpSize, 0);
  Barriers = {};
  Ready.clear();
  for (uint32_t I = 0, E = Threads.size(); I != E; ++I) {
    DeviceThread &T = Threads[I];
    if (!T.Stack && !(T.Stack = Pool.acquire()))
      return false;
    T.Block = this;
    T.Linear = I;
    T.NumRequests = 0;
    T.Stack->setJob(runThread, &T);
    makeReady(T);
  }
  return true;
}

void ScheduledBlock::runThread(void *Data) {
  auto &T = *static_cast<DeviceThread *>(Data);
  ScheduledBlock &Block = *T.Block;
  const dim3 &Dim = Block.Launch.Launch.Block;
  const uint32_t X = T.Linear % Dim.x, Y = T.Linear / Dim.x % Dim.y,
                 Z = T.Linear / Dim.x / Dim.y;
  const GridspanCpuThreads One = {X, Y, Z, X + 1, Y + 1, Z + 1};
  Block.Launch.Run(&Block.State.Abi, Block.Launch.Args.data(), &One);
  T.State = DeviceThread::Status::Ended;
}

void ScheduledBlock::endThread() {
  Current->State = DeviceThread::Status::Ended;
  Current->Stack->suspend();
  std::abort(); // a thread that has ended is never resumed
}

void ScheduledBlock::makeReady(DeviceThread &T) {
  T.State = DeviceThread::Status::Ready;
  ++Running[warpOf(T.Linear)];
  Ready.push_back(T.Linear);
}

void ScheduledBlock::stopRunning(DeviceThread &T) {
  const unsigned Warp = warpOf(T.Linear);
  if (--Running[Warp] == 0)
    resolveActiveMasks(Warp);
}

bool ScheduledBlock::runRound() {
  Progress = false;
  Round.clear();
  std::swap(Round, Ready);
  for (uint32_t Linear : Round) {
    DeviceThread &T = Threads[Linear];
    Current = &T;
    T.Yielded = false;
    Launch.Running = &State;
    T.Stack->resume();
    Launch.Running = nullptr;
    if (Launch.Error != cudaSuccess)
      return true;
    if (!T.Yielded)
      Progress = true;
    if (T.State == DeviceThread::Status::Ended) {
      --Live;
      stopRunning(T);
      retryWarp(warpOf(Linear));
      completeBarriers();
    }
  }
  return Progress;
}

void ScheduledBlock::yield() {
  DeviceThread &T = *Current;
  T.Yielded = true;
  // A lane that spins is not active for lanes that ask for the active ones.
  stopRunning(T);
  makeReady(T);
  T.Stack->suspend();
}

//===--- Barriers -------------------------------------------------------===//

bool ScheduledBlock::isComplete(const Barrier &B) const {
  return B.Arrived != 0 && B.Arrived >= (B.Count ? B.Count : Live);
}

uint64_t ScheduledBlock::complete(Barrier &B) {
  const uint64_t Result = B.Reduction == BarrierReduction::Count ? B.Ones
                          : B.Reduction == BarrierReduction::And
                              ? B.Ones == B.Arrived
                              : B.Ones != 0;
  std::vector<uint32_t> Waiting = std::move(B.Waiting);
  B = {};
  for (uint32_t Linear : Waiting) {
    Threads[Linear].Result = Result;
    makeReady(Threads[Linear]);
  }
  Waiting.clear();
  B.Waiting = std::move(Waiting); // keeps its memory
  Progress = true;
  return Result;
}

void ScheduledBlock::completeBarriers() {
  for (Barrier &B : Barriers)
    if (isComplete(B))
      complete(B);
}

uint64_t ScheduledBlock::barrier(uint32_t Id, uint32_t Count,
                                 BarrierReduction Reduction, uint32_t Value) {
  Barrier &B = Barriers[Id % NumBarriers];
  DeviceThread &T = *Current;
  ++B.Arrived;
  B.Count = Count;
  B.Reduction = Reduction;
  B.Ones += Value != 0;
  if (isComplete(B))
    return complete(B);
  B.Waiting.push_back(T.Linear);
  T.State = DeviceThread::Status::AtBarrier;
  stopRunning(T);
  T.Stack->suspend();
  return T.Result;
}

void ScheduledBlock::arrive(uint32_t Id, uint32_t Count) {
  Barrier &B = Barriers[Id % NumBarriers];
  ++B.Arrived;
  B.Count = Count;
  if (isComplete(B))
    complete(B);
}

//===--- Warp operations ------------------------------------------------===//

/// Completes the operation that T waits in, if all its lanes wait in it.
bool ScheduledBlock::tryWarpOp(DeviceThread &T) {
  const uint32_t First = warpOf(T.Linear) * WarpSize;
  LaneRequests Requests = {};
  // From the last lane, which mostly runs last: the first one that is missing
  // ends it.
  for (uint32_t Rest = T.Request.Mask; Rest;) {
    const unsigned Lane = WarpSize - 1 - std::countl_zero(Rest);
    Rest &= ~(1u << Lane);
    if (First + Lane >= Threads.size())
      continue;
    DeviceThread &Other = Threads[First + Lane];
    if (Other.State == DeviceThread::Status::Ended)
      continue;
    if (Other.State != DeviceThread::Status::InWarpOp ||
        !Other.Request.matches(T.Request))
      return false;
    Requests[Lane] = &Other.Request;
  }
  // A lane outside its own mask is undefined in CUDA; here it takes part.
  Requests[T.Linear % WarpSize] = &T.Request;
  const LaneResults Results = evaluateWarpOp(Requests);
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
    if (Requests[Lane]) {
      Threads[First + Lane].Result = Results[Lane];
      makeReady(Threads[First + Lane]);
    }
  Progress = true;
  return true;
}

uint64_t ScheduledBlock::warpOp(const LaneRequest &Request) {
  DeviceThread &T = *Current;
  T.Request = Request;
  ++T.NumRequests;
  T.State = DeviceThread::Status::InWarpOp;
  if (Request.Op != WarpOp::ActiveMask && tryWarpOp(T)) {
    // This lane goes on without a switch.
    Ready.erase(std::find(Ready.rbegin(), Ready.rend(), T.Linear).base() - 1);
    --Running[warpOf(T.Linear)];
    T.State = DeviceThread::Status::Ready;
    return T.Result;
  }
  stopRunning(T);
  T.Stack->suspend();
  return T.Result;
}

/// Completes operations that waited only for a lane that has ended.
void ScheduledBlock::retryWarp(unsigned Warp) {
  const uint32_t First = Warp * WarpSize;
  const uint32_t End = std::min<uint32_t>(First + WarpSize, Threads.size());
  for (uint32_t I = First; I != End; ++I)
    if (Threads[I].State == DeviceThread::Status::InWarpOp &&
        Threads[I].Request.Op != WarpOp::ActiveMask)
      tryWarpOp(Threads[I]);
}

/// Answers the lanes that ask for the active ones: those that ask at the same
/// place. Precondition: no lane of the warp runs.
void ScheduledBlock::resolveActiveMasks(unsigned Warp) {
  assert(Running[Warp] == 0);
  const uint32_t First = Warp * WarpSize;
  const uint32_t End = std::min<uint32_t>(First + WarpSize, Threads.size());
  for (uint32_t I = First; I != End; ++I) {
    DeviceThread &T = Threads[I];
    if (T.State != DeviceThread::Status::InWarpOp ||
        T.Request.Op != WarpOp::ActiveMask)
      continue;
    LaneRequests Requests = {};
    for (uint32_t J = I; J != End; ++J)
      if (Threads[J].State == DeviceThread::Status::InWarpOp &&
          Threads[J].Request.matches(T.Request))
        Requests[J - First] = &Threads[J].Request;
    const LaneResults Results = evaluateWarpOp(Requests);
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
      if (Requests[Lane]) {
        Threads[First + Lane].Result = Results[Lane];
        makeReady(Threads[First + Lane]);
      }
    Progress = true;
  }
}

/// Finds what the lanes that T names contributed to its operation, under
/// whatever mask: those that wait in it, and those that are through with it.
/// Returns false if one has come another way.
bool ScheduledBlock::gatherAlike(const DeviceThread &T,
                                 LaneRequests &Requests) const {
  const uint32_t First = warpOf(T.Linear) * WarpSize;
  for (uint32_t Rest = T.Request.Mask; Rest; Rest &= Rest - 1) {
    const unsigned Lane = std::countr_zero(Rest);
    if (First + Lane >= Threads.size())
      continue;
    const DeviceThread &Other = Threads[First + Lane];
    const bool IsAlike =
        Other.NumRequests == T.NumRequests && Other.Request.isAlike(T.Request);
    if (IsAlike)
      Requests[Lane] = &Other.Request;
    else if (Other.State != DeviceThread::Status::Ended)
      return false;
  }
  Requests[T.Linear % WarpSize] = &T.Request;
  return true;
}

bool ScheduledBlock::completeUnequalMasks() {
  std::vector<DeviceThread *> Completed;
  for (DeviceThread &T : Threads) {
    // Products write what other lanes may have left behind.
    if (T.State != DeviceThread::Status::InWarpOp ||
        T.Request.Op == WarpOp::Multiply)
      continue;
    LaneRequests Requests = {};
    if (!gatherAlike(T, Requests))
      continue;
    T.Result = evaluateWarpOp(Requests)[T.Linear % WarpSize];
    Completed.push_back(&T);
  }
  for (DeviceThread *T : Completed)
    makeReady(*T);
  return !Completed.empty();
}

std::string ScheduledBlock::describeWaiting() const {
  uint32_t AtBarrier = 0, InWarpOp = 0;
  for (const DeviceThread &T : Threads) {
    AtBarrier += T.State == DeviceThread::Status::AtBarrier;
    InWarpOp += T.State == DeviceThread::Status::InWarpOp;
  }
  return fmt::format(
      "block ({}, {}, {}): {} threads at a barrier, {} in a warp operation, {} "
      "have ended",
      State.Abi.BlockIdxX, State.Abi.BlockIdxY, State.Abi.BlockIdxZ, AtBarrier,
      InWarpOp, Threads.size() - Live);
}

//===--- A launch -------------------------------------------------------===//

bool BlockScheduler::hasNext() {
  while (true) {
    while (!Taken.empty() && !Launch.Launch.isOfPart(Taken.Begin))
      ++Taken.Begin;
    if (!Taken.empty())
      break;
    Taken = Launch.Blocks.take();
    if (Taken.empty())
      return false;
  }
  if (!Launch.Blocks.isWanted(Taken.Begin))
    Taken = {};
  return !Taken.empty();
}

bool BlockScheduler::admit() {
  std::unique_ptr<ScheduledBlock> Block;
  if (Idle.empty()) {
    Block = std::make_unique<ScheduledBlock>(Launch, FiberPool::get());
  } else {
    Block = std::move(Idle.back());
    Idle.pop_back();
  }
  if (!Block->start(Taken.Begin))
    return false;
  if (InFlight.empty())
    Launch.OutputBlock = Taken.Begin;
  ++Taken.Begin;
  InFlight.push_back(std::move(Block));
  return true;
}

bool BlockScheduler::runRound() {
  bool Progress = false;
  for (size_t I = 0; I < InFlight.size();) {
    Progress |= InFlight[I]->runRound();
    if (Launch.Error != cudaSuccess)
      return true;
    if (!InFlight[I]->ended()) {
      ++I;
      continue;
    }
    if (Launch.Recorder)
      Launch.Recorder->endBlock(InFlight[I]->state().Abi);
    Idle.push_back(std::move(InFlight[I]));
    InFlight.erase(InFlight.begin() + I);
    if (InFlight.empty() && Launch.Blocks.isShared())
      Launch.passOutput();
  }
  return Progress;
}

void BlockScheduler::reportDeadlock() {
  Launch.fail(cudaErrorLaunchTimeout,
              fmt::format("{}: threads wait for each other forever; {}",
                          Launch.Launch.Kernel->Name,
                          InFlight.front()->describeWaiting()));
}

void BlockScheduler::run() {
  runBlocks();
  if (Launch.Error != cudaSuccess)
    Launch.noteFailed(InFlight.empty() ? Taken.Begin
                                       : InFlight.front()->state().Number);
}

void BlockScheduler::runBlocks() {
  // Turns of a loop that waits are rounds without progress, but for one that
  // has a barrier: there only the number of rounds tells.
  constexpr unsigned Patience = 16, ManyRounds = 1024;
  const bool Spins = Launch.Launch.Code->Flags & GridspanCpuSpins;
  const bool Cooperative = Launch.Launch.Cooperative;
  unsigned Starved = 0, Rounds = 0;
  while (Launch.Error == cudaSuccess) {
    // Blocks in flight may wait for one that another thread does not run any
    // more.
    if (Spins && Launch.Blocks.hasFailed())
      return;
    const bool MayAdmit =
        InFlight.empty() || Cooperative ||
        (Spins && (Starved >= Patience || Rounds >= ManyRounds));
    if (MayAdmit && hasNext()) {
      Starved = Rounds = 0;
      const bool Admitted = admit();
      if (!Admitted && (Cooperative || InFlight.empty()))
        return Launch.fail(
            cudaErrorCooperativeLaunchTooLarge,
            fmt::format("{}: no memory for the stacks of all threads",
                        Launch.Launch.Kernel->Name));
      if (Admitted && Cooperative)
        continue;
    }
    if (InFlight.empty())
      return;
    if (std::none_of(InFlight.begin(), InFlight.end(),
                     [](const auto &B) { return B->canRun(); }) &&
        std::none_of(InFlight.begin(), InFlight.end(),
                     [](const auto &B) { return B->completeUnequalMasks(); }))
      return reportDeadlock();
    const size_t Before = InFlight.size();
    const bool Progress = runRound();
    Rounds = InFlight.size() < Before ? 0 : Rounds + 1;
    if (Progress)
      Starved = 0;
    else if (++Starved % Patience == 0)
      sched_yield(); // they may wait for another host thread
  }
}
