// Products of contiguous shares, reduced with warp shuffles and added
// atomically.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split dot \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void dot(int n, const int *x, const int *y,
                    unsigned long long *result) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  unsigned long long sum = 0;
  for (int k = 0; k < 4; ++k)
    if (first + k < n)
      sum += (unsigned long long)x[first + k] * y[first + k];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0)
    atomicAdd(result, sum);
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 30003 * scale;
  Buffer<int> x(pattern<int>(n)), y(pattern<int>(n, 2));
  Buffer<unsigned long long> result(1);
  dot<<<divideUp(n, 256), 64>>>(n, x, y, result);
  return finish(result);
}
