// A histogram per block in shared memory, kept apart and added in a second
// kernel.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split count --split add \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

constexpr int Bins = 64;

__global__ void count(int n, const unsigned char *data, unsigned *partial) {
  __shared__ unsigned bins[Bins];
  bins[threadIdx.x] = 0;
  __syncthreads();
  int share = (n + gridDim.x - 1) / gridDim.x;
  int last = min(n, (int)(blockIdx.x + 1) * share);
  for (int i = blockIdx.x * share + threadIdx.x; i < last; i += blockDim.x)
    atomicAdd(&bins[data[i] / 4], 1u);
  __syncthreads();
  partial[blockIdx.x * Bins + threadIdx.x] = bins[threadIdx.x];
}
__global__ void add(int blocks, const unsigned *partial, unsigned *result) {
  int bin = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int b = 0; b < blocks; ++b)
    sum += partial[b * Bins + bin];
  result[bin] = sum;
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 50000 * scale, blocks = 40;
  Buffer<unsigned char> data(pattern<unsigned char>(n));
  Buffer<unsigned> partial(blocks * Bins), result(Bins);
  count<<<blocks, Bins>>>(n, data, partial);
  add<<<4, Bins / 4>>>(blocks, partial, result);
  return finish(partial, result);
}
