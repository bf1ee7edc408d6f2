// A sparse matrix in compressed rows times a vector; a thread has a row.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split multiply \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void multiply(int rows, const int *start, const int *column,
                         const float *value, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  float sum = 0;
  for (int k = start[i]; k < start[i + 1]; ++k)
    sum += value[k] * x[column[k]];
  y[i] = sum;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int rows = 4000 * scale;
  std::vector<int> starts(rows + 1);
  for (int i = 0; i < rows; ++i)
    starts[i + 1] = starts[i] + 3 + i % 5;
  std::vector<int> columns = pattern<int>(starts[rows], 1, rows - 1);
  Buffer<int> start(starts), column(columns);
  Buffer<float> value(pattern<float>(starts[rows])), x(pattern<float>(rows));
  Buffer<float> y(rows);
  multiply<<<divideUp(rows, 64), 64>>>(rows, start, column, value, x, y);
  return finish(y);
}
