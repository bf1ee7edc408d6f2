//===- Irregular.h - Programs not bound by bandwidth ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All-pairs forces (arithmetic), nodes of a tree (addresses that are loaded),
// sparse rows, deposits by atomics, and a kernel with few warps.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_LAYOUT_IRREGULAR_H
#define GRIDSPAN_BENCH_LAYOUT_IRREGULAR_H

#include "bench/layout/Harness.h"

/// Acceleration of bodies (x, y, z, mass) by all others.
template <class V> __global__ void attract(V Bodies, unsigned N, float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  float X = Bodies.get(I, 0), Y = Bodies.get(I, 1), Z = Bodies.get(I, 2);
  float AX = 0, AY = 0, AZ = 0;
  for (unsigned J = 0; J < N; ++J) {
    float DX = Bodies.get(J, 0) - X, DY = Bodies.get(J, 1) - Y,
          DZ = Bodies.get(J, 2) - Z;
    float Inverse = rsqrtf(DX * DX + DY * DY + DZ * DZ + 1e-3f);
    float Force = Bodies.get(J, 3) * Inverse * Inverse * Inverse;
    AX += DX * Force;
    AY += DY * Force;
    AZ += DZ * Force;
  }
  Out[I] = AX + AY + AZ;
}
template <template <class, int> class Layout> struct AllPairs : UniformRecords {
  static constexpr const char *Name = "nbody";
  using View = Layout<float, 4>;
  static constexpr size_t Count = 1 << 17, OutWords = Count;
  static void run(View B, unsigned *Out) {
    attract<<<Count / 256, 256>>>(B, Count, (float *)Out);
  }
};

/// Walks down a search tree of nodes (key, left, right, value).
template <class V>
__global__ void searchTree(V Nodes, unsigned Queries, int *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Queries)
    return;
  int Key = int(mixed(I) >> 2), At = 0, Value = 0;
  while (At >= 0) {
    int Here = Nodes.get(At, 0);
    int Left = Nodes.get(At, 1), Right = Nodes.get(At, 2);
    Value += Nodes.get(At, 3);
    At = Key < Here ? Left : Right;
  }
  Out[I] = Value;
}
/// A complete tree: node I has children 2I+1 and 2I+2. Its nodes lie in an
/// order that has nothing to do with their numbers, as allocated ones do.
template <template <class, int> class Layout> struct TreeNodes {
  static constexpr const char *Name = "tree";
  using View = Layout<int, 4>;
  static constexpr size_t Count = size_t(1) << 24, OutWords = 1 << 20;
  __device__ static int shuffled(unsigned Node) {
    return int((Node * 0x9e3779b1u) & (Count - 1));
  }
  __device__ static int initial(size_t At, int Field) {
    // The inverse of the odd factor modulo 2^32, by Newton's iteration.
    unsigned Inverse = 1;
    for (int I = 0; I < 5; ++I)
      Inverse *= 2 - 0x9e3779b1u * Inverse;
    unsigned Node = (unsigned(At) * Inverse) & unsigned(Count - 1);
    unsigned Depth = 31 - __clz(int(Node + 1));
    unsigned First = (1u << Depth) - 1;
    bool IsLeaf = 2 * Node + 2 >= Count;
    switch (Field) {
    case 0:
      return int((Node - First) * 2 + 1) << (29 - Depth);
    case 1:
      return IsLeaf ? -1 : shuffled(2 * Node + 1);
    case 2:
      return IsLeaf ? -1 : shuffled(2 * Node + 2);
    default:
      return int(Node & 255);
    }
  }
  static void run(View Nodes, unsigned *Out) {
    searchTree<<<blocksOf(OutWords, 256), 256>>>(Nodes, OutWords, (int *)Out);
  }
};

