//===- allocations.cu - Costs of allocating and freeing -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times loops of cudaMalloc, a copy to the device, a launch, and cudaFree; the
// first and the last alone; the same in stream order; and a thousand
// allocations of many sizes that are there at one time.
//
// Usage: allocations [rounds] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/common/DeviceData.h"
#include <string>

__global__ void addOne(unsigned *Data, size_t N) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N)
    Data[I] += 1;
}

static void addOne(unsigned *Data, size_t N, cudaStream_t S) {
  addOne<<<(N + 255) / 256, 256, 0, S>>>(Data, N);
  CHECK(cudaGetLastError());
}

static unsigned *allocate(size_t N) {
  unsigned *Out;
  CHECK(cudaMalloc(&Out, N * sizeof(unsigned)));
  return Out;
}

int main(int Argc, char **Argv) {
  size_t Rounds = argument(Argc, Argv, 1, 200);
  int Repetitions = argument(Argc, Argv, 2, 5);
  auto Each = [&](size_t Count, auto Round) {
    return medianSeconds(Repetitions,
                         [&] {
                           for (size_t I = 0; I < Count; ++I)
                             Round();
                           CHECK(cudaDeviceSynchronize());
                         }) /
           Count;
  };
  cudaStream_t S;
  CHECK(cudaStreamCreate(&S));
  for (size_t MiB : {1, 4, 16, 64}) {
    const size_t N = (MiB << 20) / sizeof(unsigned), Bytes = MiB << 20;
    const std::string Size = "_" + std::to_string(MiB) + "_mib";
    std::vector<unsigned> Host(N, 7);
    unsigned long long Sum = 0;
    double Seconds = Each(Rounds, [&] {
      unsigned *Data = allocate(N);
      CHECK(cudaMemcpy(Data, Host.data(), Bytes, cudaMemcpyHostToDevice));
      addOne(Data, N, nullptr);
      CHECK(cudaFree(Data));
    });
    // The same once more, to look at the result.
    unsigned *Data = allocate(N);
    CHECK(cudaMemcpy(Data, Host.data(), Bytes, cudaMemcpyHostToDevice));
    addOne(Data, N, nullptr);
    Sum = checksum(Data, N);
    CHECK(cudaFree(Data));
    report(("malloc_copy_launch_free" + Size).c_str(), Seconds, Bytes, Sum);

    Seconds = Each(Rounds, [&] { CHECK(cudaFree(allocate(N))); });
    report(("malloc_free" + Size).c_str(), Seconds, 0, 0);

    Seconds = Each(Rounds, [&] {
      unsigned *Mine;
      CHECK(cudaMallocAsync(&Mine, Bytes, S));
      CHECK(cudaMemsetAsync(Mine, 0, Bytes, S));
      addOne(Mine, N, S);
      CHECK(cudaFreeAsync(Mine, S));
    });
    report(("malloc_async" + Size).c_str(), Seconds, 0, 0);
  }

  constexpr size_t Count = 1000, Most = size_t(1) << 20;
  std::vector<unsigned *> All(Count);
  double Seconds = Each(4, [&] {
    for (size_t I = 0; I < Count; ++I)
      All[I] = allocate(1 + I * 7919 % Most);
    for (size_t I = 0; I < Count; ++I)
      CHECK(cudaFree(All[I * 617 % Count]));
  });
  report("thousand_allocations", Seconds / Count, 0, 0);
  Seconds = Each(4, [&] {
    for (size_t I = 0; I < Count; ++I)
      All[I] = allocate(1 + I * 31 % 256);
    for (size_t I = 0; I < Count; ++I)
      CHECK(cudaFree(All[I * 617 % Count]));
  });
  report("thousand_small_allocations", Seconds / Count, 0, 0);
  CHECK(cudaStreamDestroy(S));
}
