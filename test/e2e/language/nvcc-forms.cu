// Source text that only nvcc takes, in the source and in a header of its own.
// RUN: split-file %s %t
// RUN: %gridspan++ -O2 -Wno-error %t/main.cu -o %t.out
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t.out | FileCheck %s
// CHECK: 0 wrong

// Diagnostics are at their lines.
// RUN: not %gridspan++ -c -DWRONG %t/main.cu -o %t.o 2>&1 \
// RUN:   | FileCheck --check-prefix=LINE %s
// LINE: main.cu:13:3: error: use of undeclared identifier 'Unknown'

// clang alone has errors.
// RUN: not %gridspan++ -fno-gridspan -c %t/main.cu -o %t.o

//--- main.cu
#include "lane.h"
#include <cstdint>
#include <cstdio>

__global__ void lanes(unsigned *Out) {
  static __shared__ alignas(16) unsigned Lanes[64];
  Lanes[threadIdx.x] = lane();
  __syncthreads();
  unsigned Block;
  asm("mov.u32 %0, %ctaid.x;" : "=r"(Block));
  unsigned Misaligned = reinterpret_cast<uintptr_t>(Lanes) % 16 != 0;
#ifdef WRONG
  Unknown = 1;
#endif
  store(Out + blockIdx.x * 64 + threadIdx.x,
        Lanes[63 - threadIdx.x] + 100 * Block + Misaligned);
}

int main() {
  unsigned *Out;
  cudaMallocManaged(&Out, 4 * 64 * sizeof(unsigned));
  lanes<<<4, 64>>>(Out);
  int Wrong = cudaDeviceSynchronize() != cudaSuccess;
  for (unsigned I = 0; I < 4 * 64; ++I)
    Wrong += Out[I] != (63 - I % 64) % 32 + 100 * (I / 64);
  printf("%d wrong\n", Wrong);
}

//--- lane.h
#define LANE(Out) asm("mov.u32 %0, %laneid;" : "=r"(Out))
__device__ inline unsigned lane() {
  unsigned Out;
  LANE(Out);
  return Out;
}
__device__ inline void store(unsigned *Out, unsigned V) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(Out) "r"(V) : "memory");
}
