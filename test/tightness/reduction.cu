// Sums: a block adds up a grid-stride share in shared memory and writes one
// partial sum; one block adds those up.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split partialSums \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void partialSums(int n, const long long *in, long long *partial) {
  __shared__ long long sums[64];
  long long sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += blockDim.x * gridDim.x)
    sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = sums[0];
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 20011 * scale, blocks = 32;
  Buffer<long long> in(pattern<long long>(n)), partial(blocks), sum(1);
  partialSums<<<blocks, 64>>>(n, in, partial);
  partialSums<<<1, 64>>>(blocks, partial, sum);
  return finish(partial, sum);
}
