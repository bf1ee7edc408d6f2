// A row-major matrix times a vector; a thread has a row.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split multiply \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void multiply(int rows, int columns, const float *A, const float *x,
                         float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  float sum = 0;
  for (int j = 0; j < columns; ++j)
    sum += A[i * columns + j] * x[j];
  y[i] = sum;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int rows = 1000 * scale, columns = 120;
  Buffer<float> A(pattern<float>(rows * columns)), x(pattern<float>(columns));
  Buffer<float> y(rows);
  multiply<<<divideUp(rows, 64), 64>>>(rows, columns, A, x, y);
  return finish(y);
}