/// A sparse matrix of 64 entries (column, value) a row times a vector: a warp
/// for each row.
template <class V>
__global__ void sparseRows(V Entries, unsigned Rows,
                           const float *__restrict__ X, float *Y) {
  unsigned Row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned Lane = threadIdx.x % 32;
  if (Row >= Rows)
    return;
  float Sum = 0;
  for (unsigned K = Lane; K < 64; K += 32) {
    unsigned At = Row * 64 + K;
    Sum += __uint_as_float(Entries.get(At, 1)) * X[Entries.get(At, 0)];
  }
  for (int Step = 16; Step; Step /= 2)
    Sum += __shfl_down_sync(~0u, Sum, Step);
  if (Lane == 0)
    Y[Row] = Sum;
}
template <template <class, int> class Layout> struct SparseRows {
  static constexpr const char *Name = "sparse";
  using View = Layout<unsigned, 2>;
  static constexpr unsigned Rows = 1 << 20;
  static constexpr size_t Count = size_t(64) * Rows, OutWords = 2 * Rows;
  __device__ static unsigned initial(size_t I, int Field) {
    // Columns near the diagonal.
    return Field ? __float_as_uint(uniform(I, Field))
                 : unsigned(I / 64 + mixed(unsigned(I)) % 4096) % Rows;
  }
  static void run(View E, unsigned *Out) {
    sparseRows<<<Rows / 8, 256>>>(E, Rows, (float *)Out, (float *)Out + Rows);
  }
};

/// Charges of particles (x, y, charge, step) added to the cells of a grid.
template <class V>
__global__ void deposit(V P, unsigned N, unsigned Width, unsigned *Grid) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  unsigned X = unsigned(P.get(I, 0) * float(Width));
  unsigned Y = unsigned(P.get(I, 1) * float(Width));
  unsigned Charge = unsigned(P.get(I, 2) * 1024.0f);
  atomicAdd(&Grid[Y * Width + X], Charge);
  P.set(I, 3, P.get(I, 3) + 1.0f);
}
template <template <class, int> class Layout> struct Deposit : UniformRecords {
  static constexpr const char *Name = "atomics";
  using View = Layout<float, 4>;
  static constexpr unsigned Width = 64;
  static constexpr size_t Count = size_t(1) << 24, OutWords = Width * Width;
  static void run(View P, unsigned *Out) {
    deposit<<<blocksOf(Count, 256), 256>>>(P, Count, Width, Out);
  }
};

/// Few warps, each waiting for its own loads: a dependent walk over records.
template <class V>
__global__ void fewWarps(V Cells, unsigned Steps, unsigned Mask, float *Out) {
  extern __shared__ float Scratch[];
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  Scratch[threadIdx.x] = float(threadIdx.x);
  __syncthreads();
  float Sum = Scratch[threadIdx.x ^ 1];
  unsigned At = I;
  for (unsigned K = 0; K < Steps; ++K) {
    float A = Cells.get(At, 0), B = Cells.get(At, 1);
    Sum = Sum * 0.5f + A * B;
    At = (At + gridDim.x * blockDim.x + (Sum > 1e30f)) & Mask;
  }
  Out[I] = Sum;
}
template <template <class, int> class Layout> struct FewWarps : UniformRecords {
  static constexpr const char *Name = "lowoccupancy";
  using View = Layout<float, 4>;
  static constexpr unsigned Blocks = 132, Threads = 32, Steps = 2048;
  static constexpr size_t Count = size_t(1) << 23, OutWords = Blocks * Threads;
  static void run(View C, unsigned *Out) {
    constexpr int Bytes = 160 << 10;
    CHECK(cudaFuncSetAttribute(
        fewWarps<View>, cudaFuncAttributeMaxDynamicSharedMemorySize, Bytes));
    fewWarps<<<Blocks, Threads, Bytes>>>(C, Steps, unsigned(Count - 1),
                                         (float *)Out);
  }
};

#endif // GRIDSPAN_BENCH_LAYOUT_IRREGULAR_H
