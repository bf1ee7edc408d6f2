//===- KernelRunner.cpp - Runs the blocks of a launch ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of the device share the blocks, and each has a LaunchState of its
// own. The launch fails with the error of the earliest block that failed:
// blocks are handed out in ascending order, and those before it run to their
// end.
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
#include "runtime/backend/cpu/LaunchBlocks.h"
#include "runtime/support/WorkerPool.h"
#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdio>
#include <fmt/format.h>

using namespace gridspan;

/// The sample counts the blocks of the program's launch.
bool CpuLaunch::isOfPart(uint64_t Block) const {
  if (Part == BlockPart::All)
    return true;
  const uint64_t X = Block % Grid.x + Tile.Origin[0];
  const uint64_t Y = Block / Grid.x % Grid.y + Tile.Origin[1];
  const uint64_t Z = Block / Grid.x / Grid.y + Tile.Origin[2];
  const uint64_t Number = X + Tile.Grid[0] * (Y + Tile.Grid[1] * Z);
  return Sample.contains(Number) == (Part == BlockPart::Sample);
}

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
  State.StackHi = static_cast<const char *>(__builtin_frame_address(0));
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

static void runLoops(LaunchState &State) {
  const dim3 &Dim = State.Launch.Block;
  const GridspanCpuThreads All = {0, 0, 0, Dim.x, Dim.y, Dim.z};
  BlockState Block;
  while (true) {
    const LaunchBlocks::Range Taken = State.Blocks.take();
    if (Taken.empty())
      return;
    if (!Block.Launch && !Block.allocate(State))
      return State.noteFailed(Taken.Begin);
    for (uint64_t Number = Taken.Begin;
         Number != Taken.End && State.Blocks.isWanted(Number); ++Number) {
      if (!State.Launch.isOfPart(Number))
        continue;
      Block.setBlock(Number);
      State.OutputBlock = Number;
      if (!(State.Checker || State.Last ? runThreadsApart(State, Block)
                                        : runThreads(State, Block, All)))
        return State.noteFailed(Number);
      if (State.Recorder)
        State.Recorder->endBlock(Block.Abi);
      if (State.Blocks.isShared())
        State.passOutput();
    }
  }
}

static void prepare(LaunchState &State, void *Run) {
  const CpuLaunch &L = State.Launch;
  State.Args = unpackArguments(L);
  State.NumThreads = L.Block.x * L.Block.y * L.Block.z;
  State.Run = reinterpret_cast<GridspanCpuRunFn>(Run);
}

static bool needsFibers(const LaunchState &State) {
  const GridspanCpuKernel &Code = *State.Launch.Code;
  if (!(Code.Flags & GridspanCpuNeedsFibers))
    return false;
  return !(Code.Flags & GridspanCpuHasRegions) ||
         State.Run != reinterpret_cast<GridspanCpuRunFn>(Code.Run);
}

/// Runs blocks on the calling thread until all are taken.
static void run(LaunchState &State) {
  const FaultScope Faults(State);
  if (needsFibers(State))
    BlockScheduler(State).run();
  else
    runLoops(State);
  State.passOutput();
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
  LaunchBlocks Blocks(Fault.Block, Fault.Block + 1, 1);
  LaunchState State(L, Blocks);
  prepare(State, L.Code->RunTraced);
  State.Last = &Last;
  run(State);
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
      Memory ? ": " + Memory->describe(reinterpret_cast<const void *>(At),
                                       Again.Access ? Again.Access->Bytes : 1)
             : "";
  if (Again.Access)
    return fmt::format("{} {}{}", Who, accessText(L, *Again.Access), What);
  return fmt::format("{} accesses {:#x}{}", Who, At, What);
}

namespace {

/// A launch on the threads of its device.
class SharedLaunch {
public:
  explicit SharedLaunch(const CpuLaunch &L);
  cudaError_t run();
  /// Returns true if the blocks' accesses are noted or checked.
  bool isWatched() const { return Recorder || Checker || L.Reach; }

private:
  static uint64_t numBlocks(const CpuLaunch &L) {
    return uint64_t(L.Grid.x) * L.Grid.y * L.Grid.z;
  }
  static unsigned numThreads(const CpuLaunch &L, bool Alone);
  void runShare();

