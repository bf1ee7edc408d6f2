//===- GpuProbes.h - Kernels that each find one limit of a GPU --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Latencies are of dependent chains in one warp; rates are of one full block on
// each multiprocessor with eight independent chains a thread. Both are read off
// the multiprocessor's own clock. Chains are written in assembly so that no
// compiler shortens them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_MODEL_GPUPROBES_H
#define GRIDSPAN_BENCH_MODEL_GPUPROBES_H

#include <cstdint>

enum class Op { Fma, Dfma, Add, Mad, Ex2, Shuffle, Mixed };

template <Op O> __device__ inline void step(uint64_t &X) {
  auto &W = reinterpret_cast<unsigned &>(X);
  if constexpr (O == Op::Fma)
    asm volatile("{ .reg .f32 t; mov.b32 t, %0; fma.rn.f32 t, t, t, t; "
                 "mov.b32 %0, t; }"
                 : "+r"(W));
  else if constexpr (O == Op::Dfma)
    asm volatile("{ .reg .f64 t; mov.b64 t, %0; fma.rn.f64 t, t, t, t; "
                 "mov.b64 %0, t; }"
                 : "+l"(X));
  else if constexpr (O == Op::Add)
    asm volatile("add.u32 %0, %0, %1; xor.b32 %0, %0, %1;"
                 : "+r"(W)
                 : "r"(unsigned(X >> 32)));
  else if constexpr (O == Op::Mad)
    asm volatile("mad.lo.u32 %0, %0, %0, %0;" : "+r"(W));
  else if constexpr (O == Op::Ex2)
    asm volatile("{ .reg .f32 t; mov.b32 t, %0; ex2.approx.ftz.f32 t, t; "
                 "mov.b32 %0, t; }"
                 : "+r"(W));
  else if constexpr (O == Op::Shuffle)
    asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(W));
  else // One for each of two pipes.
    asm volatile("{ .reg .f32 t; mov.b32 t, %0; fma.rn.f32 t, t, t, t; "
                 "mov.b32 %0, t; xor.b32 %1, %1, %0; }"
                 : "+r"(W), "+r"(reinterpret_cast<unsigned *>(&X)[1]));
}

constexpr int Rounds = 64, Unroll = 16;

/// Cycles of Rounds * Unroll steps of Chains chains in each thread, per block:
/// until the last warp is done.
template <Op O, int Chains>
__global__ void __launch_bounds__(1024)
    pipe(long long *Cycles, uint64_t *Sink) {
  __shared__ unsigned long long Last;
  Last = 0;
  uint64_t X[Chains];
  for (int C = 0; C != Chains; ++C)
    X[C] = (threadIdx.x * 7 + C + 1) * 0x9e3779b97f4a7c15ull;
  __syncthreads();
  long long Begin = clock64();
#pragma unroll 1
  for (int R = 0; R != Rounds; ++R)
#pragma unroll
    for (int U = 0; U != Unroll; ++U)
#pragma unroll
      for (int C = 0; C != Chains; ++C)
        step<O>(X[C]);
  long long End = clock64();
  uint64_t Sum = 0;
  for (int C = 0; C != Chains; ++C)
    Sum += X[C];
  Sink[blockIdx.x * blockDim.x + threadIdx.x] = Sum;
  if (threadIdx.x % 32 == 0)
    atomicMax(&Last, (unsigned long long)(End));
  __syncthreads();
  if (threadIdx.x == 0)
    Cycles[blockIdx.x] = (long long)(Last)-Begin;
}

enum class Level { L1, L2 };

template <Level L> __device__ inline uint64_t chaseStep(uint64_t At) {
  uint64_t Next;
  if constexpr (L == Level::L1)
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(Next) : "l"(At));
  else
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(Next) : "l"(At));
  return Next;
}

