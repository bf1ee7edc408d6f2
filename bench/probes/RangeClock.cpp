//===- RangeClock.cpp - Time of range functions ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked into a program in front of the runtime (bench/probes/ranges.py), with
// --wrap for the two entry points below. At the first launch of each kernel,
// times its range function on a quarter of the grid, as the planner calls it
// for a device of four, and prints
//
//   ranges NAME ACCESSES NANOSECONDS
//
// Processor time of the thread, so that other work on the machine counts
// little; the least of several batches.
//
//===----------------------------------------------------------------------===//

#include "gridspan/ABI.h"
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <set>
#include <vector>

// dim3 of cuda_runtime.h, which this file does without.
struct Dim3 {
  unsigned X, Y, Z;
};

static std::map<const void *, const GridspanKernel *> &kernels() {
  static std::map<const void *, const GridspanKernel *> Map;
  return Map;
}

static double seconds() {
  timespec T;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return double(T.tv_sec) + 1e-9 * double(T.tv_nsec);
}

static double nanosecondsOf(const GridspanKernel &Kernel,
                            const GridspanBox &Box) {
  constexpr int Batches = 7, Calls = 2000;
  std::vector<GridspanRange> Out(Kernel.NumAccesses);
  double Least = 1e9;
  for (int Batch = 0; Batch != Batches; ++Batch) {
    double Start = seconds();
    for (int Call = 0; Call != Calls; ++Call)
      Kernel.Ranges(&Box, Out.data());
    Least = std::min(Least, seconds() - Start);
  }
  return 1e9 * Least / Calls;
}

/// The second quarter along the outermost axis that has four blocks.
static GridspanBox quarterOf(Dim3 Grid, Dim3 Block, void **Args) {
  GridspanBox Box = {};
  Box.Args = Args;
  const unsigned GridDim[] = {Grid.X, Grid.Y, Grid.Z};
  const unsigned BlockDim[] = {Block.X, Block.Y, Block.Z};
  unsigned Axis = GridDim[2] >= 4 ? 2 : GridDim[1] >= 4 ? 1 : 0;
  for (unsigned I = 0; I != 3; ++I) {
    Box.GridDim[I] = Box.BlockCount[I] = GridDim[I];
    Box.BlockDim[I] = BlockDim[I];
  }
  Box.BlockLo[Axis] = GridDim[Axis] / 4;
  Box.BlockCount[Axis] = std::max(1U, GridDim[Axis] / 4);
  return Box;
}

extern "C" {

void __real___gridspan_register_module(const GridspanModule *Module);
void __wrap___gridspan_register_module(const GridspanModule *Module) {
  for (uint32_t I = 0; I != Module->NumKernels; ++I)
    kernels()[Module->Kernels[I].HostStub] = &Module->Kernels[I];
  __real___gridspan_register_module(Module);
}

int __real___gridspan_cudaLaunchKernel(const void *Function, Dim3 Grid,
                                       Dim3 Block, void **Args, size_t Shared,
                                       void *Stream);
int __wrap___gridspan_cudaLaunchKernel(const void *Function, Dim3 Grid,
                                       Dim3 Block, void **Args, size_t Shared,
                                       void *Stream) {
  static std::set<const void *> Done;
  auto It = kernels().find(Function);
  if (It != kernels().end() && It->second->Ranges &&
      Done.insert(Function).second)
    std::printf("ranges %s %u %.1f\n", It->second->Name,
                It->second->NumAccesses,
                nanosecondsOf(*It->second, quarterOf(Grid, Block, Args)));
  return __real___gridspan_cudaLaunchKernel(Function, Grid, Block, Args, Shared,
                                            Stream);
}
}
