// Several host threads at once, each with its own memory and streams; the last
// error belongs to a thread.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --devices 1,2,4 --split add %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <atomic>
#include <thread>
#include <vector>

__global__ void add(int *data, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] += value;
}

static std::atomic<int> Wrong;

static void work(int id) {
  const int n = 5000 + 1001 * id;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int round = 0; round < 10; ++round) {
    int *device;
    std::vector<int> host(n, id);
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    CHECK(cudaMemcpyAsync(device, host.data(), n * sizeof(int),
                          cudaMemcpyHostToDevice, stream));
    for (int k = 0; k < 5; ++k)
      add<<<(n + 63) / 64, 64, 0, stream>>>(device, n, k);
    CHECK(cudaMemcpyAsync(host.data(), device, n * sizeof(int),
                          cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int v : host)
      Wrong += v != id + 10;
    CHECK(cudaFree(device));
  }
  // One thread's mistake.
  if (id == 0)
    add<<<1, 4096>>>(nullptr, 0, 0);
  Wrong +=
      cudaGetLastError() != (id == 0 ? cudaErrorInvalidValue : cudaSuccess);
  CHECK(cudaStreamDestroy(stream));
}

int main() {
  std::vector<std::thread> threads;
  for (int id = 0; id < 6; ++id)
    threads.emplace_back(work, id);
  for (std::thread &t : threads)
    t.join();
  EXPECT(Wrong == 0);
  return finish();
}
