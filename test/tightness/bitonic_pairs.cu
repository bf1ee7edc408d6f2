// Steps of a bitonic sort with a thread for each pair, whose place follows by
// quotient and remainder.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split exchange \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void exchange(int *data, int distance, int run) {
  int pair = blockIdx.x * blockDim.x + threadIdx.x;
  int i = pair / distance * 2 * distance + pair % distance;
  int a = data[i], b = data[i + distance];
  bool up = (i & run) == 0;
  data[i] = up ? min(a, b) : max(a, b);
  data[i + distance] = up ? max(a, b) : min(a, b);
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 4096;
  while (2 * n <= 4096 * scale)
    n *= 2;
  Buffer<int> data(pattern<int>(n, 1, 100000));
  for (int run = 2; run <= n; run *= 2)
    for (int distance = run / 2; distance > 0; distance /= 2)
      exchange<<<n / 128, 64>>>(data, distance, run);
  return finish(data);
}
