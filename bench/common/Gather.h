//===- Gather.h - Gather and scatter by an index array ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of the gathers and scatters, in memory and larger than it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_COMMON_GATHER_H
#define GRIDSPAN_BENCH_COMMON_GATHER_H

static __global__ void gather(size_t N, const unsigned *Index,
                              const float *Table, float *Out) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N)
    Out[I] = Table[Index[I]];
}

static __global__ void scatter(size_t N, const unsigned *Index, const float *In,
                               float *Table) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N)
    Table[Index[I]] = In[I];
}

#endif // GRIDSPAN_BENCH_COMMON_GATHER_H
