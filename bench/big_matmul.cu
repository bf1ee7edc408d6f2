//===- big_matmul.cu - Matrix product, operands larger than memory --------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch alone, after the copies. The mark is the plain time, in memory.
//
// Usage: big_matmul [rows] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "HostData.h"
#include "Matmul.h"

int main(int Argc, char **Argv) {
  int N = argument(Argc, Argv, 1, 32768);
  int Repetitions = argument(Argc, Argv, 2, 1);
  size_t Elements = size_t(N) * N, Bytes = Elements * sizeof(float);
  HostMemory Host(Bytes, HostKind::Pageable);
  float *A, *B, *C;
  CHECK(cudaMalloc(&A, Bytes));
  CHECK(cudaMalloc(&B, Bytes));
  CHECK(cudaMalloc(&C, Bytes));
  fillHost(Host.as<float>(), Elements);
  CHECK(cudaMemcpy(A, Host.as<float>(), Bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(B, Host.as<float>(), Bytes, cudaMemcpyHostToDevice));
  double Seconds = medianSeconds(Repetitions, [&] {
    launchMatmul(true, A, B, C, N, N);
    CHECK(cudaDeviceSynchronize());
  });
  CHECK(cudaMemcpy(Host.as<float>(), C, Bytes, cudaMemcpyDeviceToHost));
  report("matmul_tiled", Seconds, 3.0 * Bytes,
         checksumHost(Host.as<float>(), Elements));
  CHECK(cudaFree(A));
  CHECK(cudaFree(B));
  CHECK(cudaFree(C));
}
