// A matrix product in which each thread makes a patch of 4 by 4.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split product \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

constexpr int Patch = 4;

__global__ void product(int n, const float *__restrict__ A,
                        const float *__restrict__ B, float *__restrict__ C) {
  int column = (blockIdx.x * blockDim.x + threadIdx.x) * Patch;
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * Patch;
  float sum[Patch][Patch] = {};
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < Patch; ++i)
      for (int j = 0; j < Patch; ++j)
        sum[i][j] += A[(row + i) * n + k] * B[k * n + column + j];
  for (int i = 0; i < Patch; ++i)
    for (int j = 0; j < Patch; ++j)
      C[(row + i) * n + column + j] = sum[i][j];
}

int main(int argc, char **argv) {
  int root = rootOf(scaleOf(argc, argv));
  int n = 128 * root;
  Buffer<float> A(pattern<float>(n * n)), B(pattern<float>(n * n, 2)), C(n * n);
  product<<<dim3(n / 32, n / 16), dim3(8, 4)>>>(n, A, B, C);
  return finish(C);
}
