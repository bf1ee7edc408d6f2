// Steps of a bitonic sort: a thread has an element and its partner; the one
// with the lower index exchanges.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split exchange \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void exchange(int *data, int distance, int run) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned partner = i ^ distance;
  if (partner <= i)
    return;
  int a = data[i], b = data[partner];
  if ((i & run) == 0 ? a > b : a < b) {
    data[i] = b;
    data[partner] = a;
  }
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 4096;
  while (2 * n <= 4096 * scale)
    n *= 2;
  Buffer<int> data(pattern<int>(n, 1, 100000));
  for (int run = 2; run <= n; run *= 2)
    for (int distance = run / 2; distance > 0; distance /= 2)
      exchange<<<n / 64, 64>>>(data, distance, run);
  return finish(data);
}
