// Asynchronous copies into shared memory, barriers in shared memory, and
// addresses of shared memory in 32 bits, as CUDA's headers write them.
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu %t | FileCheck %s
// CHECK: pipeline: 0 wrong
// CHECK: barrier: 0 wrong
// CHECK: bulk: 0 wrong
// CHECK: narrow: 0 wrong
// CHECK: elected: 0 wrong
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cuda/barrier>
#include <cuda_pipeline.h>

constexpr int Threads = 96, Tiles = 6, N = Threads * Tiles;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// Two tiles in flight; every thread reads what its neighbour has copied.
__global__ void pipelined(const float4 *In, float *Out) {
  __shared__ float4 Tile[2][Threads];
  const int T = threadIdx.x;
  auto Fetch = [&](int I) {
    if (I < Tiles)
      __pipeline_memcpy_async(&Tile[I % 2][T], &In[I * Threads + T],
                              sizeof(float4));
    __pipeline_commit();
  };
  Fetch(0);
  for (int I = 0; I < Tiles; ++I) {
    Fetch(I + 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    Out[I * Threads + T] = Tile[I % 2][(T + 1) % Threads].y;
    __syncthreads();
  }
}

// Warps wait for each other only where they need to.
__global__ void arriving(const int *In, int *Out) {
  __shared__ Barrier Ready;
  __shared__ int Tile[Threads];
  const int T = threadIdx.x;
  if (T == 0)
    init(&Ready, blockDim.x);
  __syncthreads();
  for (int I = 0; I < Tiles; ++I) {
    cuda::memcpy_async(&Tile[T], &In[I * Threads + T], sizeof(int), Ready);
    Ready.arrive_and_wait();
    Out[I * Threads + T] = Tile[Threads - 1 - T];
    Barrier::arrival_token Read = Ready.arrive();
    Ready.wait(std::move(Read));
  }
}

// One thread copies for all.
__global__ void bulk(const int *In, int *Out) {
  __shared__ alignas(16) int Tile[Threads];
  __shared__ Barrier Ready;
  const int T = threadIdx.x;
  if (T == 0)
    init(&Ready, blockDim.x);
  __syncthreads();
  for (int I = 0; I < Tiles; ++I) {
    Barrier::arrival_token Token;
    if (T == 0) {
      cuda::device::memcpy_async_tx(Tile, In + I * Threads,
                                    cuda::aligned_size_t<16>(sizeof(Tile)),
                                    Ready);
      Token = cuda::device::barrier_arrive_tx(Ready, 1, sizeof(Tile));
    } else {
      Token = Ready.arrive();
    }
    Ready.wait(std::move(Token));
    Out[I * Threads + T] = Tile[(T + 5) % Threads];
    __syncthreads();
  }
}

__global__ void narrow(int *Out) {
  __shared__ int Tile[Threads];
  extern __shared__ int More[];
  const int T = threadIdx.x;
  const uint32_t At = static_cast<uint32_t>(__cvta_generic_to_shared(Tile));
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(At + 4 * T), "r"(T * T)
               : "memory");
  uint32_t Second;
  asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }"
      : "=r"(Second)
      : "l"(More));
  asm volatile("st.shared.u32 [%0+4], %1;" ::"r"(Second + 8 * T), "r"(T)
               : "memory");
  __syncthreads();
  const int Other = (T + 1) % Threads;
  int Square;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(Square) : "r"(At + 4 * Other));
  Out[T] = Square + More[2 * Other + 1];
}

__global__ void elected(int *Out) {
  uint32_t Leader, IsLeader;
  asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p; }"
               : "=r"(Leader), "=r"(IsLeader)
               : "r"(0xffffffff));
  Out[threadIdx.x] =
      (Leader < 32) && (IsLeader == (threadIdx.x % 32 == Leader));
}

template <typename Fn>
static void check(const char *Name, int Count, Fn Right) {
  const cudaError_t E = cudaDeviceSynchronize();
  if (E != cudaSuccess)
    std::printf("%s\n", cudaGetErrorString(E));
  int Wrong = 0;
  for (int I = 0; I < Count; ++I)
    Wrong += !Right(I);
  std::printf("%s: %d wrong\n", Name, Wrong);
}

int main() {
  float4 *Vectors;
  float *Floats;
  int *In, *Out;
  cudaMallocManaged(&Vectors, N * sizeof(float4));
  cudaMallocManaged(&Floats, N * sizeof(float));
  cudaMallocManaged(&In, N * sizeof(int));
  cudaMallocManaged(&Out, N * sizeof(int));
  for (int I = 0; I < N; ++I) {
    Vectors[I] = {0, float(3 * I), 0, 0};
    In[I] = 7 * I;
  }
  auto Base = [](int I) { return I / Threads * Threads; };
  pipelined<<<1, Threads>>>(Vectors, Floats);
  check("pipeline", N,
        [&](int I) { return Floats[I] == 3 * (Base(I) + (I + 1) % Threads); });
  arriving<<<1, Threads>>>(In, Out);
  check("barrier", N, [&](int I) {
    return Out[I] == 7 * (Base(I) + Threads - 1 - I % Threads);
  });
  bulk<<<1, Threads>>>(In, Out);
  check("bulk", N,
        [&](int I) { return Out[I] == 7 * (Base(I) + (I + 5) % Threads); });
  narrow<<<1, Threads, 8 * Threads>>>(Out);
  check("narrow", Threads, [&](int I) {
    const int Other = (I + 1) % Threads;
    return Out[I] == Other * Other + Other;
  });
  elected<<<1, Threads>>>(Out);
  check("elected", Threads, [&](int I) { return Out[I] == 1; });
}
