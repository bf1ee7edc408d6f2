//===- block_counts.cu - Sums by number of blocks, and counters -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times for the predictions of the advice on sums: one sum or dot product of an
// array by loops that stride over the grid, for several grids; matrix-vector
// products; atomics to few and to many addresses that are loaded. Prints
// "version blocks elements milliseconds".
//
//===----------------------------------------------------------------------===//

#include "bench/layout/Show.h"
#include <cmath>
#include <string>

/// Adds Sum of all threads to *Out by shuffles, shared memory, an atomic a
/// block.
__device__ static void joinBlock(double Sum, double *Out) {
  __shared__ double Warp[32];
  for (int Step = 16; Step; Step /= 2)
    Sum += __shfl_down_sync(~0u, Sum, Step);
  if (threadIdx.x % 32 == 0)
    Warp[threadIdx.x / 32] = Sum;
  __syncthreads();
  if (threadIdx.x >= 32)
    return;
  Sum = threadIdx.x < blockDim.x / 32 ? Warp[threadIdx.x] : 0;
  for (int Step = 16; Step; Step /= 2)
    Sum += __shfl_down_sync(~0u, Sum, Step);
  if (threadIdx.x == 0)
    atomicAdd(Out, Sum);
}

extern "C" __global__ void gridSum(const double *A, double *Out, unsigned N) {
  double Sum = 0;
  for (unsigned I = blockIdx.x * blockDim.x + threadIdx.x; I < N;
       I += gridDim.x * blockDim.x)
    Sum += A[I];
  joinBlock(Sum, Out);
}

extern "C" __global__ void gridDot(const double *A, const double *B,
                                   double *Out, unsigned N) {
  double Sum = 0;
  for (unsigned I = blockIdx.x * blockDim.x + threadIdx.x; I < N;
       I += gridDim.x * blockDim.x)
    Sum += A[I] * B[I];
  joinBlock(Sum, Out);
}

/// Sums by the textbook's tree, one element a thread at first.
extern "C" __global__ void treeSum(const double *A, double *Out, unsigned N) {
  __shared__ double Part[256];
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  Part[threadIdx.x] = I < N ? A[I] : 0;
  __syncthreads();
  for (unsigned Step = blockDim.x / 2; Step; Step /= 2) {
    if (threadIdx.x < Step)
      Part[threadIdx.x] += Part[threadIdx.x + Step];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(Out, Part[0]);
}

/// Computes Y = A X, a thread for each row of A.
extern "C" __global__ void productRows(const double *A, const double *X,
                                       double *Y, unsigned Rows,
                                       unsigned Columns) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Rows)
    return;
  double Sum = 0;
  for (unsigned J = 0; J < Columns; ++J)
    Sum += A[I * Columns + J] * X[J];
  Y[I] = Sum;
}

/// Computes the same, a block for each row, with eight loads of two elements in
/// flight.
extern "C" __global__ void productRowsFollowed(const double *A, const double *X,
                                               double *Y, unsigned Rows,
                                               unsigned Columns) {
  const double2 *Row = (const double2 *)(A + size_t(blockIdx.x) * Columns);
  const double2 *Vector = (const double2 *)X;
  double Sum = 0;
#pragma unroll 8
  for (unsigned J = threadIdx.x; J < Columns / 2; J += blockDim.x) {
    double2 V = Row[J], W = Vector[J];
    Sum += V.x * W.x + V.y * W.y;
  }
  joinBlock(Sum, &Y[blockIdx.x]);
}

/// Counts bytes in 256 counters of global memory.
extern "C" __global__ void countBytes(const unsigned char *Data,
                                      unsigned *Counts, unsigned N) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    atomicAdd(&Counts[Data[I]], 1u);
}

/// Counts the same in counters of each block.
extern "C" __global__ void countBytesFollowed(const unsigned char *Data,
                                              unsigned *Counts, unsigned N) {
  __shared__ unsigned Local[256];
  for (unsigned B = threadIdx.x; B < 256; B += blockDim.x)
    Local[B] = 0;
  __syncthreads();
  for (unsigned I = blockIdx.x * blockDim.x + threadIdx.x; I < N;
       I += gridDim.x * blockDim.x)
    atomicAdd(&Local[Data[I]], 1u);
  __syncthreads();
  for (unsigned B = threadIdx.x; B < 256; B += blockDim.x)
    atomicAdd(&Counts[B], Local[B]);
}

