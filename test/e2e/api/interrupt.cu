// A streamed launch that takes longer than two seconds shows its progress on a
// terminal, and Ctrl-C ends it.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=1MiB \
// RUN:   %python %S/../Inputs/check_interrupt.py %t | FileCheck %s
// CHECK: interrupted, nothing is left

#include "../Inputs/check.h"

__global__ void iterate(unsigned N, unsigned Rounds, unsigned *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  unsigned V = I;
  for (unsigned R = 0; R < Rounds; ++R)
    V = V * 1664525u + 1013904223u ^ V >> 16;
  Out[I] = V;
}

int main() {
  // Longer than anybody waits: hours, in chunks of well below a second.
  constexpr unsigned N = 1 << 26, Rounds = 20000;
  unsigned *Out;
  CHECK(cudaMallocManaged(&Out, N * sizeof(unsigned)));
  iterate<<<N / 256, 256>>>(N, Rounds, Out);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
