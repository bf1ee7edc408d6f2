// A prefix sum by doubling: a launch adds the element at a distance.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split step \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"
#include <utility>

__global__ void step(int n, int distance, const unsigned *in, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = i >= distance ? in[i] + in[i - distance] : in[i];
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 10007 * scale;
  Buffer<unsigned> a(pattern<unsigned>(n)), b(n);
  unsigned *in = a, *out = b;
  for (int distance = 1; distance < n; distance *= 2) {
    step<<<divideUp(n, 64), 64>>>(n, distance, in, out);
    std::swap(in, out);
  }
  return finish(a, b);
}
