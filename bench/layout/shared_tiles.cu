//===- shared_tiles.cu - Stencils and products, with and without tiles ----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that read the same bytes several times, as one writes them first and
// with tiles in shared memory. Prints "version block size milliseconds".
//
//===----------------------------------------------------------------------===//

#include "bench/layout/Show.h"

static constexpr int Radius = 8;

/// 17 neighbours in a row, without a loop.
extern "C" __global__ void line17(const float *In, float *Out, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Radius || I >= N - Radius)
    return;
  float Sum = 0;
#pragma unroll
  for (int K = -Radius; K <= Radius; ++K)
    Sum += In[I + K] * (1.0f / (2 + K * K));
  Out[I] = Sum;
}

extern "C" __global__ void line17Tiled(const float *In, float *Out, int N) {
  __shared__ float Tile[256 + 2 * Radius];
  int First = blockIdx.x * 256 - Radius;
  for (int T = threadIdx.x; T < 256 + 2 * Radius; T += 256)
    Tile[T] = First + T >= 0 && First + T < N ? In[First + T] : 0;
  __syncthreads();
  int I = blockIdx.x * 256 + threadIdx.x;
  if (I < Radius || I >= N - Radius)
    return;
  float Sum = 0;
#pragma unroll
  for (int K = -Radius; K <= Radius; ++K)
    Sum += Tile[threadIdx.x + Radius + K] * (1.0f / (2 + K * K));
  Out[I] = Sum;
}

extern "C" __global__ void plane5(const float *In, float *Out, int Width,
                                  int Height) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X < 1 || X >= Width - 1 || Y < 1 || Y >= Height - 1)
    return;
  int I = Y * Width + X;
  Out[I] = 0.5f * In[I] +
           0.125f * (In[I - 1] + In[I + 1] + In[I - Width] + In[I + Width]);
}

/// Precondition: Width and Height are multiples of 64 and 4.
extern "C" __global__ void plane5Tiled(const float *In, float *Out, int Width,
                                       int Height) {
  __shared__ float Tile[6][66];
  int X0 = blockIdx.x * 64 - 1, Y0 = blockIdx.y * 4 - 1;
  for (int T = threadIdx.y * 64 + threadIdx.x; T < 6 * 66; T += 256) {
    int X = X0 + T % 66, Y = Y0 + T / 66;
    Tile[T / 66][T % 66] =
        X >= 0 && X < Width && Y >= 0 && Y < Height ? In[Y * Width + X] : 0;
  }
  __syncthreads();
  int X = blockIdx.x * 64 + threadIdx.x, Y = blockIdx.y * 4 + threadIdx.y;
  if (X < 1 || X >= Width - 1 || Y < 1 || Y >= Height - 1)
    return;
  int TX = threadIdx.x + 1, TY = threadIdx.y + 1;
  Out[Y * Width + X] =
      0.5f * Tile[TY][TX] + 0.125f * (Tile[TY][TX - 1] + Tile[TY][TX + 1] +
                                      Tile[TY - 1][TX] + Tile[TY + 1][TX]);
}

extern "C" __global__ void space7(const float *In, float *Out, int Width,
                                  int Height, int Depth) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  int Z = blockIdx.z * blockDim.z + threadIdx.z;
  if (X < 1 || X >= Width - 1 || Y < 1 || Y >= Height - 1 || Z < 1 ||
      Z >= Depth - 1)
    return;
  int Plane = Width * Height, I = Z * Plane + Y * Width + X;
  Out[I] =
      0.4f * In[I] + 0.1f * (In[I - 1] + In[I + 1] + In[I - Width] +
                             In[I + Width] + In[I - Plane] + In[I + Plane]);
}

/// 25 points, five by five.
extern "C" __global__ void plane25(const float *In, float *Out, int Width,
                                   int Height) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X < 2 || X >= Width - 2 || Y < 2 || Y >= Height - 2)
    return;
  float Sum = 0;
#pragma unroll
  for (int J = -2; J <= 2; ++J)
#pragma unroll
    for (int K = -2; K <= 2; ++K)
      Sum += In[(Y + J) * Width + X + K] * (1.0f / (2 + J * J + K * K));
  Out[Y * Width + X] = Sum;
}

extern "C" __global__ void plane25Tiled(const float *In, float *Out, int Width,
                                        int Height) {
  __shared__ float Tile[12][36];
  int X0 = blockIdx.x * 32 - 2, Y0 = blockIdx.y * 8 - 2;
  for (int T = threadIdx.y * 32 + threadIdx.x; T < 12 * 36; T += 256) {
    int X = X0 + T % 36, Y = Y0 + T / 36;
    Tile[T / 36][T % 36] =
        X >= 0 && X < Width && Y >= 0 && Y < Height ? In[Y * Width + X] : 0;
  }
  __syncthreads();
  int X = blockIdx.x * 32 + threadIdx.x, Y = blockIdx.y * 8 + threadIdx.y;
  if (X < 2 || X >= Width - 2 || Y < 2 || Y >= Height - 2)
    return;
  float Sum = 0;
#pragma unroll
  for (int J = -2; J <= 2; ++J)
#pragma unroll
    for (int K = -2; K <= 2; ++K)
      Sum += Tile[threadIdx.y + 2 + J][threadIdx.x + 2 + K] *
             (1.0f / (2 + J * J + K * K));
  Out[Y * Width + X] = Sum;
}

