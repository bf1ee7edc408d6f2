// Lanes that come to a load in different iterations of a loop make different
// requests, as on a GPU, where a warp meets again at the end of an iteration:
// the even lanes load in the first iteration, the odd ones in the second.
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-trace %t.trace | FileCheck %s
// RUN: gridspan-check-ranges --sectors %t %t.trace \
// RUN:   | FileCheck %s --check-prefix=SECTORS
#include <cstdio>

// CHECK: warp 0 site {{[0-9]+}} #0: read 4 bytes, lanes 55555555:
// CHECK-NEXT: warp 0 site {{[0-9]+}} #1: read 4 bytes, lanes aaaaaaaa:
// CHECK-NEXT: warp 1 site {{[0-9]+}} #0: read 4 bytes, lanes 00000001:
// SECTORS: violations 0
__global__ void inTurn(const int *in, int *out) {
  int sum = 0;
  for (unsigned j = threadIdx.x; j < 66; j += blockDim.x) {
    sum *= 3;
    if (j % 2 == 0)
      sum += in[j / 2];
  }
  out[threadIdx.x] = sum;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 66 * sizeof(int));
  cudaMalloc(&out, 33 * sizeof(int));
  cudaMemset(in, 0, 66 * sizeof(int));
  inTurn<<<1, 33>>>(in, out);
  return cudaDeviceSynchronize();
}
