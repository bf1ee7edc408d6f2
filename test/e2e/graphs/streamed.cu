// A graph of fills, kernels and copies of rows on memory larger than the
// devices: a node finds what those before it have done, though fills and
// launches may wait for others.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=256KiB %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=128KiB GRIDSPAN_SCHEDULE=static %t | FileCheck %s
//
// CHECK: PASS

#include "../Inputs/check.h"
#include <vector>

constexpr int Width = 256, Height = 1024, N = Width * Height;

__global__ void add(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] += 2;
}

int main() {
  int *p = nullptr;
  CHECK(cudaMalloc(&p, N * sizeof(int)));
  std::vector<int> first(N, -1), second(N, -1), third(N, -1);
  const size_t row = Width * sizeof(int);
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(p, 0, N * sizeof(int), s));
  CHECK(cudaMemcpy2DAsync(first.data(), row, p, row, row, Height,
                          cudaMemcpyDeviceToHost, s));
  add<<<N / 256, 256, 0, s>>>(p, N);
  CHECK(cudaMemcpy2DAsync(second.data(), row, p, row, row, Height,
                          cudaMemcpyDeviceToHost, s));
  CHECK(cudaMemsetAsync(p, 0, N * sizeof(int), s));
  CHECK(cudaMemset2DAsync(p, row, 1, row / 2, Height, s));
  add<<<N / 256, 256, 0, s>>>(p, N);
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(s, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (int round = 0; round < 2; ++round) {
    CHECK(cudaGraphLaunch(exec, s));
    if (round == 1)
      CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemcpy(third.data(), p, N * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N && !Failures; ++i) {
      EXPECT(first[i] == 0);
      EXPECT(second[i] == 2);
      EXPECT(third[i] == (i % Width < Width / 2 ? 0x01010103 : 2));
    }
  }
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(s));
  CHECK(cudaFree(p));
  return finish();
}