/// Follows pointers from Start, once to warm up. Steps is a multiple of 8.
template <Level L>
__global__ void chase(uint64_t Start, int Warm, int Steps, long long *Cycles,
                      uint64_t *Sink) {
  uint64_t At = Start;
  for (int I = 0; I < Warm; ++I)
    At = chaseStep<L>(At);
  long long Begin = clock64();
  for (int I = 0; I < Steps; I += 8)
#pragma unroll
    for (int U = 0; U != 8; ++U)
      At = chaseStep<L>(At);
  *Cycles = clock64() - Begin;
  *Sink = At;
}

/// Word 0 of line i points to line (i * Factor + Add) % Lines: one cycle
/// through all of them if Factor - 1 is a multiple of 4, Add odd, and Lines a
/// power of two.
__global__ void makeChain(char *Base, size_t Lines, size_t LineBytes,
                          size_t Factor, size_t Add) {
  for (size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x; I < Lines;
       I += size_t(gridDim.x) * blockDim.x)
    *reinterpret_cast<uint64_t *>(Base + I * LineBytes) =
        reinterpret_cast<uint64_t>(Base +
                                   (I * Factor + Add) % Lines * LineBytes);
}

__global__ void chaseShared(int Steps, long long *Cycles, uint64_t *Sink) {
  __shared__ unsigned Next[256];
  for (int I = threadIdx.x; I < 256; I += 32)
    Next[I] = (I * 5 + 1) % 256;
  __syncwarp();
  unsigned At = threadIdx.x % 8;
  long long Begin = clock64();
#pragma unroll 8
  for (int I = 0; I < Steps; ++I)
    At = Next[At];
  *Cycles = clock64() - Begin;
  *Sink = At;
}

/// Requests that hit L1: lane l reads 4 bytes at l * LaneBytes, at most 4096
/// bytes in all, of 128 KiB.
__global__ void __launch_bounds__(1024)
    hitL1(const char *Data, int LaneBytes, long long *Cycles, uint64_t *Sink) {
  const char *P = Data + threadIdx.x % 32 * LaneBytes;
  unsigned Sum = 0;
  for (int Pass = 0; Pass != 2; ++Pass) {
    __syncthreads();
    long long Begin = clock64();
#pragma unroll 1
    for (int R = 0; R != Rounds; ++R) {
      const char *At = P + (R & 1) * 65536;
#pragma unroll
      for (int U = 0; U != Unroll; ++U) {
        unsigned V;
        asm volatile("ld.global.ca.u32 %0, [%1];"
                     : "=r"(V)
                     : "l"(At + U * 4096));
        Sum += V;
      }
    }
    __syncthreads();
    if (threadIdx.x == 0)
      Cycles[blockIdx.x] = clock64() - Begin;
  }
  Sink[blockIdx.x * blockDim.x + threadIdx.x] = Sum;
}

__global__ void __launch_bounds__(1024)
    hitShared(int LaneWords, long long *Cycles, uint64_t *Sink) {
  __shared__ unsigned Data[4096];
  for (int I = threadIdx.x; I < 4096; I += 1024)
    Data[I] = I;
  __syncthreads();
  unsigned At = threadIdx.x % 32 * LaneWords % 1024, Sum = 0;
  unsigned P = __cvta_generic_to_shared(Data + At);
  long long Begin = clock64();
#pragma unroll 1
  for (int R = 0; R != Rounds; ++R)
#pragma unroll
    for (int U = 0; U != Unroll; ++U) {
      unsigned V;
      asm volatile("ld.shared.u32 %0, [%1];"
                   : "=r"(V)
                   : "r"(P + (R & 1) * 4096 + U * 512));
      Sum += V;
    }
  __syncthreads();
  long long End = clock64();
  Sink[blockIdx.x * blockDim.x + threadIdx.x] = Sum;
  if (threadIdx.x == 0)
    Cycles[blockIdx.x] = End - Begin;
}

