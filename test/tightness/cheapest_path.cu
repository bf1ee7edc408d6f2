// Dynamic programming row by row: the cheapest way down through a table.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split row \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"
#include <utility>

__global__ void row(int columns, const int *cost, const int *before,
                    int *after) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns)
    return;
  int best = before[j];
  if (j > 0)
    best = min(best, before[j - 1]);
  if (j < columns - 1)
    best = min(best, before[j + 1]);
  after[j] = cost[j] + best;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int rows = 6, columns = 16000 * scale;
  Buffer<int> cost(pattern<int>(rows * columns)), a(columns), b(columns);
  int *before = a, *after = b;
  for (int i = 0; i < rows; ++i) {
    row<<<divideUp(columns, 64), 64>>>(columns, cost + i * columns, before,
                                       after);
    std::swap(before, after);
  }
  return finish(a, b);
}
