// A step of elimination without pivoting: scale the column below the pivot,
// then update the square to its right and below.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split updateTrailing \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void scaleColumn(float *A, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
  if (i < n)
    A[i * n + k] /= A[k * n + k];
}
__global__ void updateTrailing(float *A, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
  int i = blockIdx.y * blockDim.y + threadIdx.y + k + 1;
  if (i < n && j < n)
    A[i * n + j] -= A[i * n + k] * A[k * n + j];
}

int main(int argc, char **argv) {
  int root = rootOf(scaleOf(argc, argv));
  int n = 256 * root;
  std::vector<float> matrix = pattern<float>(n * n);
  for (int i = 0; i < n; ++i)
    matrix[i * n + i] += 300.0f * n;
  Buffer<float> A(matrix);
  for (int k = 0; k < 3; ++k) {
    int left = n - k - 1;
    scaleColumn<<<divideUp(left, 32), 32>>>(A, n, k);
    updateTrailing<<<dim3(divideUp(left, 32), divideUp(left, 4)),
                     dim3(32, 4)>>>(A, n, k);
  }
  return finish(A);
}