__global__ void __launch_bounds__(1024) barriers(long long *Cycles) {
  __syncthreads();
  long long Begin = clock64();
#pragma unroll 1
  for (int R = 0; R != Rounds; ++R)
#pragma unroll
    for (int U = 0; U != Unroll; ++U)
      __syncthreads();
  if (threadIdx.x == 0)
    Cycles[blockIdx.x] = clock64() - Begin;
}

// Streams: all multiprocessors, timed from outside.

__global__ void readAll(const uint4 *Data, size_t Count, int Passes,
                        uint64_t *Sink) {
  unsigned Sum = 0;
  size_t Step = size_t(gridDim.x) * blockDim.x;
  for (int Pass = 0; Pass != Passes; ++Pass)
    for (size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x; I < Count;
         I += 4 * Step)
#pragma unroll
      for (int U = 0; U != 4; ++U) {
        size_t At = I + U * Step;
        if (At >= Count)
          break;
        uint4 V;
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(V.x), "=r"(V.y), "=r"(V.z), "=r"(V.w)
                     : "l"(Data + At));
        Sum += V.x ^ V.y ^ V.z ^ V.w;
      }
  if (Sum == 12345678)
    *Sink = Sum;
}
__global__ void fillAll(float4 *Out, size_t Count) {
  for (size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x; I < Count;
       I += size_t(gridDim.x) * blockDim.x)
    Out[I] = make_float4(1, 2, 3, 4);
}
__global__ void copyAll(const float4 *In, float4 *Out, size_t Count) {
  size_t Step = size_t(gridDim.x) * blockDim.x;
  for (size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x; I < Count;
       I += 4 * Step) {
    float4 V[4];
#pragma unroll
    for (int U = 0; U != 4; ++U)
      if (I + U * Step < Count)
        V[U] = In[I + U * Step];
#pragma unroll
    for (int U = 0; U != 4; ++U)
      if (I + U * Step < Count)
        Out[I + U * Step] = V[U];
  }
}
/// Every sector of Count of them on its own, in no order.
__global__ void readSectors(const char *Data, size_t Count, uint64_t *Sink) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  size_t At = I * 2654435761u % Count;
  if (*reinterpret_cast<const unsigned *>(Data + At * 32) == 12345)
    *Sink = 1;
}
__global__ void writeSectors(char *Data, size_t Count) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  size_t At = I * 2654435761u % Count;
  *reinterpret_cast<unsigned *>(Data + At * 32) = 1;
}
__global__ void maxOne(unsigned *Most, unsigned *Sink) {
  unsigned Old = atomicMax(Most, threadIdx.x);
  if (Old > 5000)
    *Sink = Old;
}
__global__ void addOne(unsigned *Count) { atomicAdd(Count, 1u); }
__global__ void addEach(unsigned *Count, unsigned Step, unsigned Mask) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(Count + (I * Step & Mask), 1u);
}
__global__ void addShared(int Same, long long *Cycles, uint64_t *Sink) {
  __shared__ unsigned Bins[1024];
  Bins[threadIdx.x] = 0;
  __syncthreads();
  unsigned *P = Bins + (Same ? threadIdx.x / 32 : threadIdx.x);
  long long Begin = clock64();
  for (int R = 0; R != Rounds; ++R)
    atomicAdd(P, threadIdx.x);
  __syncthreads();
  long long End = clock64();
  Sink[blockIdx.x * blockDim.x + threadIdx.x] = Bins[threadIdx.x];
  if (threadIdx.x == 0)
    Cycles[blockIdx.x] = End - Begin;
}
__global__ void nothing() {}
__global__ void clocks(long long *Out) {
  if (threadIdx.x || blockIdx.x)
    return;
  unsigned long long T0, T1;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(T0));
  long long C0 = clock64();
  do
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(T1));
  while (T1 - T0 < 2000000);
  Out[0] = clock64() - C0;
  Out[1] = T1 - T0;
}

#endif // GRIDSPAN_BENCH_MODEL_GPUPROBES_H
