//===- packed_rows.cu - Costs of packed rows ------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two costs of taking the second operand of an out-of-core matrix product
// by columns in packed rows, apart from each other:
//
//   bus      two-dimensional copies of pieces of rows from pinned memory, by
//            the length of a piece and the bytes of a call, in GB/s
//   address  products whose loads find their row by a division of 64 bits, of
//            32 bits, or by one addition an iteration, against the plain ones
//
// Plain CUDA. Usage: packed_rows [rows]
//
//===----------------------------------------------------------------------===//

#include "bench/common/EventTime.h"

namespace {

constexpr int Tile = 32;

/// Returns the offset of a byte of rows a pitch apart when they are packed.
struct Packing {
  uint64_t Base, Magic, Shift, Delta, Move;
  uint32_t Magic32, Before, After, Pitch32;
};

enum class Lookup { None, Divide64, Divide32, Step };

template <Lookup How>
__device__ uint64_t distance(const void *At, const Packing &P) {
  const uint64_t From = reinterpret_cast<uint64_t>(At) - P.Base;
  if constexpr (How == Lookup::Divide32) {
    const uint32_t Row =
        __umulhi(static_cast<uint32_t>(From >> P.Before), P.Magic32) >> P.After;
    return P.Move - uint64_t(Row) * uint32_t(P.Delta);
  } else {
    const uint64_t Row = __umul64hi(From, P.Magic) >> P.Shift;
    return P.Move - Row * P.Delta;
  }
}

template <Lookup How, class T>
__device__ T load(const T *At, const Packing &P) {
  if constexpr (How == Lookup::None)
    return *At;
  return *reinterpret_cast<const T *>(reinterpret_cast<const char *>(At) +
                                      distance<How>(At, P));
}

template <Lookup How>
__global__ void tiled(const float *A, const float *B, float *C, int N,
                      Packing P) {
  __shared__ float TileA[Tile][Tile], TileB[Tile][Tile];
  const int X = blockIdx.x * Tile + threadIdx.x;
  const int Y = blockIdx.y * Tile + threadIdx.y;
  float Sum = 0;
  const char *At = reinterpret_cast<const char *>(B + threadIdx.y * N + X);
  int64_t Step = int64_t(Tile) * N * sizeof(float);
  if constexpr (How == Lookup::Step) {
    At += distance<How>(At, P);
    Step -= Tile * P.Delta;
  }
  for (int K = 0; K < N; K += Tile) {
    TileA[threadIdx.y][threadIdx.x] = A[Y * N + K + threadIdx.x];
    if constexpr (How == Lookup::Step) {
      TileB[threadIdx.y][threadIdx.x] = *reinterpret_cast<const float *>(At);
      At += Step;
    } else {
      TileB[threadIdx.y][threadIdx.x] =
          load<How>(B + (K + threadIdx.y) * N + X, P);
    }
    __syncthreads();
    for (int J = 0; J < Tile; ++J)
      Sum += TileA[threadIdx.y][J] * TileB[J][threadIdx.x];
    __syncthreads();
  }
  C[Y * N + X] = Sum;
}

template <Lookup How>
__global__ void naive(const double *A, const double *B, double *C, int N,
                      Packing P) {
  const int X = blockIdx.x * blockDim.x + threadIdx.x;
  const int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X >= N || Y >= N)
    return;
  double Sum = 0;
  const char *At = reinterpret_cast<const char *>(B + X);
  int64_t Step = int64_t(N) * sizeof(double);
  if constexpr (How == Lookup::Step) {
    At += distance<How>(At, P);
    Step -= P.Delta;
  }
  for (int K = 0; K < N; ++K) {
    if constexpr (How == Lookup::Step) {
      Sum += A[Y * N + K] * *reinterpret_cast<const double *>(At);
      At += Step;
    } else {
      Sum += A[Y * N + K] * load<How>(B + K * N + X, P);
    }
  }
  C[Y * N + X] = Sum;
}

