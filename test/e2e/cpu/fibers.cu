// Why threads of a kernel are fibers is a remark, and in the report of a run on
// the CPU device. Kernels whose threads do not wait, or only at barriers that
// all get to, say nothing.
//
// RUN: %gridspan++ -O2 -lineinfo -Rpass-missed=gridspan-cpu %s -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_REPORT=%t.json %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_REPORT=1 %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TABLE
// CHECK: PASS

#include "../Inputs/check.h"

// REMARK: fibers.cu:[[@LINE+5]]:{{.*}}kernel half(int*) has a fiber for each thread on the CPU device: a barrier is for some threads of the block, or has a number that is not 0 [-Rpass-missed=gridspan-cpu]
// REPORT: "name": "half(int*)"
// REPORT: "why_fibers": "named-barrier"
// REPORT-NEXT: "why_fibers_text": "a barrier is for some threads
// TABLE: half(int*): has a fiber for each thread: named-barrier: a barrier is for some
__global__ void half(int *data) {
  __shared__ int s[64];
  if (threadIdx.x >= 64)
    return;
  s[threadIdx.x] = data[threadIdx.x];
  asm volatile("bar.sync 1, 64;" ::: "memory");
  data[threadIdx.x] = s[63 - threadIdx.x];
}

// REPORT: "name": "whole(int*)"
// REPORT: "why_fibers": null
// TABLE-NOT: whole(int*): has a fiber
__global__ void whole(int *data) {
  __shared__ int s[128];
  s[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = s[127 - threadIdx.x];
}

// REPORT: "name": "each(int*)"
// REPORT: "why_fibers": null
__global__ void each(int *data) { data[threadIdx.x] += 1; }

int main() {
  int host[128], *data;
  for (int i = 0; i < 128; ++i)
    host[i] = i;
  CHECK(cudaMalloc(&data, sizeof(host)));
  CHECK(cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice));
  half<<<1, 128>>>(data);
  whole<<<1, 128>>>(data);
  each<<<1, 128>>>(data);
  CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
  // Reversed in the first half, then as a whole.
  int right = 0;
  for (int i = 0; i < 128; ++i)
    right += host[127 - i] == (i < 64 ? 63 - i : i) + 1;
  puts(right == 128 ? "PASS" : "FAIL");
}
