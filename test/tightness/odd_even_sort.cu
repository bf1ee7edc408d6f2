// Odd-even transposition of neighbours.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split exchange \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void exchange(int n, int odd, float *data) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + odd;
  if (i + 1 >= n)
    return;
  float a = data[i], b = data[i + 1];
  data[i] = fminf(a, b);
  data[i + 1] = fmaxf(a, b);
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 30000 * scale + 1;
  Buffer<float> data(pattern<float>(n));
  for (int step = 0; step < 4; ++step)
    exchange<<<divideUp(n / 2, 64), 64>>>(n, step & 1, data);
  return finish(data);
}
