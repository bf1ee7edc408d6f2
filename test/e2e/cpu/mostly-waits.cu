// A large kernel that mostly waits for other threads has one version for the
// CPU device, which also records accesses. With a loop that does not wait it has
// two.
// RUN: %gridspan++ -O2 %s -o %t
// RUN: llvm-nm %t | FileCheck %s --check-prefix=NAMES
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_CHECK=1 %t | FileCheck %s
// CHECK: PASS
//
// Without code that records accesses it needs the other.
// RUN: %gridspan++ -O2 -mllvm -gridspan-cpu-trace=false %s -o %t.nt
// RUN: llvm-nm %t.nt | FileCheck %s --check-prefix=ONE
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t.nt | FileCheck %s
//
// NAMES-NOT: __gridspan_cpu.run._Z7shufflePi
// NAMES: __gridspan_cpu.run._Z4bothPii
// NAMES-NOT: __gridspan_cpu.run._Z7shufflePi
// NAMES: __gridspan_cpu.trace._Z4bothPii
// NAMES: __gridspan_cpu.trace._Z7shufflePi
// ONE-NOT: __gridspan_cpu.trace
// ONE: __gridspan_cpu.run._Z4bothPii
// ONE: __gridspan_cpu.run._Z7shufflePi

#include "../Inputs/check.h"
#include <vector>

constexpr int Lanes = 32, Blocks = 4, Values = 64;

/// Makes each value the sum of the lanes' values. Each waits for the one before.
__device__ void sumLanes(int *v) {
#pragma unroll
  for (int i = 0; i < Values; ++i) {
    if (i)
      v[i] ^= v[i - 1];
#pragma unroll
    for (int mask = 1; mask < Lanes; mask *= 2)
      v[i] += __shfl_xor_sync(~0u, v[i], mask);
  }
}

__device__ void add(int *out, const int *v) {
#pragma unroll
  for (int i = 0; i < Values; ++i)
    out[(blockIdx.x * Lanes + threadIdx.x) * Values + i] += v[i];
}

__device__ void load(int *v, const int *in) {
#pragma unroll
  for (int i = 0; i < Values; ++i)
    v[i] = in[(blockIdx.x * Lanes + threadIdx.x) * Values + i];
}

__global__ void shuffle(int *data) {
  int v[Values];
  load(v, data);
  sumLanes(v);
  add(data, v);
}

__global__ void both(int *data, int n) {
  int v[Values];
  load(v, data);
  for (int i = 1; i < n; ++i)
    v[0] ^= data[(blockIdx.x * Lanes + threadIdx.x) * Values + i % Values] * i;
  sumLanes(v);
  add(data, v);
}

int main() {
  constexpr int Size = Blocks * Lanes * Values;
  std::vector<int> host(Size), result(Size);
  for (int i = 0; i < Size; ++i)
    host[i] = i * 7 % 101;
  int *data = toDevice(host.data(), Size);
  shuffle<<<Blocks, Lanes>>>(data);
  both<<<Blocks, Lanes>>>(data, 100);
  CHECK(cudaDeviceSynchronize());
  toHost(result.data(), data, Size);
  for (int round = 0; round < 2; ++round)
    for (int b = 0; b < Blocks; ++b) {
      int *block = &host[b * Lanes * Values], sum[Values] = {};
      for (int t = 0; t < Lanes; ++t) {
        int *v = block + t * Values, first = v[0];
        for (int i = 1; round && i < 100; ++i)
          first ^= v[i % Values] * i;
        sum[0] += first;
      }
      for (int i = 1; i < Values; ++i)
        for (int t = 0; t < Lanes; ++t)
          sum[i] += block[t * Values + i] ^ sum[i - 1];
      for (int t = 0; t < Lanes; ++t)
        for (int i = 0; i < Values; ++i)
          block[t * Values + i] += sum[i];
    }
  EXPECT(result == host);
  CHECK(cudaFree(data));
  return finish();
}
