// Memory that is freed behind a kernel in its stream is the kernel's to use;
// what comes behind the free is told that it was freed.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_CHECK=1 %t | FileCheck %s
// CHECK: PASS
// RUN: not env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_CHECK=1 %t late 2>&1 \
// RUN:   | FileCheck --check-prefix=LATE %s
// LATE: that was freed

#include "../Inputs/check.h"

__global__ void busy(int *Data, int Rounds) {
  for (int I = 0; I < Rounds; ++I)
    Data[threadIdx.x] += I & 1;
}
__global__ void put(int *Data) { Data[threadIdx.x] = 1; }

int main(int Argc, char **) {
  const int N = 64;
  int *Kept, *Freed, Out[N] = {};
  cudaStream_t S;
  CHECK(cudaStreamCreate(&S));
  CHECK(cudaMalloc(&Kept, sizeof(Out)));
  CHECK(cudaMallocAsync(&Freed, sizeof(Out), S));
  busy<<<1, N, 0, S>>>(Kept, 100000);
  put<<<1, N, 0, S>>>(Freed);
  CHECK(cudaMemcpyAsync(Kept, Freed, sizeof(Out), cudaMemcpyDeviceToDevice, S));
  CHECK(cudaFreeAsync(Freed, S));
  CHECK(cudaStreamSynchronize(S));
  CHECK(cudaMemcpy(Out, Kept, sizeof(Out), cudaMemcpyDeviceToHost));
  EXPECT(Out[0] == 1 && Out[N - 1] == 1);
  if (Argc > 1) {
    // Another allocation, so that the runtime gives the freed one back.
    CHECK(cudaMalloc(&Kept, 1 << 20));
    put<<<1, N, 0, S>>>(Freed);
    CHECK(cudaStreamSynchronize(S));
  }
  return finish();
}
