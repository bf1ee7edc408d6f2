// A rank-one update of a column-major matrix with a leading dimension.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split update \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void update(int rows, int columns, double alpha, const double *x,
                       const double *y, double *A, int leading) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int j = threadIdx.y + blockIdx.y * blockDim.y;
  if (i < rows && j < columns)
    A[i + (size_t)j * leading] += alpha * x[i] * y[j];
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int rows = 200, columns = 240 * scale, leading = 208;
  Buffer<double> x(pattern<double>(rows)), y(pattern<double>(columns, 2));
  Buffer<double> A(pattern<double>(leading * columns, 3));
  dim3 block(32, 4), grid(divideUp(rows, 32), divideUp(columns, 4));
  update<<<grid, block>>>(rows, columns, 0.25, x, y, A, leading);
  return finish(A);
}
