//===- Managed.h - Steps of a stencil in managed memory ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_MANAGED_H
#define GRIDSPAN_BENCH_MANAGED_H

#include <cstddef>
#include <cstring>

/// Elements [From, N) of one step.
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

#endif // GRIDSPAN_BENCH_MANAGED_H