/// C = A B, one thread an element, numbered in a row or in two dimensions.
extern "C" __global__ void product1(const float *A, const float *B, float *C,
                                    int N) {
  int Id = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = Id / N, X = Id % N;
  if (Y >= N)
    return;
  float Sum = 0;
  for (int K = 0; K < N; ++K)
    Sum += A[Y * N + K] * B[K * N + X];
  C[Y * N + X] = Sum;
}

extern "C" __global__ void product2(const float *A, const float *B, float *C,
                                    int N) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X >= N || Y >= N)
    return;
  float Sum = 0;
  for (int K = 0; K < N; ++K)
    Sum += A[Y * N + K] * B[K * N + X];
  C[Y * N + X] = Sum;
}

template <int Tile>
__global__ void productTiled(const float *A, const float *B, float *C, int N) {
  __shared__ float TileA[Tile][Tile], TileB[Tile][Tile];
  int X = blockIdx.x * Tile + threadIdx.x, Y = blockIdx.y * Tile + threadIdx.y;
  float Sum = 0;
  for (int K = 0; K < N; K += Tile) {
    TileA[threadIdx.y][threadIdx.x] = A[Y * N + K + threadIdx.x];
    TileB[threadIdx.y][threadIdx.x] = B[(K + threadIdx.y) * N + X];
    __syncthreads();
    for (int J = 0; J < Tile; ++J)
      Sum += TileA[threadIdx.y][J] * TileB[J][threadIdx.x];
    __syncthreads();
  }
  C[Y * N + X] = Sum;
}

static void showProducts(const float *A, const float *B, float *C) {
  for (int N : {1024, 4096}) {
    show("product1", "256", N,
         [&] { product1<<<N * N / 256, 256>>>(A, B, C, N); });
    auto square = [&](unsigned X, unsigned Y) {
      char Block[16];
      snprintf(Block, sizeof Block, "%ux%u", X, Y);
      show("product2", Block, N,
           [&] { product2<<<dim3(N / X, N / Y), dim3(X, Y)>>>(A, B, C, N); });
    };
    square(256, 1);
    square(32, 8);
    square(16, 16);
    square(32, 32);
    show("productTiled", "16x16", N, [&] {
      productTiled<16><<<dim3(N / 16, N / 16), dim3(16, 16)>>>(A, B, C, N);
    });
    show("productTiled", "32x32", N, [&] {
      productTiled<32><<<dim3(N / 32, N / 32), dim3(32, 32)>>>(A, B, C, N);
    });
  }
}

int main() {
  constexpr int Width = 16384, Height = 8192, Side = 512, N = Width * Height;
  float *In, *Out, *More;
  for (float **Data : {&In, &Out, &More}) {
    CHECK(cudaMalloc(Data, N * sizeof(float)));
    CHECK(cudaMemset(*Data, 0, N * sizeof(float)));
  }
  show("line17", "256", N, [&] { line17<<<N / 256, 256>>>(In, Out, N); });
  show("line17Tiled", "256", N,
       [&] { line17Tiled<<<N / 256, 256>>>(In, Out, N); });
  show("plane5", "64x4", N, [&] {
    plane5<<<dim3(Width / 64, Height / 4), dim3(64, 4)>>>(In, Out, Width,
                                                          Height);
  });
  show("plane5Tiled", "64x4", N, [&] {
    plane5Tiled<<<dim3(Width / 64, Height / 4), dim3(64, 4)>>>(In, Out, Width,
                                                               Height);
  });
  show("plane25", "32x8", N, [&] {
    plane25<<<dim3(Width / 32, Height / 8), dim3(32, 8)>>>(In, Out, Width,
                                                           Height);
  });
  show("plane25Tiled", "32x8", N, [&] {
    plane25Tiled<<<dim3(Width / 32, Height / 8), dim3(32, 8)>>>(In, Out, Width,
                                                                Height);
  });
  show("space7", "32x4x2", Side * Side * Side, [&] {
    space7<<<dim3(Side / 32, Side / 4, Side / 2), dim3(32, 4, 2)>>>(
        In, Out, Side, Side, Side);
  });
  showProducts(In, More, Out);
  CHECK(cudaDeviceSynchronize());
  for (float *Data : {In, Out, More})
    CHECK(cudaFree(Data));
}
