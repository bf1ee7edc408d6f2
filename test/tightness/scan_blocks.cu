// A prefix sum in three kernels: blocks in shared memory, the blocks' sums, and
// adding them.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split scanBlocks --split addOffsets \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void scanBlocks(int n, const unsigned *in, unsigned *out,
                           unsigned *sums) {
  __shared__ unsigned values[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  values[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int distance = 1; distance < blockDim.x; distance *= 2) {
    unsigned other = t >= distance ? values[t - distance] : 0;
    __syncthreads();
    values[t] += other;
    __syncthreads();
  }
  if (i < n)
    out[i] = values[t];
  if (t == blockDim.x - 1)
    sums[blockIdx.x] = values[t];
}
__global__ void addOffsets(int n, const unsigned *sums, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.x > 0)
    out[i] += sums[blockIdx.x - 1];
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 12345 * scale, blocks = divideUp(n, 128);
  Buffer<unsigned> in(pattern<unsigned>(n)), out(n), sums(blocks);
  Buffer<unsigned> scanned(blocks), total(1);
  scanBlocks<<<blocks, 128>>>(n, in, out, sums);
  scanBlocks<<<1, 128>>>(blocks, sums, scanned, total);
  addOffsets<<<blocks, 128>>>(n, scanned, out);
  return finish(out);
}
