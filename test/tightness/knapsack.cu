// Dynamic programming over capacities: an item is taken or left.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split take \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"
#include <utility>

__global__ void take(int capacity, int weight, int value, const int *before,
                     int *after) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c > capacity)
    return;
  int best = before[c];
  if (c >= weight)
    best = max(best, before[c - weight] + value);
  after[c] = best;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int capacity = 20000 * scale;
  Buffer<int> a(capacity + 1), b(capacity + 1);
  int *before = a, *after = b;
  for (int item = 0; item < 6; ++item) {
    take<<<divideUp(capacity + 1, 64), 64>>>(capacity, 37 + 11 * item,
                                             5 + 3 * item, before, after);
    std::swap(before, after);
  }
  return finish(a, b);
}
