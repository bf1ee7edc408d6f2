// All shortest paths: a launch lets paths go through one more node.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split through \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void through(int n, int k, int *distance) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  int way = distance[i * n + k] + distance[k * n + j];
  if (way < distance[i * n + j])
    distance[i * n + j] = way;
}

int main(int argc, char **argv) {
  int root = rootOf(scaleOf(argc, argv));
  int n = 192 * root;
  Buffer<int> distance(pattern<int>(n * n, 1, 1000));
  for (int k = 0; k < 4; ++k)
    through<<<dim3(n / 32, n / 4), dim3(32, 4)>>>(n, k, distance);
  return finish(distance);
}