  const CpuLaunch &L;
  const std::unique_ptr<AccessRecorder> Recorder;
  const std::unique_ptr<AccessChecker> Checker;
  const unsigned NumThreads;
  LaunchBlocks Blocks;
  Mutex Lock;
  /// The earliest block's; the message is empty where there is none.
  std::optional<DeviceFault> Fault GUARDED_BY(Lock);
  cudaError_t Error GUARDED_BY(Lock) = cudaSuccess;
  uint64_t FailedBlock GUARDED_BY(Lock) = 0;
  std::string Message GUARDED_BY(Lock);
};

} // namespace

SharedLaunch::SharedLaunch(const CpuLaunch &L)
    : L(L), Recorder(AccessRecorder::create(L)),
      Checker(AccessChecker::create(L)),
      NumThreads(numThreads(L, Recorder || Checker)),
      Blocks(0, numBlocks(L), NumThreads) {}

/// Traces and messages of checks are in the order of blocks. Blocks that are
/// all in flight at once are on one thread, which sees when they wait forever.
unsigned SharedLaunch::numThreads(const CpuLaunch &L, bool Alone) {
  if (Alone || L.Cooperative || !L.Workers)
    return 1;
  return std::min<uint64_t>(L.Workers->size(), numBlocks(L));
}

/// Runs blocks on the calling thread until all are taken.
void SharedLaunch::runShare() {
  const GridspanCpuKernel &Code = *L.Code;
  LaunchState State(L, Blocks);
  prepare(State, Code.RunTraced && isWatched() ? Code.RunTraced : Code.Run);
  State.Recorder = Recorder.get();
  State.Checker = Checker.get();
  ::run(State);
  if (State.Error == cudaSuccess)
    return;
  MutexLock Guard(Lock);
  if (Error != cudaSuccess && FailedBlock < State.FailedBlock)
    return;
  Error = State.Error;
  FailedBlock = State.FailedBlock;
  Fault = State.Fault;
  Message = std::move(State.Message);
}

cudaError_t SharedLaunch::run() {
  if (NumThreads == 1)
    runShare();
  else
    L.Workers->run(NumThreads, [this] { runShare(); });
  Blocks.flush();
  MutexLock Guard(Lock);
  if (Fault)
    Message = faultText(L, *Fault);
  if (Error != cudaSuccess)
    std::fprintf(stderr, "%s\n", Message.c_str());
  return Error == cudaSuccess && Checker ? Checker->error() : Error;
}

cudaError_t gridspan::runKernel(const CpuLaunch &L) {
  assert(L.Kernel && L.Code && L.Code->Run && "a kernel with code");
  SharedLaunch Whole(L);
  if (!L.Sample.Kernel || Whole.isWatched())
    return Whole.run();
  CpuLaunch Part = L;
  Part.Part = BlockPart::Sample;
  if (const cudaError_t Error = SharedLaunch(Part).run())
    return Error;
  Part.Part = BlockPart::Rest;
  Part.Kernel = L.Sample.Kernel;
  Part.Code = L.Sample.Code;
  return SharedLaunch(Part).run();
}

//===--- Which code -----------------------------------------------------===//

/// The levels are those that code may use (x86-64 psABI, "Micro-Architecture
/// Levels"). That the system saves the wide registers is part of the question.
static VectorLevel supportedVectors() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("x86-64-v4"))
    return VectorLevel::Avx512;
  if (__builtin_cpu_supports("x86-64-v3"))
    return VectorLevel::Avx2;
#endif
  return VectorLevel::Program;
}

static std::atomic<VectorLevel> &vectors() {
  static std::atomic<VectorLevel> Used{supportedVectors()};
  return Used;
}

void gridspan::allowVectors(VectorLevel Most) {
  vectors().store(std::min(Most, supportedVectors()),
                  std::memory_order_relaxed);
}

VectorLevel gridspan::usedVectors() {
  return vectors().load(std::memory_order_relaxed);
}
