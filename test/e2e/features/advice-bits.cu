// Indices made of the bits of numbers: what advice counts of them for a launch is
// what the access trace of that launch has.

// RUN: %gridspan++ -O2 -lineinfo -arch=sm_90 -mllvm -gridspan-advice=%t.json -mllvm -gridspan-block=64 -mllvm -gridspan-grid=4 -mllvm -gridspan-param=reversed:2=12 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t | FileCheck %s
// RUN: gridspan-trace %t.trace > %t.requests
// RUN: %python %S/Inputs/check_advice.py %t.json %t.requests 8
// CHECK: 256 in place

#include <cstdio>

// The permutation of a transform, of 2^bits elements.
__global__ void reversed(float *out, const float *in, int bits) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[__brev(i) >> (32 - bits)] = in[i];
}

// Places by how many bits lanes below have set, by the highest, and by the
// lowest bit.
__global__ void places(float *out, const float *in) {
  unsigned lane = threadIdx.x % 32, i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned before = __popc(0x55555555u & ((1u << lane) - 1));
  out[blockIdx.x * 4096 + before] = in[i];
  out[512 + 16 * (32 - __clz(i))] = 1;
  out[2048 + 16 * __clz(__brev(i))] = 1;
}

// Rotated by three bits.
__global__ void rotated(float *out, const float *in) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = i << 20;
  out[(x << 3 | x >> 29) >> 20] = in[i];
}

int main() {
  const int n = 4 * 4096;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  static float host[n];
  for (int i = 0; i < n; ++i)
    host[i] = float(i + 1);
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, sizeof(host));
  reversed<<<4, 64>>>(out, in, 12);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  int inPlace = 0;
  for (int i = 0; i < 256; ++i) {
    int to = 0;
    for (int bit = 0; bit < 12; ++bit)
      to |= (i >> bit & 1) << (11 - bit);
    inPlace += host[to] == float(i + 1);
  }
  printf("%d in place\n", inPlace);
  places<<<4, 64>>>(out, in);
  rotated<<<4, 64>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
