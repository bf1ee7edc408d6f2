//===- distinct.cu - Loops that load behind stores ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels whose loads the compiler must keep behind stores through other
// arguments. Compiled with and without -gridspan-noalias, which makes no-alias
// clones of them, and run on one device. Prints "name milliseconds checksum".
//
//===----------------------------------------------------------------------===//

#include "bench/common/EventTime.h"
#include <functional>

/// Solves systems side by side, a thread each (Thomas algorithm).
__global__ void tridiagonal(int Systems, int Length, const double *Lower,
                            const double *Diagonal, const double *Upper,
                            double *X, double *Work) {
  int S = blockIdx.x * blockDim.x + threadIdx.x;
  if (S >= Systems)
    return;
  double W = Upper[S] / Diagonal[S], G = X[S] / Diagonal[S];
  Work[S] = W;
  X[S] = G;
  for (int I = 1; I < Length; ++I) {
    int At = I * Systems + S;
    double Pivot = 1 / (Diagonal[At] - Lower[At] * W);
    W = Upper[At] * Pivot;
    G = (X[At] - Lower[At] * G) * Pivot;
    Work[At] = W;
    X[At] = G;
  }
  for (int I = Length - 2; I >= 0; --I) {
    int At = I * Systems + S;
    G = X[At] - Work[At] * G;
    X[At] = G;
  }
}

__global__ void update(int N, float A, const float *X, float *Y) {
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < N;
       I += gridDim.x * blockDim.x)
    Y[I] += A * X[I];
}

/// Subtracts from rows their projection on one of them.
__global__ void subtract(int Rows, int Columns, const float *Row,
                         const float *Parts, float *A) {
  int C = blockIdx.x * blockDim.x + threadIdx.x;
  if (C >= Columns)
    return;
  for (int R = 0; R < Rows; ++R)
    A[R * Columns + C] -= Parts[R] * Row[C];
}

__global__ void transposeRows(int Size, const float *In, float *Out) {
  int X = blockIdx.x * 32 + threadIdx.x, Y = blockIdx.y * 32 + threadIdx.y;
  for (int J = 0; J < 32; J += 8)
    Out[X * Size + Y + J] = In[(Y + J) * Size + X];
}

/// Computes running means of each column.
__global__ void runningMeans(int Rows, int Columns, const float *In,
                             float *Out) {
  int C = blockIdx.x * blockDim.x + threadIdx.x;
  if (C >= Columns)
    return;
  float Sum = 0;
  for (int R = 0; R < Rows; ++R) {
    Sum += In[R * Columns + C];
    Out[R * Columns + C] = Sum / (R + 1);
  }
}

/// Looks values up in a table that all threads share.
__global__ void lookUp(int N, const float *Table, const unsigned char *Index,
                       float *Out) {
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < N;
       I += gridDim.x * blockDim.x)
    Out[I] = Table[Index[I]] * Table[256] + Table[257];
}

struct Bodies {
  float *X, *V;
  const float *F;
};
__global__ void move(Bodies B, int N, int Steps, float Dt) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  for (int S = 0; S < Steps; ++S) {
    B.V[I] += B.F[I] * Dt;
    B.X[I] += B.V[I] * Dt;
  }
}

template <class T> static __global__ void fill(T *Data, size_t N, T Value) {
  for (size_t I = blockIdx.x * size_t(blockDim.x) + threadIdx.x; I < N;
       I += size_t(gridDim.x) * blockDim.x)
    Data[I] = Value + T(I % 7);
}
template <class T> static T *buffer(size_t N, T Value) {
  T *Data;
  CHECK(cudaMalloc(&Data, N * sizeof(T)));
  fill<<<1056, 256>>>(Data, N, Value);
  return Data;
}

static void measure(const char *Name, const void *Out,
                    const std::function<void()> &Launch) {
  Launch();
  CHECK(cudaDeviceSynchronize());
  const double Milliseconds = medianMilliseconds(21, Launch);
  std::vector<uint32_t> Words(1 << 16);
  CHECK(cudaMemcpy(Words.data(), Out, Words.size() * sizeof(uint32_t),
                   cudaMemcpyDeviceToHost));
  uint32_t Sum = 0;
  for (uint32_t Word : Words)
    Sum = Sum * 31 + Word;
  printf("%s %.5f %08x\n", Name, Milliseconds, Sum);
}

int main() {
  constexpr int N = 1 << 25, Side = 1 << 12;
  double *Lower = buffer<double>(N, 1), *Diagonal = buffer<double>(N, 20);
  double *Upper = buffer<double>(N, 1), *X = buffer<double>(N, 3);
  double *Work = buffer<double>(N, 0);
  float *In = buffer<float>(N, 1), *Out = buffer<float>(N, 2);
  float *Small = buffer<float>(Side, 0);
  auto *Index = buffer<unsigned char>(N, 5);
  measure("tridiagonal", X, [&] {
    tridiagonal<<<N / 256 / 256, 256>>>(N / 256, 256, Lower, Diagonal, Upper, X,
                                        Work);
  });
  measure("update", Out, [&] { update<<<1056, 256>>>(N, 0.5f, In, Out); });
  measure("subtract", Out, [&] {
    subtract<<<2 * Side / 256, 256>>>(Side, 2 * Side, In, Small, Out);
  });
  measure("transposeRows", Out, [&] {
    transposeRows<<<dim3(Side / 32, Side / 32), dim3(32, 8)>>>(Side, In, Out);
  });
  measure("runningMeans", Out,
          [&] { runningMeans<<<128, 256>>>(N / 32768, 32768, In, Out); });
  measure("lookUp", Out, [&] { lookUp<<<1056, 256>>>(N, In, Index, Out); });
  measure("move", Out,
          [&] { move<<<N / 256, 256>>>({Out, In, (float *)X}, N, 8, 0.01f); });
}
