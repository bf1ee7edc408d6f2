// A symmetric rank-k update, C = beta C + alpha A A', of the lower triangle.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split update \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void update(int n, int k, float alpha, float beta, const float *A,
                       float *C) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j <= i) {
    float sum = 0;
    for (int l = 0; l < k; ++l)
      sum += A[i * k + l] * A[j * k + l];
    C[i * n + j] = beta * C[i * n + j] + alpha * sum;
  }
}

int main(int argc, char **argv) {
  int root = rootOf(scaleOf(argc, argv));
  int n = 250 * root, k = 12;
  Buffer<float> A(pattern<float>(n * k)), C(pattern<float>(n * n, 2));
  dim3 block(16, 8), grid(divideUp(n, 16), divideUp(n, 8));
  update<<<grid, block>>>(n, k, 0.5f, 2.0f, A, C);
  return finish(C);
}