/// B is packed to rows of N elements, which is where it lies.
Packing packing(const void *B, uint64_t Pitch) {
  Packing P = {};
  P.Base = reinterpret_cast<uint64_t>(B);
  unsigned Log = 63 - __builtin_clzll(Pitch);
  P.Magic = uint64_t(((unsigned __int128)1 << (62 + Log)) / Pitch) + 1;
  P.Shift = Log - 2;
  P.Delta = 0;
  P.Before = __builtin_ctzll(Pitch);
  const uint32_t Odd = uint32_t(Pitch >> P.Before);
  // Rows of a power of two in bytes are enough here.
  P.Magic32 = Odd == 1 ? 1U << 31 : uint32_t((uint64_t(1) << 32) / Odd + 1);
  P.After = 0;
  if (Odd == 1)
    --P.Before;
  return P;
}

template <Lookup How> void products(const char *Name, int N) {
  void *A, *B, *C;
  CHECK(cudaMalloc(&A, sizeof(double) * N * N));
  CHECK(cudaMalloc(&B, sizeof(double) * N * N));
  CHECK(cudaMalloc(&C, sizeof(double) * N * N));
  CHECK(cudaMemset(A, 0, sizeof(double) * N * N));
  CHECK(cudaMemset(B, 0, sizeof(double) * N * N));
  const Packing P4 = packing(B, sizeof(float) * N);
  const Packing P8 = packing(B, sizeof(double) * N);
  const float T = medianMilliseconds(3, [&] {
    tiled<How><<<dim3(N / Tile, N / Tile), dim3(Tile, Tile)>>>(
        (float *)A, (float *)B, (float *)C, N, P4);
  });
  const float D = medianMilliseconds(3, [&] {
    naive<How><<<dim3(N / 32, N / 8), dim3(32, 8)>>>((double *)A, (double *)B,
                                                     (double *)C, N, P8);
  });
  CHECK(cudaGetLastError());
  printf("address %-10s tiled float %8.2f ms, naive double %8.2f ms\n", Name, T,
         D);
  CHECK(cudaFree(A));
  CHECK(cudaFree(B));
  CHECK(cudaFree(C));
}

void copies(const char *From, size_t Bytes, size_t Pitch, size_t Frame) {
  char *To;
  CHECK(cudaMalloc(&To, Bytes));
  cudaStream_t S;
  CHECK(cudaStreamCreate(&S));
  for (size_t Width = 512; Width <= Pitch; Width *= 2)
    for (size_t Rows : {Frame / Pitch, Bytes / Pitch}) {
      double Best = 1e30;
      for (int Repeat = 0; Repeat < 3; ++Repeat) {
        const double Begin = now();
        for (size_t R = 0; R < Bytes / Pitch; R += Rows)
          CHECK(cudaMemcpy2DAsync(To + R * Width, Width, From + R * Pitch,
                                  Pitch, Width, Rows, cudaMemcpyHostToDevice,
                                  S));
        CHECK(cudaStreamSynchronize(S));
        Best = std::min(Best, now() - Begin);
      }
      printf("bus pieces of %6zu bytes, %5zu rows a call: %6.2f GB/s\n", Width,
             Rows, double(Bytes / Pitch * Width) / Best / 1e9);
    }
  CHECK(cudaFree(To));
}

} // namespace

int main(int Argc, char **Argv) {
  const int N = argument(Argc, Argv, 1, 8192);
  products<Lookup::None>("plain", N);
  products<Lookup::Divide64>("64 bits", N);
  products<Lookup::Divide32>("32 bits", N);
  products<Lookup::Step>("step", N);
  // A quarter of a matrix of 32768 columns, and its frame of 32 MiB.
  const size_t Pitch = 128 << 10, Bytes = size_t(1) << 30;
  void *Host = aligned_alloc(2 << 20, Bytes);
  std::fill_n(static_cast<char *>(Host), Bytes, 1);
  CHECK(cudaHostRegister(Host, Bytes, cudaHostRegisterDefault));
  copies(static_cast<char *>(Host), Bytes, Pitch, 32 << 20);
  CHECK(cudaHostUnregister(Host));
  free(Host);
}
