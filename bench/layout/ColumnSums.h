//===- ColumnSums.h - Sums of columns, and parts of sums --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block takes 64 x Across columns, two of them a thread, and a part of the
// rows. Its 8 warps are Across side by side and 8 / Across below each other,
// and each thread has Unroll loads under way. Parts of sums go to memory; the
// last block of the columns to get there adds them up, in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_LAYOUT_COLUMNSUMS_H
#define GRIDSPAN_BENCH_LAYOUT_COLUMNSUMS_H

#include "bench/common/Bench.h"

/// Partial sums of several blocks, and the number of those that are ready.
__device__ static double Partial[1 << 22];
__device__ static unsigned Arrived[1 << 16];

/// Returns true in all threads of the last of Count blocks to get here, which
/// can read the others' earlier writes. The counter is zero before and
/// afterwards.
__device__ static bool isLastOf(unsigned Count, unsigned Counter) {
  __shared__ bool IsLast;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    IsLast = atomicAdd(&Arrived[Counter], 1) == Count - 1;
    if (IsLast)
      Arrived[Counter] = 0;
    __threadfence();
  }
  __syncthreads();
  return IsLast;
}

/// Returns the sum of rows First, First + Step, ... before End of two columns.
template <int Unroll>
__device__ static double2 sumRows(const double *A, size_t Pitch, unsigned First,
                                  unsigned End, unsigned Step) {
  double2 Sum = {0, 0};
  for (unsigned K = First; K < End; K += Unroll * Step) {
    double2 V[Unroll];
#pragma unroll
    for (unsigned I = 0; I < Unroll; ++I)
      V[I] = K + I * Step < End ? *(const double2 *)(A + (K + I * Step) * Pitch)
                                : double2{0, 0};
#pragma unroll
    for (double2 W : V) {
      Sum.x += W.x;
      Sum.y += W.y;
    }
  }
  return Sum;
}

/// Adds up the values of the threads of a column in its first one.
template <int Across> __device__ static double2 joinRows(double2 Sum) {
  constexpr unsigned Down = 8 / Across;
  __shared__ double2 Parts[Down][32 * Across];
  __syncthreads();
  Parts[threadIdx.y][threadIdx.x] = Sum;
  __syncthreads();
  if (threadIdx.y == 0)
#pragma unroll
    for (unsigned I = 1; I < Down; ++I) {
      Sum.x += Parts[I][threadIdx.x].x;
      Sum.y += Parts[I][threadIdx.x].y;
    }
  return Sum;
}

/// Precondition: Objects is even.
template <int Across, int Unroll>
__global__ void columnSums(const double *A, double *Out, unsigned Objects,
                           unsigned Length) {
  constexpr unsigned Down = 8 / Across, Round = Unroll * Down;
  const unsigned O = (blockIdx.x * 32 * Across + threadIdx.x) * 2;
  const bool IsInside = O < Objects;
  // Full rounds of loads, so that only the last block has masked ones.
  const unsigned Part =
      ((Length + gridDim.y - 1) / gridDim.y + Round - 1) / Round * Round;
  const unsigned End = min(Length, (blockIdx.y + 1) * Part);
  double2 Sum = {0, 0};
  if (IsInside)
    Sum = sumRows<Unroll>(A + O, Objects, blockIdx.y * Part + threadIdx.y, End,
                          Down);
  Sum = joinRows<Across>(Sum);
  const bool IsWriter = IsInside && threadIdx.y == 0;
  if (gridDim.y == 1) {
    if (IsWriter)
      *(double2 *)(Out + O) = Sum;
    return;
  }
  if (IsWriter)
    *(double2 *)(Partial + size_t(blockIdx.y) * Objects + O) = Sum;
  if (!isLastOf(gridDim.y, blockIdx.x))
    return;
  Sum = {0, 0};
  if (IsInside)
    Sum = sumRows<Unroll>(Partial + O, Objects, threadIdx.y, gridDim.y, Down);
  Sum = joinRows<Across>(Sum);
  if (IsWriter)
    *(double2 *)(Out + O) = Sum;
}

inline unsigned multiprocessors() {
  static const unsigned Count = [] {
    int Value = 0;
    CHECK(cudaDeviceGetAttribute(&Value, cudaDevAttrMultiProcessorCount, 0));
    return unsigned(Value);
  }();
  return Count;
}

/// Returns the blocks for about PerMultiprocessor on each multiprocessor, fewer
/// if they would have less than one round of loads.
template <int Across, int Unroll>
void launchColumnSums(const double *A, double *Out, unsigned Objects,
                      unsigned Length, unsigned PerMultiprocessor) {
  constexpr unsigned Columns = 64 * Across, Round = Unroll * 8 / Across;
  const unsigned Strips = (Objects + Columns - 1) / Columns;
  const unsigned Wanted =
      (multiprocessors() * PerMultiprocessor + Strips - 1) / Strips;
  const unsigned Rounds = (Length + Round - 1) / Round;
  const unsigned RoundsOfBlock = (Rounds + Wanted - 1) / Wanted;
  const unsigned Parts = (Rounds + RoundsOfBlock - 1) / RoundsOfBlock;
  columnSums<Across, Unroll>
      <<<dim3(Strips, Parts), dim3(32 * Across, 8 / Across)>>>(A, Out, Objects,
                                                               Length);
}

/// Returns the sum of Pairs[First], Pairs[First + Step], ... before End, with
/// eight loads in flight.
__device__ static double sumPairs(const double2 *Pairs, unsigned First,
                                  unsigned End, unsigned Step) {
  constexpr int UnderWay = 8;
  double Sum = 0;
  for (unsigned K = First; K < End; K += UnderWay * Step) {
    double2 V[UnderWay];
#pragma unroll
    for (int I = 0; I < UnderWay; ++I)
      V[I] = K + I * Step < End ? Pairs[K + I * Step] : double2{0, 0};
#pragma unroll
    for (double2 W : V)
      Sum += W.x + W.y;
  }
  return Sum;
}

/// Reads everything and does as little else as possible.
static __global__ void readAll(const double2 *A, double *Out, unsigned Pairs) {
  double Sum = sumPairs(A, blockIdx.x * blockDim.x + threadIdx.x, Pairs,
                        gridDim.x * blockDim.x);
  if (Sum == -1)
    *Out = Sum;
}

#endif // GRIDSPAN_BENCH_LAYOUT_COLUMNSUMS_H
