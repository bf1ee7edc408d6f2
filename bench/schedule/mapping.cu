//===- mapping.cu - Matrix product and smoothing at one size --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix product and a smoothing, whose schedules are compared over devices
// of different speed: the experiment of the work on hybrid thread mapping.
//
// Usage: mapping [n, a multiple of 32] [seconds]
//
//===----------------------------------------------------------------------===//

#include "bench/common/Matmul.h"
#include "bench/schedule/Repeat.h"

/// Replaces each inner pixel by the mean of its neighbourhood of 3 x 3.
static __global__ void smooth3x3(const float *In, float *Out, int N) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X < 1 || Y < 1 || X >= N - 1 || Y >= N - 1)
    return;
  float Sum = 0;
  for (int Dy = -1; Dy <= 1; ++Dy)
    for (int Dx = -1; Dx <= 1; ++Dx)
      Sum += In[size_t(Y + Dy) * N + X + Dx];
  Out[size_t(Y) * N + X] = Sum * (1.0f / 9);
}

int main(int Argc, char **Argv) {
  int N = int(argument(Argc, Argv, 1, 2048));
  double Seconds = secondsArgument(Argc, Argv, 2, 2);
  size_t Elements = size_t(N) * N;
  float *A, *B, *C;
  CHECK(cudaMalloc(&A, Elements * sizeof(float)));
  CHECK(cudaMalloc(&B, Elements * sizeof(float)));
  CHECK(cudaMalloc(&C, Elements * sizeof(float)));
  fill(A, Elements, 1);
  fill(B, Elements, 2);
  CHECK(cudaMemset(C, 0, Elements * sizeof(float)));
  CHECK(cudaDeviceSynchronize());
  auto Wait = [] { CHECK(cudaDeviceSynchronize()); };

  dim3 Block(32, 8), Grid((N + 31) / 32, (N + 7) / 8);
  LaunchTimes Times = repeatLaunches(
      Seconds, [&] { smooth3x3<<<Grid, Block>>>(A, C, N); }, Wait);
  reportLaunches("smoothing", Times, checksum(C, Elements));

  Times =
      repeatLaunches(Seconds, [&] { launchMatmul(true, A, B, C, N, N); }, Wait);
  reportLaunches("product", Times, checksum(C, Elements));
  CHECK(cudaFree(A));
  CHECK(cudaFree(B));
  CHECK(cudaFree(C));
}
