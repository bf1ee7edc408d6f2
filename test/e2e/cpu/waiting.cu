// Threads that spin: a lock that all threads want, blocks that wait for the one
// before, or for the one behind in turns with a barrier, and a barrier of the
// grid without a cooperative launch, which needs all blocks at once.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_CPU_THREADS=1 %t | FileCheck %s
// RUN: %gridspan++ -O0 %s -o %t.O0
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t.O0 | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"

__global__ void lockAndCount(int *lock, int *count) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *count = *count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

__global__ void chainedSum(int *flags, int *sums, const int *in) {
  if (threadIdx.x != 0)
    return;
  int before = 0, b = blockIdx.x;
  if (b > 0) {
    while (atomicAdd(&flags[b - 1], 0) == 0) {
    }
    __threadfence();
    before = *(volatile int *)&sums[b - 1];
  }
  sums[b] = before + in[b];
  __threadfence();
  atomicExch(&flags[b], 1);
}

/// Each element waits for the one behind.
__global__ void fromTheEnd(volatile int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < n) {
    const int behind = i + 1 == n ? 1 : data[i + 1];
    if (behind) {
      data[i] = behind + 1;
      i += gridDim.x * blockDim.x;
    }
    __syncthreads();
  }
}

__global__ void homemadeBarrier(volatile int *arrived, int *data) {
  data[blockIdx.x] = blockIdx.x;
  __threadfence();
  if (threadIdx.x == 0) {
    atomicAdd((int *)arrived, 1);
    while (*arrived < (int)gridDim.x) {
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int b = 0; b < (int)gridDim.x; ++b)
      sum += ((volatile int *)data)[b];
    data[gridDim.x + blockIdx.x] = sum;
  }
}

int main() {
  int data[300] = {}, *device = toDevice(data, 300);
  lockAndCount<<<4, 64>>>(device, device + 1);
  toHost(data, device, 2);
  EXPECT(data[1] == 256);

  for (int b = 0; b < 100; ++b) {
    data[b] = 0;
    data[200 + b] = b;
  }
  CHECK(cudaMemcpy(device, data, sizeof(data), cudaMemcpyHostToDevice));
  chainedSum<<<100, 32>>>(device, device + 100, device + 200);
  toHost(data, device, 300);
  EXPECT(data[199] == 4950);

  CHECK(cudaMemset(device, 0, sizeof(data)));
  homemadeBarrier<<<12, 33>>>(device, device + 1);
  toHost(data, device, 300);
  for (int b = 0; b < 12; ++b)
    EXPECT(data[1 + 12 + b] == 66);

#ifdef __OPTIMIZE__ // else nothing tells that the loop may wait
  CHECK(cudaMemset(device, 0, sizeof(data)));
  fromTheEnd<<<8, 8>>>(device, 64);
  toHost(data, device, 64);
  for (int i = 0; i < 64; ++i)
    EXPECT(data[i] == 65 - i);
#endif
  return finish();
}
