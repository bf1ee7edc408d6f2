// One CPU device runs blocks on several threads: atomics, shared memory, barriers,
// output in the order of blocks, the earliest error, and blocks that wait for
// each other. Threads that wait for work do not keep the program from ending.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_CPU_THREADS=4 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_CPU_THREADS=2 %t | FileCheck %s
// RUN: env -u GRIDSPAN_CPU_THREADS GRIDSPAN_DEVICES=cpu:2 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_CPU_THREADS=4 %t trap 2>&1 | FileCheck --check-prefix TRAP %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_CPU_THREADS=4 %t assert 2>&1 | FileCheck --check-prefix ASSERT %s
// RUN: not env GRIDSPAN_CPU_THREADS=0 %t 2>&1 | FileCheck --check-prefix BAD %s
// But for addresses, a trace is the same whatever the number of threads.
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_CPU_THREADS=1 GRIDSPAN_TRACE_ACCESS=%t.1 %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_CPU_THREADS=4 GRIDSPAN_TRACE_ACCESS=%t.4 %t
// RUN: gridspan-trace %t.1 | sed "s,: [0-9a-f ]*$,," > %t.1.text
// RUN: gridspan-trace %t.4 | sed "s,: [0-9a-f ]*$,," > %t.4.text
// RUN: cmp %t.1.text %t.4.text
//
// CHECK: block 0 says 100
// CHECK-NEXT: block 1 says 101
// CHECK-NEXT: block 2 says 102
// CHECK-NEXT: block 3 says 103
// CHECK-NEXT: block 4 says 104
// CHECK-NEXT: block 5 says 105
// CHECK: PASS
// TRAP: a thread of block (3, 0, 0) executed a trap
// TRAP-NEXT: synchronize cudaErrorLaunchFailure
// ASSERT: block: [3,0,0], thread: [0,0,0] Assertion `blockIdx.x < 3` failed
// ASSERT-NEXT: synchronize cudaErrorAssert
// BAD: gridspan: GRIDSPAN_CPU_THREADS=0: expected a number from 1 to 1024

#include "../Inputs/check.h"
#include <cassert>
#include <cstring>

__device__ int total;

__global__ void count(int *bins) {
  __shared__ int mine;
  if (threadIdx.x == 0)
    mine = 0;
  __syncthreads();
  atomicAdd(&mine, 1);
  atomicAdd(&bins[threadIdx.x % 7], 1);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(&total, mine);
}

__global__ void speak() {
  printf("block %d says %d\n", blockIdx.x, 100 + blockIdx.x);
}

__global__ void trapFrom(int first) {
  if (blockIdx.x >= first)
    __trap();
}

__global__ void assertBelow() { assert(blockIdx.x < 3); }

__global__ void inTurn(int *turn) {
  if (threadIdx.x == 0) {
    while (atomicAdd(turn, 0) != blockIdx.x) {
    }
    atomicAdd(turn, 1);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) {
    if (strcmp(argv[1], "trap") == 0)
      trapFrom<<<200, 32>>>(3);
    else
      assertBelow<<<200, 32>>>();
    printf("synchronize %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
  }
  int bins[7] = {}, sum = 0;
  int *device = toDevice(bins, 7);
  for (int turn = 0; turn < 10; ++turn)
    count<<<100, 70>>>(device);
  toHost(bins, device, 7);
  for (int bin = 0; bin < 7; ++bin)
    EXPECT(bins[bin] == 10000);
  CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof(sum)));
  EXPECT(sum == 70000);

  speak<<<6, 1>>>();
  CHECK(cudaDeviceSynchronize());

  int turn = 0;
  int *deviceTurn = toDevice(&turn, 1);
  inTurn<<<64, 32>>>(deviceTurn);
  toHost(&turn, deviceTurn, 1);
  EXPECT(turn == 64);
  return finish();
}
