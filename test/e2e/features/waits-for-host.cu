// A kernel that waits for the host, and is refused for something else first,
// touches paged managed memory: the launch returns before the kernel is over.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_REPORT=1 %t > %t.out 2> %t.report
// RUN: FileCheck --check-prefix=OUT %s < %t.out
// RUN: FileCheck %s < %t.report
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static %t | FileCheck --check-prefix=OUT %s
//
// OUT: PASS
// CHECK: waits({{.*}} waits-on-other-block
// CHECK: waits({{.*}}: cannot be split: a loop waits for memory{{.*}}multiprocessor

#include "../Inputs/check.h"
#include <unistd.h>

__global__ void waits(volatile int *flag, unsigned *where, int n) {
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  *where = id;
  while (*flag == 0) {
  }
  flag[n] = 7;
}

int main() {
  constexpr int N = 1 << 18; // larger than the devices
  int *flag = nullptr;
  unsigned *where = nullptr;
  CHECK(cudaMallocManaged(&flag, (N + 1) * sizeof(int)));
  CHECK(cudaMalloc(&where, sizeof(unsigned)));
  flag[0] = flag[N] = 0;
  alarm(60); // rather than wait for ever
  waits<<<1, 1>>>(flag, where, N);
  CHECK(cudaGetLastError());
  *(volatile int *)flag = 1;
  CHECK(cudaDeviceSynchronize());
  EXPECT(flag[N] == 7);
  CHECK(cudaFree(where));
  CHECK(cudaFree(flag));
  return finish();
}
