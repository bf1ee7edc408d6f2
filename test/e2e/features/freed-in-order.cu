// Memory that was freed in the order of a stream is gone before a launch on
// data larger than memory is planned: its frames would take the room of what
// the launch needs, which would then be read on the host.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=16MiB \
// RUN:   GRIDSPAN_REPORT=1 %t 2>&1 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=8MiB \
// RUN:   GRIDSPAN_REPORT=1 %t 2>&1 | FileCheck %s
// CHECK: PASS
// CHECK: transform{{.*}}: streamed 2 of 2 launches
// CHECK-NOT: for lack of room
// CHECK: streamed in all

#include "../Inputs/check.h"
#include <vector>

__global__ void fill(float *Out, int N) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Out[I] = float(I);
}

__global__ void transform(const float *In, float *Out, int N) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Out[I] = 2 * In[I] + 1;
}

int main() {
  const int N = 1 << 23;
  const size_t Bytes = N * sizeof(float);
  const unsigned Blocks = (N + 255) / 256;
  float *In, *Out, *Freed;
  CHECK(cudaMalloc(&In, Bytes));
  CHECK(cudaMalloc(&Out, Bytes));
  std::vector<float> Host(N, 3);
  CHECK(cudaMemcpy(In, Host.data(), Bytes, cudaMemcpyHostToDevice));
  for (int Turn = 0; Turn < 2; ++Turn) {
    CHECK(cudaMallocAsync(&Freed, Bytes, 0));
    fill<<<Blocks, 256>>>(Freed, N);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeAsync(Freed, 0));
    transform<<<Blocks, 256>>>(In, Out, N);
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaMemcpy(Host.data(), Out, Bytes, cudaMemcpyDeviceToHost));
  for (int I = 0; I < N; ++I)
    EXPECT(Host[I] == 7);
  puts("PASS");
}
