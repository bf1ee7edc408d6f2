// Memory that a launch adds to a block's shared memory is as aligned as its
// variable asks for, whatever the kernel's own shared variables take.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <cstdint>

extern __shared__ __align__(256) char Added[];

/// Returns how far the address is from one that is aligned. The compiler, which
/// knows what the variable asks for, does not see which address it is.
__device__ uint64_t beyond(void *Address, uint64_t Alignment) {
  void *volatile Hidden = Address;
  return reinterpret_cast<uintptr_t>(Hidden) % Alignment;
}

__global__ void place(uint64_t *Out) {
  __shared__ int Own[16];
  Own[threadIdx.x] = Added[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const int Next = (threadIdx.x + 1) % 16;
  Out[blockIdx.x * blockDim.x + threadIdx.x] =
      beyond(Added, 256) + Own[Next] - Added[Next];
}

/// The same memory in a function of its own.
__device__ __noinline__ uint64_t where() {
  extern __shared__ __align__(128) int Words[];
  return beyond(Words, 128);
}
__global__ void placeInCall(uint64_t *Out) {
  __shared__ short Own[16];
  Own[threadIdx.x] = 0;
  __syncthreads();
  Out[blockIdx.x * blockDim.x + threadIdx.x] =
      where() + Own[(threadIdx.x + 1) % 16];
}

int main() {
  const int Count = 64;
  uint64_t Host[Count];
  for (auto *Kernel : {place, placeInCall}) {
    for (uint64_t &H : Host)
      H = 1;
    uint64_t *Out = toDevice(Host, Count);
    Kernel<<<4, 16, 512>>>(Out);
    toHost(Host, Out, Count);
    for (uint64_t H : Host)
      EXPECT(H == 0);
    CHECK(cudaFree(Out));
  }
  return finish();
}
