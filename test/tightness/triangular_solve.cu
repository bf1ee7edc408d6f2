// Forward substitution by columns: a launch eliminates one unknown from the
// rows below.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split eliminate \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void eliminate(int n, int k, const float *L, float *b) {
  int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  b[i] -= L[i * n + k] * b[k];
}

int main(int argc, char **argv) {
  int root = rootOf(scaleOf(argc, argv));
  int n = 700 * root;
  std::vector<float> lower = pattern<float>(n * n, 1, 4);
  for (float &x : lower)
    x /= 64;
  Buffer<float> L(lower), b(pattern<float>(n));
  for (int k = 0; k < 6; ++k)
    eliminate<<<divideUp(n - k - 1, 32), 32>>>(n, k, L, b);
  return finish(b);
}
