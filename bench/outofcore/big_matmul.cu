//===- big_matmul.cu - Matrix product, operands larger than memory --------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times the launch alone, after the copies, to compare with the plain time in
// memory.
//
// Usage: big_matmul [rows] [repetitions] [tiled|plain]
//   tiled  floats, through tiles in shared memory
//   plain  doubles, one thread an element of a two-dimensional grid
//
//===----------------------------------------------------------------------===//

#include "bench/common/HostData.h"
#include "bench/common/Matmul.h"
#include <string_view>

static __global__ void product(const double *A, const double *B, double *C,
                               int N) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X >= N || Y >= N)
    return;
  double Sum = 0;
  for (int K = 0; K < N; ++K)
    Sum += A[size_t(Y) * N + K] * B[size_t(K) * N + X];
  C[size_t(Y) * N + X] = Sum;
}

static void launchProduct(const float *A, const float *B, float *C, int N) {
  launchMatmul(true, A, B, C, N, N);
}

static void launchProduct(const double *A, const double *B, double *C, int N) {
  dim3 Block(32, 8), Grid((N + 31) / 32, (N + 7) / 8);
  product<<<Grid, Block>>>(A, B, C, N);
}

template <class T> static void run(const char *Name, int N, int Repetitions) {
  size_t Elements = size_t(N) * N, Bytes = Elements * sizeof(T);
  HostMemory Host(Bytes, HostKind::Pageable);
  T *A, *B, *C;
  CHECK(cudaMalloc(&A, Bytes));
  CHECK(cudaMalloc(&B, Bytes));
  CHECK(cudaMalloc(&C, Bytes));
  fillHost(Host.as<T>(), Elements);
  CHECK(cudaMemcpy(A, Host.as<T>(), Bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(B, Host.as<T>(), Bytes, cudaMemcpyHostToDevice));
  double Seconds = medianSeconds(Repetitions, [&] {
    launchProduct(A, B, C, N);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  });
  CHECK(cudaMemcpy(Host.as<T>(), C, Bytes, cudaMemcpyDeviceToHost));
  report(Name, Seconds, 3.0 * Bytes, checksumHost(Host.as<T>(), Elements));
  CHECK(cudaFree(A));
  CHECK(cudaFree(B));
  CHECK(cudaFree(C));
}

int main(int Argc, char **Argv) {
  int N = argument(Argc, Argv, 1, 32768);
  int Repetitions = argument(Argc, Argv, 2, 1);
  if (Argc > 3 && std::string_view(Argv[3]) == "plain")
    run<double>("matmul_plain", N, Repetitions);
  else
    run<float>("matmul_tiled", N, Repetitions);
}
