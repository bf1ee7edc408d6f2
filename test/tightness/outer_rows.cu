// A block per row, threads along it: a normalization of rows by their largest
// element in two launches.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split largest --split divide \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void largest(int rows, int columns, const float *data, float *most) {
  int i = blockIdx.x * blockDim.y + threadIdx.y;
  if (i >= rows)
    return;
  float best = 0;
  for (int j = threadIdx.x; j < columns; j += 32)
    best = fmaxf(best, data[i * columns + j]);
  for (int offset = 16; offset > 0; offset /= 2)
    best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, offset));
  if (threadIdx.x == 0)
    most[i] = best;
}
__global__ void divide(int columns, const float *most, float *data) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j < columns)
    data[i * columns + j] /= most[i];
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int rows = 200 * scale, columns = 150;
  Buffer<float> data(pattern<float>(rows * columns)), most(rows);
  largest<<<divideUp(rows, 4), dim3(32, 4)>>>(rows, columns, data, most);
  divide<<<dim3(divideUp(columns, 64), rows), 64>>>(columns, most, data);
  return finish(data, most);
}
