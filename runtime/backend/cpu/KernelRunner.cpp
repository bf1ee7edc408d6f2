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
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/KernelRunner.h"
#include "runtime/backend/cpu/AccessRecorder.h"
#include "runtime/backend/cpu/BlockScheduler.h"
#include "runtime/backend/cpu/BlockState.h"
#include <cassert>
#include <cstdio>

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

static void runLoops(LaunchState &State) {
  const dim3 &Dim = State.Launch.Block;
  const GridspanCpuThreads All = {0, 0, 0, Dim.x, Dim.y, Dim.z};
  BlockState Block;
  Block.allocate(State);
  if (setjmp(State.Failed))
    return;
  for (uint64_t Number = 0; Number != State.NumBlocks; ++Number) {
    Block.setBlock(Number);
    State.Run(&Block.Abi, State.Args.data(), &All);
    if (State.Recorder)
      State.Recorder->endBlock(Block.Abi);
  }
}

cudaError_t gridspan::runKernel(const CpuLaunch &L) {
  assert(L.Kernel && L.Code && L.Code->Run && "a kernel with code");
  const GridspanCpuKernel &Code = *L.Code;
  LaunchState State(L);
  State.Args = unpackArguments(L);
  State.NumBlocks = uint64_t(L.Grid.x) * L.Grid.y * L.Grid.z;
  State.NumThreads = L.Block.x * L.Block.y * L.Block.z;
  State.Run = reinterpret_cast<GridspanCpuRunFn>(Code.Run);
  std::unique_ptr<AccessRecorder> Recorder = AccessRecorder::create(L);
  State.Recorder = Recorder.get();
  if (Code.RunTraced && (Recorder || L.Reach))
    State.Run = reinterpret_cast<GridspanCpuRunFn>(Code.RunTraced);
  if (Code.Flags & GridspanCpuNeedsFibers)
    BlockScheduler(State).run();
  else
    runLoops(State);
  State.flushOutput();
  if (State.Error != cudaSuccess)
    std::fprintf(stderr, "%s\n", State.Message.c_str());
  return State.Error;
}
