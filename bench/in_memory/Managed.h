//===- Managed.h - Steps of a stencil in managed memory ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of managed.cu and managed_hand.cu, and the sections that they
// time.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_IN_MEMORY_MANAGED_H
#define GRIDSPAN_BENCH_IN_MEMORY_MANAGED_H

#include "bench/common/Bench.h"
#include <cstring>

/// Computes elements [From, N) of one step.
__global__ void smooth(const float *In, float *Out, size_t From, size_t N,
                       size_t All) {
  const size_t I = From + size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  const float Left = I > 0 ? In[I - 1] : 0, Right = I + 1 < All ? In[I + 1] : 0;
  Out[I] = 0.25f * Left + 0.5f * In[I] + 0.25f * Right;
}

inline void fillManaged(float *X, size_t N) {
  for (size_t I = 0; I < N; ++I)
    X[I] = float(I % 1000);
}

inline unsigned long long checksumOf(const float *X, size_t N) {
  double Sum = 0;
  for (size_t I = 0; I < N; I += 997)
    Sum += X[I] * double(I % 13 + 1);
  unsigned long long Bits;
  static_assert(sizeof(Bits) == sizeof(Sum));
  memcpy(&Bits, &Sum, sizeof(Bits));
  return Bits;
}

/// Times Repetitions of all sections and reports them. Bring() moves the data
/// that the host has filled, if the program does so; Step() goes from X to Y,
/// waits and swaps them.
template <class BringFn, class StepFn>
void measureManaged(float *&X, size_t N, int Repetitions, BringFn Bring,
                    StepFn Step) {
  constexpr int Steps = 20;
  std::vector<double> First, Later, Touched, Read;
  unsigned long long Checksum = 0;
  for (int I = 0; I < Repetitions; ++I) {
    fillManaged(X, N);
    double Begin = now();
    Bring();
    Step();
    First.push_back(now() - Begin);
    Begin = now();
    for (int S = 0; S < Steps; ++S)
      Step();
    Later.push_back((now() - Begin) / Steps);
    Begin = now();
    for (int S = 0; S < Steps; ++S) {
      X[N / 3] += 1;
      Step();
    }
    Touched.push_back((now() - Begin) / Steps);
    Begin = now();
    Checksum = checksumOf(X, N);
    Read.push_back(now() - Begin);
  }
  const double Bytes = 2.0 * N * sizeof(float);
  report("managed_first", median(First), Bytes, 0);
  report("managed_steps", median(Later), Bytes, Checksum);
  report("managed_touched", median(Touched), Bytes, 0);
  report("managed_read", median(Read), Bytes / 2, 0);
}

#endif // GRIDSPAN_BENCH_IN_MEMORY_MANAGED_H
