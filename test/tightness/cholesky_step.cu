// A step of a Cholesky factorization that touches the lower triangle only.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split updateLower \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void divideColumn(int n, int k, double *A) {
  double pivot = sqrt(A[k * n + k]);
  int i = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
  if (i < n)
    A[i * n + k] /= pivot;
}
__global__ void updateLower(int n, int k, double *A) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
  if (i >= n)
    return;
  for (int j = k + 1; j <= i; ++j)
    A[i * n + j] -= A[i * n + k] * A[j * n + k];
}

int main(int argc, char **argv) {
  int root = rootOf(scaleOf(argc, argv));
  int n = 256 * root;
  std::vector<double> matrix = pattern<double>(n * n, 1, 16);
  for (int i = 0; i < n; ++i)
    matrix[i * n + i] += 64.0 * n;
  Buffer<double> A(matrix);
  for (int k = 0; k < 2; ++k) {
    divideColumn<<<divideUp(n - k - 1, 16), 16>>>(n, k, A);
    updateLower<<<divideUp(n - k - 1, 16), 16>>>(n, k, A);
  }
  return finish(A);
}
