// Sectors of loops whose indices are no induction variables, by what they carry
// from one iteration to the next, against the trace of what was accessed: a
// stride that halves, a place in a ring, two halves that change places, a
// pointer that moves by what the iteration says.
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges --sectors %t %t.trace | FileCheck %s
#include <cstdio>

// CHECK: sites 8, unknown 0, exact 8,
// CHECK-SAME: violations 0

constexpr int Threads = 96, Size = 4096;

__global__ void halves(const int *in, int *out, int n) {
  int sum = 0;
#pragma unroll 1
  for (int s = n; s > 0; s >>= 1)
    sum = sum * 3 + in[threadIdx.x + s];
  out[threadIdx.x] = sum;
}

__global__ void ring(const int *in, int *out, unsigned n, int trips) {
  int sum = 0;
  unsigned i = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < trips; ++k) {
    sum = sum * 3 + in[i];
    i = (i + 7) % n;
  }
  out[threadIdx.x] = sum;
}

__global__ void swaps(const int *in, int *out, int from, int to, int trips) {
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < trips; ++k) {
    sum = sum * 3 + in[from + 2 * threadIdx.x];
    int other = from;
    from = to;
    to = other;
  }
  out[threadIdx.x] = sum;
}

__global__ void moves(const int *in, int *out, int trips) {
  int sum = 0;
  const int *p = in + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < trips; ++k) {
    sum = sum * 3 + *p;
    p += k & 1 ? 33 : 5;
  }
  out[threadIdx.x] = sum;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, Size * sizeof(int));
  cudaMalloc(&out, Threads * sizeof(int));
  cudaMemset(in, 0, Size * sizeof(int));
  halves<<<1, Threads>>>(in, out, 1000);
  ring<<<1, Threads>>>(in, out, 100, 9);
  swaps<<<1, Threads>>>(in, out, 0, 2048, 5);
  moves<<<1, Threads>>>(in, out, 7);
  return cudaDeviceSynchronize();
}
