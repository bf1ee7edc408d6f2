// Remarks with source lines, and the same reasons in the report.
//
// RUN: %gridspan++ -O2 -lineinfo -Rpass=gridspan -Rpass-missed=gridspan %s -o %t 2> %t.log
// RUN: FileCheck --check-prefix=REMARK %s < %t.log
// RUN: %compare --devices 1,3 --split fine --refused counting=mutable-device-variable --refused waiting=waits-on-other-block %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"

__device__ int Counter;

// REMARK-DAG: remarks.cu:[[@LINE+1]]:{{.*}}fine{{.*}}[-Rpass=gridspan]
__global__ void fine(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = i;
}

// REMARK-DAG: summing{{.*}} may reduce into private copies of argument 1 by add.u32 [-Rpass=gridspan]
// REMARK-DAG: remarks.cu:[[@LINE+3]]:{{.*}}summing{{.*}} gets no private copies of argument 2: the kernel uses what an atomic returns [-Rpass-missed=gridspan]
__global__ void summing(unsigned *sum, unsigned *ticket, unsigned *last) {
  atomicAdd(sum, threadIdx.x);
  last[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(ticket, 1u);
}

__global__ void counting() {
  // REMARK-DAG: remarks.cu:[[@LINE+1]]:{{.*}}counting{{.*}}[-Rpass-missed=gridspan]
  atomicAdd(&Counter, 1);
}

__global__ void waiting(int *flag) {
  // REMARK-DAG: waiting{{.*}}[-Rpass-missed=gridspan]
  while (atomicAdd(flag, 0) == 0)
    ;
}

__global__ void assembly(int *data) {
  int lane;
  // REMARK-DAG: remarks.cu:[[@LINE+1]]:{{.*}}assembly{{.*}}[-Rpass-missed=gridspan]
  asm volatile("mov.u32 %0, %%smid;" : "=r"(lane));
  data[0] = lane >= 0;
}

int main(int argc, char **) {
  const int n = 10007;
  static int host[n];
  int *device = toDevice(host, n);
  fine<<<(n + 63) / 64, 64>>>(device, n);
  toHost(host, device, n);
  for (int i = 0; i < n; ++i)
    EXPECT(host[i] == i);
  counting<<<3, 5>>>();
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, Counter, sizeof(count)));
  EXPECT(count == 15);
  int set = 1;
  waiting<<<2, 2>>>(toDevice(&set, 1));
  CHECK(cudaDeviceSynchronize());
  if (argc > 100)
    assembly<<<1, 1>>>(device);
  return finish();
}
