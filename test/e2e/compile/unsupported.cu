// What the CPU device cannot run builds with a warning that names it, and its
// launch fails there; other kernels of the program run.
//
// RUN: %gridspan++ -O2 -lineinfo %s -o %t 2> %t.log
// RUN: FileCheck --check-prefix=WARNING %s < %t.log
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t > %t.out 2> %t.err
// RUN: FileCheck %s < %t.out
// RUN: FileCheck --check-prefix=MESSAGE %s < %t.err

#include <cstdio>
#include <cuda_runtime.h>

__global__ void strange(int *data) {
  int v, w;
  // WARNING: unsupported.cu:[[@LINE+1]]
  asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc "
               "{%0, %1}, {%2}, {%3}, {%4, %4};"
               : "=r"(v), "=r"(w)
               : "r"(3), "r"(5), "r"(1));
  *data = v + w;
}

__global__ void fine(int *data) { *data = 4; }

int main() {
  int *device, host = 0;
  cudaMalloc(&device, sizeof(int));
  strange<<<1, 1>>>(device);
  // CHECK: strange failed 1
  // MESSAGE: strange
  printf("strange failed %d\n", cudaGetLastError() != cudaSuccess);
  fine<<<1, 1>>>(device);
  cudaMemcpy(&host, device, sizeof(int), cudaMemcpyDeviceToHost);
  // CHECK: fine 4
  printf("fine %d\n", host);
}
