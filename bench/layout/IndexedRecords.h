//===- IndexedRecords.h - Programs that find records by an index *- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Springs between vertices, few warps that gather, neighbours and contacts of
// particles whose coordinates are in separate arrays (the present form is the
// struct of arrays), and tables that are searched by halving.
// Part of blind.cu.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_LAYOUT_INDEXEDRECORDS_H
#define GRIDSPAN_BENCH_LAYOUT_INDEXEDRECORDS_H

#include "bench/layout/Harness.h"
#include <type_traits>

/// Forces of springs between vertices (x, y, z, mass, charge, age) that an
/// index array names.
template <class V>
__global__ void springForces(V Vertices, unsigned N,
                             const float *__restrict__ Ends, float *Force) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  unsigned A = unsigned(Ends[2 * I] * float(Vertices.Count));
  unsigned B = unsigned(Ends[2 * I + 1] * float(Vertices.Count));
  float DX = Vertices.get(A, 0) - Vertices.get(B, 0);
  float DY = Vertices.get(A, 1) - Vertices.get(B, 1);
  float DZ = Vertices.get(A, 2) - Vertices.get(B, 2);
  Force[I] = sqrtf(DX * DX + DY * DY + DZ * DZ) - 1.0f;
}
template <template <class, int> class Layout> struct Springs : UniformRecords {
  static constexpr const char *Name = "springs";
  using View = Layout<float, 6>;
  static constexpr unsigned Edges = 1 << 22;
  static constexpr size_t Count = size_t(1) << 20, OutWords = 3 * Edges;
  static void run(View P, unsigned *Out) {
    springForces<<<blocksOf(Edges, 256), 256>>>(P, Edges, (float *)Out,
                                                (float *)Out + 2 * Edges);
  }
};

/// A warp on each multiprocessor adds up records that it finds by an index.
template <class V>
__global__ void fewGathers(V Cells, unsigned Steps,
                           const float *__restrict__ Index, float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = 0;
  for (unsigned K = 0; K < Steps; ++K) {
    unsigned At =
        unsigned(Index[K * gridDim.x * blockDim.x + I] * float(Cells.Count));
    Sum += Cells.get(At, 0) * Cells.get(At, 1) + Cells.get(At, 2);
  }
  Out[I] = Sum;
}
template <template <class, int> class Layout>
struct FewGathers : UniformRecords {
  static constexpr const char *Name = "fewgathers";
  using View = Layout<float, 4>;
  static constexpr unsigned Blocks = 132, Threads = 32, Steps = 1024;
  static constexpr size_t Count = size_t(1) << 24,
                          OutWords = Blocks * Threads * (Steps + 1);
  static void run(View C, unsigned *Out) {
    fewGathers<<<Blocks, Threads>>>(C, Steps, (float *)Out,
                                    (float *)Out + Blocks * Threads * Steps);
  }
};

/// Potential of eight neighbours each, whose coordinates are in three arrays.
__global__ void neighboursApart(const float *__restrict__ X,
                                const float *__restrict__ Y,
                                const float *__restrict__ Z, unsigned N,
                                const float *__restrict__ Index, float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float Sum = 0;
  for (unsigned K = 0; K < 8; ++K) {
    unsigned J = unsigned(Index[K * N + I] * float(N));
    float DX = X[J] - 0.5f, DY = Y[J] - 0.5f, DZ = Z[J] - 0.5f;
    Sum += DX * DX + DY * DY + DZ * DZ;
  }
  Out[I] = Sum;
}
template <class V>
__global__ void neighbours(V P, unsigned N, const float *__restrict__ Index,
                           float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float Sum = 0;
  for (unsigned K = 0; K < 8; ++K) {
    unsigned J = unsigned(Index[K * N + I] * float(N));
    float DX = P.get(J, 0) - 0.5f, DY = P.get(J, 1) - 0.5f,
          DZ = P.get(J, 2) - 0.5f;
    Sum += DX * DX + DY * DY + DZ * DZ;
  }
  Out[I] = Sum;
}
template <template <class, int> class Layout>
struct Neighbours : UniformRecords {
  static constexpr const char *Name = "neighbours";
  using View = Layout<float, 3>;
  static constexpr size_t Count = size_t(1) << 21, OutWords = 9 * Count;
  static void run(View P, unsigned *Out) {
    const float *Index = (float *)Out;
    float *Sums = (float *)Out + 8 * Count;
    if constexpr (std::is_same_v<View, Soa<float, 3>>)
      neighboursApart<<<Count / 256, 256>>>(
          P.Data, P.Data + Count, P.Data + 2 * Count, Count, Index, Sums);
    else
      neighbours<<<Count / 256, 256>>>(P, Count, Index, Sums);
  }
};

