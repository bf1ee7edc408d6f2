// Threads that wait for time to pass wait together, as on a GPU: each thread of a
// block has read the clock before the first one has waited long enough.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t | FileCheck %s
// RUN: %gridspan++ -O0 %s -o %t.O0
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t.O0 | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <algorithm>
#include <vector>

__global__ void waitFor(long long Cycles, long long *Begin, long long *End) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  const long long Start = clock64();
  long long Now = Start;
  while (Now - Start < Cycles)
    Now = clock64();
  Begin[I] = Start;
  End[I] = Now;
}

int main() {
  constexpr int Blocks = 4, Threads = 128, N = Blocks * Threads;
  long long *Begin, *End;
  CHECK(cudaMallocManaged(&Begin, N * sizeof(long long)));
  CHECK(cudaMallocManaged(&End, N * sizeof(long long)));
  waitFor<<<Blocks, Threads>>>(100000, Begin, End);
  CHECK(cudaDeviceSynchronize());
  for (int B = 0; B < Blocks; ++B) {
    const int First = B * Threads, Last = First + Threads;
    EXPECT(*std::max_element(Begin + First, Begin + Last) <
           *std::min_element(End + First, End + Last));
    for (int I = First; I < Last; ++I)
      EXPECT(End[I] - Begin[I] >= 100000);
  }
  CHECK(cudaFree(Begin));
  CHECK(cudaFree(End));
  return finish();
}
