//===- FakeKernelTools.h - What descriptors by hand are made of -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges of rows of threads, arguments by number, and a loop over the threads
// of a block, for kernels of FakeKernels.h.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TEST_UNIT_RUNTIME_FAKEKERNELTOOLS_H
#define GRIDSPAN_TEST_UNIT_RUNTIME_FAKEKERNELTOOLS_H

#include "gridspan/ABI.h"
#include <algorithm>
#include <utility>

namespace gridspan::fake {

/// Addresses that stand for functions: a kernel's and its clones'.
inline const char Stubs[40] = {};

/// What device code asks of its thread.
struct Thread {
  unsigned X, Y, BlockX, BlockY;
};

/// Runs Body(Thread) for the threads of a block of a tiled clone whose tile is
/// argument TileArg.
template <typename Function>
void forThreads(const GridspanCpuBlock *Block, void *const *Args,
                unsigned TileArg, const GridspanCpuThreads *Threads,
                Function Body) {
  const auto &Tile = *static_cast<const GridspanTile *>(Args[TileArg]);
  const unsigned BlockX = Block->BlockIdxX + Tile.Origin[0];
  const unsigned BlockY = Block->BlockIdxY + Tile.Origin[1];
  for (unsigned Y = Threads->LoY; Y < Threads->HiY; ++Y)
    for (unsigned X = Threads->LoX; X < Threads->HiX; ++X)
      Body(Thread{BlockX * Block->BlockDimX + X, BlockY * Block->BlockDimY + Y,
                  BlockX, BlockY});
}

template <typename T> T arg(void *const *Args, unsigned I) {
  return *static_cast<T *>(Args[I]);
}

template <typename T> T arg(const GridspanBox *B, unsigned I) {
  return *static_cast<T *>(B->Args[I]);
}

/// Threads of the box along an axis, cut to N: first and one past the last.
inline std::pair<int64_t, int64_t> threads(const GridspanBox *B, unsigned Axis,
                                           int64_t N) {
  int64_t Lo = int64_t(B->BlockLo[Axis]) * B->BlockDim[Axis];
  int64_t Hi = Lo + int64_t(B->BlockCount[Axis]) * B->BlockDim[Axis];
  return {std::min(Lo, N), std::min(Hi, N)};
}

inline GridspanRange bytes(int64_t Lo, int64_t Hi) {
  if (Lo >= Hi)
    return {0, 0, 0, 0, 0, 0, GridspanRangeEmpty, 0};
  return {Lo, Hi - Lo, 0, 1, 0, 1, GridspanRangeExact, 0};
}

inline GridspanRange unknown() {
  return {0, 0, 0, 0, 0, 0, GridspanRangeUnknown, 0};
}

/// Run is a lambda, so that each kernel has its own instance of Cpu, which is
/// set up once: devices read it while tests make more descriptors.
template <size_t P, size_t Q, size_t A, typename RunFn>
GridspanKernel
make(unsigned Stub, const char *Name, const GridspanParam (&Params)[P],
     const GridspanPointer (&Pointers)[Q], const GridspanAccess (&Accesses)[A],
     GridspanRangeFn Ranges, GridspanWorkFn Work, RunFn Run) {
  static const GridspanCpuKernel Cpu = [&] {
    GridspanCpuKernel Out = {};
    Out.Run = reinterpret_cast<void *>(static_cast<GridspanCpuRunFn>(Run));
    return Out;
  }();

  GridspanKernel K = {};
  K.Cpu = &Cpu;
  K.HostStub = &Stubs[2 * Stub];
  K.TiledStub = &Stubs[2 * Stub + 1];
  K.Name = Name;
  K.Params = Params;
  K.Pointers = Pointers;
  K.Accesses = Accesses;
  K.Ranges = Ranges;
  K.Work = Work;
  K.NumParams = P;
  K.NumPointers = Q;
  K.NumAccesses = A;
  K.Flags = GridspanHostInvisible;
  return K;
}

} // namespace gridspan::fake

#endif // GRIDSPAN_TEST_UNIT_RUNTIME_FAKEKERNELTOOLS_H
