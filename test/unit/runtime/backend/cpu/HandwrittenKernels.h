//===- HandwrittenKernels.h - Kernels without a compiler --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches kernels that tests write by hand in the form that the lowering makes.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TEST_UNIT_RUNTIME_BACKEND_CPU_HANDWRITTENKERNELS_H
#define GRIDSPAN_TEST_UNIT_RUNTIME_BACKEND_CPU_HANDWRITTENKERNELS_H

#include "gridspan/CpuCodes.h"
#include "runtime/backend/cpu/KernelRunner.h"
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

extern "C" {
void __gridspan_cpu_barrier(const GridspanCpuBlock *, uint32_t, uint32_t);
uint32_t __gridspan_cpu_barrier_reduce(const GridspanCpuBlock *, uint32_t,
                                       uint32_t, uint32_t);
void __gridspan_cpu_barrier_arrive(const GridspanCpuBlock *, uint32_t,
                                   uint32_t);
uint64_t __gridspan_cpu_warp_shuffle(const GridspanCpuBlock *, uint32_t,
                                     uint32_t, uint32_t, uint32_t, uint32_t);
uint32_t __gridspan_cpu_warp_vote(const GridspanCpuBlock *, uint32_t, uint32_t,
                                  uint32_t);
uint32_t __gridspan_cpu_active_mask(const GridspanCpuBlock *, uint32_t);
void __gridspan_cpu_yield(const GridspanCpuBlock *);
void __gridspan_cpu_exit(const GridspanCpuBlock *);
void __gridspan_cpu_trap(const GridspanCpuBlock *);
void __gridspan_cpu_assert_fail(const GridspanCpuBlock *, uint32_t, uint32_t,
                                uint32_t, const char *, const char *, uint32_t,
                                const char *);
uint32_t __gridspan_cpu_printf(const GridspanCpuBlock *, const char *,
                               const void *);
uint32_t __gridspan_cpu_memory_space(const GridspanCpuBlock *, const void *);
uint32_t __gridspan_cpu_wide();
void __gridspan_cpu_access(const GridspanCpuBlock *, uint32_t, uint32_t,
                           uint32_t, const void *, uint64_t, uint64_t);
void __gridspan_cpu_shared_access(const GridspanCpuBlock *, uint32_t, uint32_t,
                                  const void *, uint64_t, const char *);
}

namespace gridspan {

using RunFn = void(const GridspanCpuBlock *, void *const *,
                   const GridspanCpuThreads *);

/// Returns a launch whose only parameter is a pointer.
class Runner {
public:
  Runner(RunFn *Fn, void *Pointer, uint32_t Flags = 0) {
    Code.Run = reinterpret_cast<void *>(Fn);
    Code.Flags = Flags;
    Code.StaticSharedBytes = 1024 * sizeof(int);
    Kernel.Name = "kernel";
    Kernel.Cpu = &Code;
    Kernel.Params = &Param;
    Kernel.NumParams = 1;
    L.Kernel = &Kernel;
    L.Code = &Code;
    L.Parameters.resize(sizeof(Pointer));
    std::memcpy(L.Parameters.data(), &Pointer, sizeof(Pointer));
  }

  cudaError_t operator()(dim3 Grid, dim3 Block) {
    L.Grid = Grid;
    L.Block = Block;
    L.Tile = {{0, 0, 0}, {Grid.x, Grid.y, Grid.z}};
    return runKernel(L);
  }

  void setTraced(RunFn *Fn) { Code.RunTraced = reinterpret_cast<void *>(Fn); }

  CpuLaunch L;

private:
  GridspanCpuKernel Code = {};
  GridspanKernel Kernel = {};
  GridspanParam Param = {0, 8};
};

inline int *output(void *const *Args) { return *static_cast<int **>(Args[0]); }
inline int *shared(const GridspanCpuBlock *B) {
  return reinterpret_cast<int *>(B->StaticShared);
}
inline uint32_t linear(const GridspanCpuBlock *B, const GridspanCpuThreads *T) {
  return T->LoX + B->BlockDimX * (T->LoY + B->BlockDimY * T->LoZ);
}

} // namespace gridspan

#endif // GRIDSPAN_TEST_UNIT_RUNTIME_BACKEND_CPU_HANDWRITTENKERNELS_H
