//===- KernelRunner.cpp - Runs blocks on the calling thread ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose threads never wait is called once for all threads of a block;
// others go to the BlockScheduler. A failing thread of the former ends the
// launch by a jump out of device code, which has nothing to clean up.
//
// Code that runs at full speed does not know which thread and which access it
// is at. After a fault its block runs once more, with code that does: the
// results of the launch are lost anyway.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/KernelRunner.h"
#include "runtime/backend/MemoryLookup.h"
#include "runtime/backend/cpu/AccessCheck.h"
#include "runtime/backend/cpu/AccessRecorder.h"
#include "runtime/backend/cpu/BlockScheduler.h"
#include "runtime/backend/cpu/BlockState.h"
#include "runtime/backend/cpu/KernelFaults.h"
#include <cassert>
#include <cstdio>
#include <fmt/format.h>

using namespace gridspan;

static std::vector<void *> unpackArguments(const CpuLaunch &L) {
  std::vector<void *> Args;
  auto *Base = const_cast<std::byte *>(L.Parameters.data());
  for (uint32_t I = 0, E = L.Kernel->NumParams; I != E; ++I)
    Args.push_back(Base + L.Kernel->Params[I].Offset);
  // The last parameter of a tiled clone; other kernels do not read it.
  Args.push_back(const_cast<GridspanTile *>(&L.Tile));
  return Args;
}

/// Runs threads of Block. Returns false if one of them left it.
static bool runThreads(LaunchState &State, BlockState &Block,
                       const GridspanCpuThreads &Threads) {
  if (setjmp(State.Failed)) {
    State.Running = nullptr;
    return false;
  }
  State.Running = &Block;
  State.Run(&Block.Abi, State.Args.data(), &Threads);
  State.Running = nullptr;
  return true;
}

/// Runs the threads of Block one by one, so that one that makes a wrong access
/// keeps no other. Returns false if the launch has failed.
static bool runThreadsApart(LaunchState &State, BlockState &Block) {
  const dim3 &Dim = State.Launch.Block;
  for (uint32_t I = 0; I != State.NumThreads; ++I) {
    const uint32_t X = I % Dim.x, Y = I / Dim.x % Dim.y, Z = I / Dim.x / Dim.y;
    State.Thread = I;
    if (!runThreads(State, Block, {X, Y, Z, X + 1, Y + 1, Z + 1}) &&
        State.Error != cudaSuccess)
      return false;
  }
  return true;
}

/// Runs blocks [First, State.NumBlocks).
static void runLoops(LaunchState &State, uint64_t First) {
  const dim3 &Dim = State.Launch.Block;
  const GridspanCpuThreads All = {0, 0, 0, Dim.x, Dim.y, Dim.z};
  BlockState Block;
  Block.allocate(State);
  for (uint64_t Number = First; Number != State.NumBlocks; ++Number) {
    Block.setBlock(Number);
    if (!(State.Checker || State.Last ? runThreadsApart(State, Block)
                                      : runThreads(State, Block, All)))
      return;
    if (State.Recorder)
      State.Recorder->endBlock(Block.Abi);
  }
}

static void prepare(LaunchState &State, void *Run) {
  const CpuLaunch &L = State.Launch;
  State.Args = unpackArguments(L);
  State.NumThreads = L.Block.x * L.Block.y * L.Block.z;
  State.Run = reinterpret_cast<GridspanCpuRunFn>(Run);
}

static void run(LaunchState &State, uint64_t First) {
  const FaultScope Faults(State);
  if (State.Launch.Code->Flags & GridspanCpuNeedsFibers)
    BlockScheduler(State, First).run();
  else
    runLoops(State, First);
}

namespace {
/// A fault that has come again in code that notes accesses.
struct RepeatedFault {
  std::optional<uint32_t> Thread;
  std::optional<DeviceAccess> Access; ///< nothing if it is none that is noted
};
} // namespace

/// Runs the block once more, whose results do not matter any more.
static RepeatedFault repeat(const CpuLaunch &L, const DeviceFault &Fault) {
  RepeatedFault Out = {Fault.Thread, std::nullopt};
  // A block that may wait for others might wait forever.
  if (!L.Code->RunTraced || L.Cooperative || (L.Code->Flags & GridspanCpuSpins))
    return Out;
  DeviceAccess Last;
  LaunchState State(L);
  prepare(State, L.Code->RunTraced);
  State.NumBlocks = Fault.Block + 1;
  State.Last = &Last;
  run(State, Fault.Block);
  if (!State.Fault)
    return Out;
  Out.Thread = State.Fault->Thread;
  // The processor does not say which address is none at all.
  const auto At = reinterpret_cast<uintptr_t>(State.Fault->Address);
  if (At - Last.Address < Last.Bytes || (At == 0 && Last.Address >> 47))
    Out.Access = Last;
  return Out;
}

static std::string faultText(const CpuLaunch &L, const DeviceFault &Fault) {
  const RepeatedFault Again = repeat(L, Fault);
  const std::string Who =
      "gridspan: " + threadText(L, Fault.Block, Again.Thread);
  if (Fault.StackOverflow)
    return Who + " has used up its stack";
  const auto At = Again.Access ? Again.Access->Address
                               : reinterpret_cast<uintptr_t>(Fault.Address);
  const MemoryLookup *Memory = MemoryLookup::get();
  const std::string What =
      Memory ? ": " + Memory->describe(reinterpret_cast<const void *>(At)) : "";
  if (Again.Access)
    return fmt::format("{} {}{}", Who, accessText(L, *Again.Access), What);
  return fmt::format("{} accesses {:#x}{}", Who, At, What);
}

cudaError_t gridspan::runKernel(const CpuLaunch &L) {
  assert(L.Kernel && L.Code && L.Code->Run && "a kernel with code");
  const GridspanCpuKernel &Code = *L.Code;
  LaunchState State(L);
  prepare(State, Code.Run);
  State.NumBlocks = uint64_t(L.Grid.x) * L.Grid.y * L.Grid.z;
  const std::unique_ptr<AccessRecorder> Recorder = AccessRecorder::create(L);
  const std::unique_ptr<AccessChecker> Checker = AccessChecker::create(L);
  State.Recorder = Recorder.get();
  State.Checker = Checker.get();
  if (Code.RunTraced && (Recorder || Checker || L.Reach))
    State.Run = reinterpret_cast<GridspanCpuRunFn>(Code.RunTraced);
  run(State, 0);
  State.flushOutput();
  if (State.Fault)
    State.Message = faultText(L, *State.Fault);
  if (State.Error != cudaSuccess)
    std::fprintf(stderr, "%s\n", State.Message.c_str());
  return State.Error == cudaSuccess && Checker ? Checker->error() : State.Error;
}
