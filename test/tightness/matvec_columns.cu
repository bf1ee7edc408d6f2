// The transpose of a row-major matrix times a vector; a thread has a column,
// so that a tile of blocks reads a band of columns.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split multiplyTransposed \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void multiplyTransposed(int rows, int columns, const float *A,
                                   const float *x, float *y) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < columns) {
    float sum = 0;
    for (int i = 0; i < rows; ++i)
      sum += A[i * columns + j] * x[i];
    y[j] += sum;
  }
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int rows = 40, columns = 4096 * scale;
  Buffer<float> A(pattern<float>(rows * columns)), x(pattern<float>(rows));
  Buffer<float> y(pattern<float>(columns, 2));
  multiplyTransposed<<<columns / 64, 64>>>(rows, columns, A, x, y);
  return finish(y);
}
