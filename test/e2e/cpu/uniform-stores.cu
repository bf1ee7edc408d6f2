// A store under a condition that is the same for all threads of a row, to an
// address that a division gives: the first thread of the row may fail the
// condition.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// CHECK: 0 17 34 51 68 85

#include "../Inputs/check.h"

__global__ void markBlocks(unsigned *out, unsigned one) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2 == 1) {
    unsigned block = blockIdx.x / one;
    out[block] = block * 17;
  }
}

int main() {
  constexpr unsigned Blocks = 6;
  unsigned *out, host[Blocks];
  CHECK(cudaMalloc(&out, sizeof host));
  CHECK(cudaMemset(out, 0xff, sizeof host));
  markBlocks<<<Blocks, 32>>>(out, 1);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (unsigned value : host)
    printf("%u ", value);
  printf("\n");
}