/// Adds to many loaded addresses.
extern "C" __global__ void scatterAdd(const int *Place, const float *Value,
                                      float *Out, unsigned N) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    atomicAdd(&Out[Place[I]], Value[I]);
}

__global__ void fillPlaces(int *Place, unsigned N, unsigned Range) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Place[I] = int(I * 2654435761u % Range);
}

__global__ void fillOnes(double *A, size_t N) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N)
    A[I] = 1;
}

template <class Fn>
static void show(const char *Name, unsigned Blocks, size_t Elements,
                 Fn Launch) {
  show(Name, std::to_string(Blocks).c_str(), Elements, Launch,
       int(std::clamp<size_t>(20000000 / Elements, 1, 20)));
}

static void showSums(const double *A, const double *B, double *Out) {
  for (unsigned N : {1000000u, 10000000u, 100000000u})
    for (unsigned Blocks :
         {1u, 10u, 33u, 66u, 132u, 264u, 528u, 1056u, 2112u, 4224u}) {
      CHECK(cudaMemset(Out, 0, sizeof(double)));
      gridSum<<<Blocks, 256>>>(A, Out, N);
      double Sum;
      CHECK(cudaMemcpy(&Sum, Out, sizeof Sum, cudaMemcpyDefault));
      if (Sum != double(N))
        printf("gridSum %u %u WRONG %g\n", Blocks, N, Sum);
      if (size_t(N) / Blocks > 20000000)
        continue;
      show("gridSum", Blocks, N, [&] { gridSum<<<Blocks, 256>>>(A, Out, N); });
      show("gridDot", Blocks, N,
           [&] { gridDot<<<Blocks, 256>>>(A, B, Out, N); });
    }
  for (unsigned N : {1000000u, 10000000u, 100000000u})
    show("treeSum", (N + 255) / 256, N,
         [&] { treeSum<<<(N + 255) / 256, 256>>>(A, Out, N); });
}

static void showProducts(const double *A, const double *X, double *Y) {
  for (unsigned Rows : {500u, 2000u, 10000u, 20000u}) {
    unsigned Columns = 100000000 / Rows / 2 * 2, Blocks = (Rows + 255) / 256;
    show("productRows", Blocks, size_t(Rows) * Columns,
         [&] { productRows<<<Blocks, 256>>>(A, X, Y, Rows, Columns); });
    show("productRowsFollowed", Rows, size_t(Rows) * Columns,
         [&] { productRowsFollowed<<<Rows, 256>>>(A, X, Y, Rows, Columns); });
  }
}

static void showCounters(double *Data, double *Out) {
  auto *Bytes = (const unsigned char *)Data;
  auto *Counts = (unsigned *)Out;
  auto *Places = (int *)Data;
  // Data as bytes: ones as doubles are few values. Places have all.
  for (unsigned N : {1u << 24, 1u << 27}) {
    fillPlaces<<<(1 << 26) / 256, 256>>>(Places, 1 << 26, 1 << 31);
    show("countBytes", N / 256, N,
         [&] { countBytes<<<N / 256, 256>>>(Bytes, Counts, N); });
    for (unsigned Blocks : {528u, 1056u})
      show("countBytesFollowed", Blocks, N,
           [&] { countBytesFollowed<<<Blocks, 256>>>(Bytes, Counts, N); });
  }
  for (unsigned Range : {256u, 65536u, 1u << 24, 1u << 26}) {
    constexpr unsigned N = 1 << 26;
    fillPlaces<<<N / 256, 256>>>(Places, N, Range);
    auto *Value = (const float *)(Places + N);
    printf("# range %u\n", Range);
    show("scatterAdd", N / 256, N,
         [&] { scatterAdd<<<N / 256, 256>>>(Places, Value, (float *)Out, N); });
  }
}

int main() {
  constexpr size_t N = 100000000;
  double *A, *B, *Out;
  CHECK(cudaMalloc(&A, N * sizeof(double)));
  CHECK(cudaMalloc(&B, N * sizeof(double)));
  CHECK(cudaMalloc(&Out, sizeof(float) << 26));
  for (double *Data : {A, B})
    fillOnes<<<unsigned((N + 255) / 256), 256>>>(Data, N);
  showSums(A, B, Out);
  showProducts(A, B, Out);
  showCounters(A, Out);
  CHECK(cudaDeviceSynchronize());
  for (double *Data : {A, B, Out})
    CHECK(cudaFree(Data));
}
