// A one-dimensional wave equation with differences of eighth order; three time
// levels.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split advance \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__constant__ float Weights[5] = {-205.0f / 72, 8.0f / 5, -1.0f / 5, 8.0f / 315,
                                 -1.0f / 560};

__global__ void advance(int n, float speed, const float *before,
                        const float *here, float *after) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4 || i >= n - 4)
    return;
  float sum = Weights[0] * here[i];
  for (int r = 1; r <= 4; ++r)
    sum += Weights[r] * (here[i - r] + here[i + r]);
  after[i] = 2 * here[i] - before[i] + speed * sum;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 20000 * scale;
  Buffer<float> a(pattern<float>(n)), b(pattern<float>(n, 2)), c(n);
  advance<<<divideUp(n, 128), 128>>>(n, 0.01f, a, b, c);
  advance<<<divideUp(n, 128), 128>>>(n, 0.01f, b, c, a);
  return finish(a, c);
}
