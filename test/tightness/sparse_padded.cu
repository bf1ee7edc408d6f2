// A sparse matrix with padded rows, stored by columns, times a vector.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split multiply \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void multiply(int rows, int width, int pitch, const int *column,
                         const float *value, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  float sum = 0;
  for (int k = 0; k < width; ++k) {
    int j = column[k * pitch + i];
    if (j >= 0)
      sum += value[k * pitch + i] * x[j];
  }
  y[i] = sum;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int rows = 4000 * scale, width = 7, pitch = 4032 * scale;
  std::vector<int> columns = pattern<int>(pitch * width, 1, rows - 1);
  for (size_t k = 0; k < columns.size(); k += 5)
    columns[k] = -1;
  Buffer<int> column(columns);
  Buffer<float> value(pattern<float>(pitch * width)), x(pattern<float>(rows));
  Buffer<float> y(rows);
  multiply<<<divideUp(rows, 64), 64>>>(rows, width, pitch, column, value, x, y);
  return finish(y);
}