/// Coulomb energy of pairs of atoms (x, y, z, charge) that a list names; the
/// atoms' data are in four arrays.
__global__ void contactsApart(const float *__restrict__ X,
                              const float *__restrict__ Y,
                              const float *__restrict__ Z,
                              const float *__restrict__ Q, unsigned N,
                              unsigned Pairs, const float *__restrict__ List,
                              float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Pairs)
    return;
  unsigned A = unsigned(List[I] * float(N));
  unsigned B = unsigned(List[Pairs + I] * float(N));
  float DX = X[A] - X[B], DY = Y[A] - Y[B], DZ = Z[A] - Z[B];
  Out[I] = Q[A] * Q[B] * rsqrtf(DX * DX + DY * DY + DZ * DZ + 1e-4f);
}
template <class V>
__global__ void contacts(V P, unsigned N, unsigned Pairs,
                         const float *__restrict__ List, float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Pairs)
    return;
  unsigned A = unsigned(List[I] * float(N));
  unsigned B = unsigned(List[Pairs + I] * float(N));
  float DX = P.get(A, 0) - P.get(B, 0), DY = P.get(A, 1) - P.get(B, 1),
        DZ = P.get(A, 2) - P.get(B, 2);
  Out[I] =
      P.get(A, 3) * P.get(B, 3) * rsqrtf(DX * DX + DY * DY + DZ * DZ + 1e-4f);
}
template <template <class, int> class Layout> struct Contacts {
  static constexpr const char *Name = "contacts";
  using View = Layout<float, 4>;
  static constexpr unsigned Pairs = 6000000;
  static constexpr size_t Count = 3000000, OutWords = size_t(3) * Pairs;
  __device__ static float initial(size_t I, int Field) {
    return uniform(I, Field);
  }
  static void run(View P, unsigned *Out) {
    const float *List = (float *)Out;
    float *Energy = (float *)Out + 2 * Pairs;
    if constexpr (std::is_same_v<View, Soa<float, 4>>)
      contactsApart<<<blocksOf(Pairs, 128), 128>>>(
          P.Data, P.Data + Count, P.Data + 2 * Count, P.Data + 3 * Count, Count,
          Pairs, List, Energy);
    else
      contacts<<<blocksOf(Pairs, 128), 128>>>(P, Count, Pairs, List, Energy);
  }
};

/// Each thread looks a key up in a sorted table (key, from, to, rate of
/// doubles) by halving, and interpolates in the record that it finds.
template <class V>
__global__ void lookUp(V Table, unsigned Log, unsigned Queries, double *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Queries)
    return;
  double Key = double(mixed(I)) * (1.0 / 4294967296.0);
  unsigned At = 0;
  for (unsigned Step = 1u << (Log - 1); Step; Step /= 2)
    if (Table.get(At + Step, 0) <= Key)
      At += Step;
  Out[I] = Table.get(At, 1) +
           (Table.get(At, 2) - Table.get(At, 1)) * Table.get(At, 3);
}
template <template <class, int> class Layout> struct LookUps {
  static constexpr const char *Name = "lookups";
  using View = Layout<double, 4>;
  static constexpr unsigned Log = 21, Queries = 3000000;
  static constexpr size_t Count = size_t(1) << Log,
                          OutWords = size_t(2) * Queries;
  __device__ static double initial(size_t I, int Field) {
    return Field ? uniform(I, Field) : double(I) / double(Count);
  }
  static void run(View Table, unsigned *Out) {
    lookUp<<<blocksOf(Queries, 256), 256>>>(Table, Log, Queries, (double *)Out);
  }
};

#endif // GRIDSPAN_BENCH_LAYOUT_INDEXEDRECORDS_H
