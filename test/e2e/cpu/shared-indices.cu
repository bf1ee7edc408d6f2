// Unsigned indices into shared memory that stand for negative numbers: on a
// device addresses of shared memory have 32 bits, so that they wrap.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_CHECK=1 %t | FileCheck %s
#include <cstdio>

__global__ void fromEnd(unsigned *out, unsigned n) {
  __shared__ unsigned s[64];
  s[threadIdx.x] = threadIdx.x * threadIdx.x;
  __syncthreads();
  unsigned *end = s + n;
  out[blockIdx.x * n + threadIdx.x] = end[~threadIdx.x];
}

__global__ void difference(double *out, unsigned middle) {
  extern __shared__ double d[];
  d[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const double *center = d + middle;
  out[blockIdx.x * blockDim.x + threadIdx.x] = center[threadIdx.x - middle];
}

int main() {
  constexpr int Blocks = 5, N = 64;
  unsigned *a;
  double *b;
  cudaMallocManaged(&a, Blocks * N * sizeof(*a));
  cudaMallocManaged(&b, Blocks * N * sizeof(*b));
  fromEnd<<<Blocks, N>>>(a, N);
  difference<<<Blocks, N, N * sizeof(double)>>>(b, 40);
  // CHECK: cudaSuccess
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  int wrong = 0;
  for (int i = 0; i < Blocks * N; ++i) {
    const unsigned k = i % N;
    wrong += (a[i] != (N - 1 - k) * (N - 1 - k)) + (b[i] != k);
  }
  // CHECK: 0 wrong
  printf("%d wrong\n", wrong);
}
