// Indirect reads and indirect writes through a permutation.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split gather --split scatter \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void gather(int n, const int *index, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[index[i]];
}
__global__ void scatter(int n, const int *index, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[index[i]] = in[i];
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 12289 * scale;
  std::vector<int> permutation(n);
  for (int i = 0; i < n; ++i)
    permutation[i] = (int)((long long)i * 10 % n);
  Buffer<int> index(permutation);
  Buffer<float> in(pattern<float>(n)), a(n), b(n);
  gather<<<divideUp(n, 64), 64>>>(n, index, in, a);
  scatter<<<divideUp(n, 64), 64>>>(n, index, in, b);
  return finish(a, b);
}
