// Attributes of kernels that clang ignores: the address of a parameter that is
// __grid_constant__ is the parameter's own, also in clones, and __maxnreg__ is
// heeded. What cannot be is an error. Warnings would be errors here.
//
// RUN: %gridspan++ -O2 -arch=sm_90 -std=c++17 -Wall -Wextra -Werror %s -o %t
// RUN: %compare --devices 1,2,3 --split scale --split few %t | FileCheck %s
// CHECK: sum 7340032 of 2 and 5
// RUN: %gridspan++ -O2 -arch=sm_90 -std=c++17 -S --cuda-device-only %s -o - \
// RUN:   | FileCheck --check-prefix=PTX %s
// PTX: .entry _Z5scale
// PTX: cvta.param.u64
// PTX: .entry _Z3few
// PTX: .maxnreg 24
// RUN: not %gridspan++ -arch=sm_90 -DCLUSTER -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck --check-prefix=CLUSTER %s
// CLUSTER: error: no __cluster_dims__ here: use cudaLaunchKernelEx

#include <cstdio>

struct Factors {
  int Of[64];
};

__device__ __noinline__ int factor(const Factors *F, int I) { return F->Of[I]; }

__global__ void scale(const __grid_constant__ Factors F, int *Data, int Count,
                      const __grid_constant__ int Which) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Data[I] = factor(&F, Which);
}

template <int Threads>
__global__ void __launch_bounds__(Threads) __maxnreg__(24)
    few(int *Data, int Count) {
  const int I = blockIdx.x * Threads + threadIdx.x;
  if (I < Count)
    Data[I] += 5;
}

#ifdef CLUSTER
__global__ void __cluster_dims__(2, 1, 1) paired(int *Data) { *Data = 1; }
#endif

__device__ __nv_pure__ int twice(int X) { return 2 * X; }
__global__ void unused(int *Data) { *Data = twice(*Data); }

int main() {
  const int Count = 1 << 20;
  int *Data;
  if (cudaMallocManaged(&Data, Count * sizeof(int)))
    return 1;
  Factors F = {};
  F.Of[63] = 2;
  scale<<<Count / 256, 256>>>(F, Data, Count, 63);
  few<256><<<Count / 256, 256>>>(Data, Count);
  if (cudaDeviceSynchronize())
    return 1;
  long Sum = 0;
  for (int I = 0; I < Count; ++I)
    Sum += Data[I];
  std::printf("sum %ld of 2 and 5\n", Sum);
}
