// Block barriers: shared memory, reductions with predicates, barriers in loops,
// block sizes that are no multiple of the warp.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split reverse --split tree --split votes %t | FileCheck %s
// RUN: %gridspan++ -O0 %s -o %t.O0
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t.O0 | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"

__global__ void reverse(const int *in, int *out) {
  extern __shared__ int stage[];
  int base = blockIdx.x * blockDim.x, t = threadIdx.x;
  stage[t] = in[base + t];
  __syncthreads();
  out[base + t] = stage[blockDim.x - 1 - t];
}

__global__ void tree(const int *in, int *out) {
  __shared__ int sums[256];
  int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 256 + t];
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (t < half)
      sums[t] += sums[t + half];
  }
  if (t == 0)
    out[blockIdx.x] = sums[0];
}

__global__ void votes(int *out) {
  int t = threadIdx.x;
  int count = __syncthreads_count(t % 3 == 0);
  int all = __syncthreads_and(t < 1000);
  int none = __syncthreads_and(t > 0);
  int any = __syncthreads_or(t == 44);
  int no = __syncthreads_or(t > 1000);
  out[blockIdx.x * blockDim.x + t] = count * 16 + (all != 0) * 8 +
                                     (none != 0) * 4 + (any != 0) * 2 +
                                     (no != 0);
}

int main() {
  const int blocks = 21, threads = 45, n = blocks * 256;
  static int in[n], out[n];
  for (int i = 0; i < n; ++i)
    in[i] = i * 7 % 101;
  int *dIn = toDevice(in, n), *dOut = toDevice(out, n);

  reverse<<<blocks, threads, threads * sizeof(int)>>>(dIn, dOut);
  toHost(out, dOut, blocks * threads);
  int wrong = 0;
  for (int b = 0; b < blocks; ++b)
    for (int t = 0; t < threads; ++t)
      wrong += out[b * threads + t] != in[b * threads + threads - 1 - t];
  EXPECT(wrong == 0);

  tree<<<blocks, 256>>>(dIn, dOut);
  toHost(out, dOut, blocks);
  for (int b = 0; b < blocks; ++b) {
    int sum = 0;
    for (int t = 0; t < 256; ++t)
      sum += in[b * 256 + t];
    EXPECT(out[b] == sum);
  }

  votes<<<blocks, threads>>>(dOut);
  toHost(out, dOut, blocks * threads);
  wrong = 0;
  for (int i = 0; i < blocks * threads; ++i)
    wrong += out[i] != 15 * 16 + 8 + 2;
  EXPECT(wrong == 0);
  CHECK(cudaGetLastError());
  return finish();
}
