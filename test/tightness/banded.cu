// A banded matrix times a vector: a loop whose bounds are cut at both ends.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split multiply \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void multiply(int n, int below, int above, const float *band,
                         const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int width = below + above + 1;
  float sum = 0;
  for (int j = max(0, i - below); j <= min(n - 1, i + above); ++j)
    sum += band[i * width + (j - i + below)] * x[j];
  y[i] = sum;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 6000 * scale, below = 4, above = 3;
  Buffer<float> band(pattern<float>(n * (below + above + 1)));
  Buffer<float> x(pattern<float>(n, 2)), y(n);
  multiply<<<divideUp(n, 64), 64>>>(n, below, above, band, x, y);
  return finish(y);
}
