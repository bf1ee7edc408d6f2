// A packed upper triangular matrix times a vector, rows of shrinking length.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split multiply \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void multiply(int n, const double *U, const double *x, double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const double *row = U + (size_t)i * (2 * n - i + 1) / 2 - i;
  double sum = 0;
  for (int j = i; j < n; ++j)
    sum += row[j] * x[j];
  y[i] = sum;
}

int main(int argc, char **argv) {
  int root = rootOf(scaleOf(argc, argv));
  int n = 300 * root;
  Buffer<double> U(pattern<double>(n * (n + 1) / 2)), x(pattern<double>(n, 2));
  Buffer<double> y(n);
  multiply<<<divideUp(n, 16), 16>>>(n, U, x, y);
  return finish(y);
}
