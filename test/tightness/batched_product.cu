// Many small matrix products; blockIdx.z is the number of the problem.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split product \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void product(int m, int n, int k, const float *A, const float *B,
                        float *C) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n)
    return;
  A += (size_t)blockIdx.z * m * k;
  B += (size_t)blockIdx.z * k * n;
  C += (size_t)blockIdx.z * m * n;
  float sum = 0;
  for (int l = 0; l < k; ++l)
    sum += A[i * k + l] * B[l * n + j];
  C[i * n + j] = sum;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int m = 20, n = 24, k = 10, count = 64 * scale;
  Buffer<float> A(pattern<float>(count * m * k)),
      B(pattern<float>(count * k * n, 2));
  Buffer<float> C(count * m * n);
  product<<<dim3(divideUp(n, 8), divideUp(m, 8), count), dim3(8, 8)>>>(m, n, k,
                                                                       A, B, C);
  return finish(C);
}
