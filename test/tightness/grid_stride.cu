// A grid-stride loop over the elements of two vectors.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split update \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void update(int n, float a, const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 40000 * scale + 1;
  Buffer<float> x(pattern<float>(n)), y(pattern<float>(n, 2));
  update<<<16, 128>>>(n, 3.0f, x, y);
  return finish(y);
}
