//===- request_latency.cu - Latency of the loads of a lone warp -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   request_latency > cycles.txt
//
// One warp on each multiprocessor. A step loads from 1 to 4 addresses at once
// and goes on when all have arrived. "where order lane-bytes width loads
// distance cycles": data in L2 or in memory; warps side by side, or each step
// of each warp anywhere, or each lane anywhere; bytes from lane to lane, and of
// a lane; places, and bytes between them.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t Error, const char *What) {
  if (Error == cudaSuccess)
    return;
  fprintf(stderr, "request_latency: %s: %s\n", What, cudaGetErrorString(Error));
  exit(1);
}

enum class Order { Beside, Warps, Lanes };

__device__ inline uint32_t mixed(uint32_t X) {
  X ^= X >> 16;
  X *= 0x7feb352du;
  X ^= X >> 15;
  X *= 0x846ca68bu;
  return X ^ X >> 16;
}

template <class T> __device__ inline float first(T Value) { return Value.x; }
template <> __device__ inline float first(float Value) { return Value; }

/// Evicts all earlier data from L2.
__global__ void flush(const float4 *Data, size_t Count, float *Sink) {
  float Sum = 0;
  for (size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x; I < Count;
       I += size_t(gridDim.x) * blockDim.x)
    Sum += Data[I].x;
  if (Sum == 1)
    *Sink = Sum;
}

/// Row: bytes from warp to warp. Mask: of the bytes walked over, less one.
template <class T, int Loads>
__global__ void walk(const char *Data, uint32_t LaneBytes, uint32_t Distance,
                     uint32_t Row, uint32_t Mask, Order How, int Steps,
                     long long *Cycles, float *Sink) {
  extern __shared__ float Scratch[];
  Scratch[threadIdx.x] = 0;
  uint32_t Lane = threadIdx.x;
  uint32_t At = blockIdx.x * Row;
  float Sum = Scratch[Lane];
  long long Begin = clock64();
  for (int Step = 0; Step < Steps; ++Step) {
    const char *P = Data + At + Lane * LaneBytes;
    if (How == Order::Lanes)
      P = Data + ((mixed(At + Lane * 7919u) * LaneBytes) & Mask);
    T Values[Loads];
#pragma unroll
    for (int I = 0; I < Loads; ++I)
      Values[I] = *reinterpret_cast<const T *>(P + size_t(I) * Distance);
#pragma unroll
    for (int I = 0; I < Loads; ++I)
      Sum = Sum * 0.5f + first(Values[I]);
    uint32_t Wait = Sum > 1e30f ? 128 : 0;
    if (How == Order::Beside)
      At = (At + gridDim.x * Row + Wait) & Mask;
    else
      At = (mixed(At + blockIdx.x + Step * 65537u + Wait) * Row) & Mask;
  }
  long long End = clock64();
  if (Lane == 0)
    Cycles[blockIdx.x] = End - Begin;
  Sink[blockIdx.x * 32 + Lane] = Sum;
}

template <class T, int Loads>
static void measure(const char *Data, unsigned Blocks, bool IsInL2, Order How,
                    uint32_t LaneBytes, uint32_t Distance, long long *Cycles,
                    float *Sink) {
  constexpr int Scratch = 160 << 10, Steps = 1500;
  check(cudaFuncSetAttribute(walk<T, Loads>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             Scratch),
        "attribute");
  uint32_t Mask = IsInL2 ? (4u << 20) - 1 : (1u << 30) - 1;
  // Places that are near each other are the warp's own.
  uint32_t Row = 32 * LaneBytes;
  if (Distance && Distance <= 2048)
    Row = std::max(Row, 4 * Distance);
  for (int Round = 0; Round < 2; ++Round) {
    if (!IsInL2)
      flush<<<1056, 256>>>(
          reinterpret_cast<const float4 *>(Data + (size_t(2) << 30)),
          (size_t(256) << 20) / 16, Sink);
    walk<T, Loads><<<Blocks, 32, Scratch>>>(Data, LaneBytes, Distance, Row,
                                            Mask, How, Steps, Cycles, Sink);
  }
  std::vector<long long> All(Blocks);
  check(cudaMemcpy(All.data(), Cycles, Blocks * sizeof(long long),
                   cudaMemcpyDefault),
        "kernel");
  std::sort(All.begin(), All.end());
  static const char *const Names[] = {"beside", "warps", "lanes"};
  printf("%s %s %u %zu %d %u %.1f\n", IsInL2 ? "l2" : "memory", Names[int(How)],
         LaneBytes, sizeof(T), Loads, Distance,
         double(All[Blocks / 2]) / Steps);
}

int main() {
  char *Data;
  long long *Cycles;
  float *Sink;
  int Sms = 0;
  check(cudaDeviceGetAttribute(&Sms, cudaDevAttrMultiProcessorCount, 0), "GPU");
  check(cudaMalloc(&Data, size_t(3) << 30), "cudaMalloc");
  check(cudaMemset(Data, 0, size_t(3) << 30), "cudaMemset");
  check(cudaMalloc(&Cycles, Sms * sizeof(long long)), "cudaMalloc");
  check(cudaMalloc(&Sink, Sms * 32 * sizeof(float)), "cudaMalloc");
  for (bool IsInL2 : {false, true}) {
    for (Order How : {Order::Beside, Order::Warps, Order::Lanes}) {
      for (uint32_t LaneBytes : {4u, 8u, 16u, 32u, 64u, 128u})
        measure<float, 1>(Data, Sms, IsInL2, How, LaneBytes, 0, Cycles, Sink);
      for (uint32_t LaneBytes : {16u, 32u}) {
        measure<float2, 1>(Data, Sms, IsInL2, How, LaneBytes, 0, Cycles, Sink);
        measure<float4, 1>(Data, Sms, IsInL2, How, LaneBytes, 0, Cycles, Sink);
      }
      for (uint32_t LaneBytes : {16u, 32u}) {
        measure<float, 2>(Data, Sms, IsInL2, How, LaneBytes, 4, Cycles, Sink);
        measure<float, 4>(Data, Sms, IsInL2, How, LaneBytes, 4, Cycles, Sink);
      }
      for (uint32_t Distance :
           {128u, 512u, 2048u, 8192u, 65536u, 2u << 20, 32u << 20,
            (32u << 20) + 256, (32u << 20) + 4352, (33u << 20) + 77824}) {
        // Else a step reads what a later one would.
        bool IsOwn = Distance <= 2048 || Distance >= 32u << 20;
        if (IsInL2 ? Distance >= 8u << 20 : How == Order::Beside && !IsOwn)
          continue;
        measure<float, 2>(Data, Sms, IsInL2, How, 4, Distance, Cycles, Sink);
        measure<float, 3>(Data, Sms, IsInL2, How, 4, Distance, Cycles, Sink);
        measure<float, 4>(Data, Sms, IsInL2, How, 4, Distance, Cycles, Sink);
      }
      fflush(stdout);
    }
  }
  check(cudaDeviceSynchronize(), "end");
}
