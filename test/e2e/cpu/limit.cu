// A file with more code than optimizers get through in a useful time: beyond a
// limit kernels run unoptimized code on the CPU device, with the same results,
// and a remark says so. With and without code that records accesses, with
// barriers and exchanges of lanes and without them, on one device and on two.
//
// RUN: %gridspan++ -O2 -mllvm -gridspan-cpu-limit=0 -Rpass-missed=gridspan-cpu \
// RUN:   %s -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_REPORT=%t.json %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t | FileCheck %s
// RUN: %gridspan++ -O2 -mllvm -gridspan-cpu-limit=0 \
// RUN:   -mllvm -gridspan-cpu-trace=false %s -o %t.plain
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t.plain | FileCheck %s
//
// REMARK-DAG: kernel fill(int*, int) has no optimized code on the CPU device: kernels of the file have too many instructions together (-mllvm -gridspan-cpu-limit) [-Rpass-missed=gridspan-cpu]
// REMARK-DAG: kernel sums(int const*, int*) has no optimized code on the CPU device
// REPORT: "name": "sums(int const*, int*)"
// REPORT: "why_fibers": "unoptimized"
// CHECK: PASS

#include "../Inputs/check.h"
#include <vector>

__global__ void fill(int *data, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    data[i] = 3 * i + 1;
}

__global__ void sums(const int *data, int *out) {
  __shared__ int warps[4];
  int v = data[blockIdx.x * blockDim.x + threadIdx.x];
  for (int lanes = 16; lanes; lanes /= 2)
    v += __shfl_down_sync(~0u, v, lanes);
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = warps[0] + warps[1] + warps[2] + warps[3];
}

int main() {
  constexpr int Blocks = 50, Threads = 128, N = Blocks * Threads;
  int *data, *out;
  CHECK(cudaMalloc(&data, N * sizeof(int)));
  CHECK(cudaMalloc(&out, Blocks * sizeof(int)));
  fill<<<20, 64>>>(data, N);
  sums<<<Blocks, Threads>>>(data, out);
  std::vector<int> host(Blocks);
  CHECK(cudaMemcpy(host.data(), out, Blocks * sizeof(int),
                   cudaMemcpyDeviceToHost));
  for (int b = 0; b != Blocks; ++b) {
    int expected = 0;
    for (int i = b * Threads; i != (b + 1) * Threads; ++i)
      expected += 3 * i + 1;
    EXPECT(host[b] == expected);
  }
  std::printf("PASS\n");
}
