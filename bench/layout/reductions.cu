//===- reductions.cu - Sums of many objects -------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects of Length doubles, summed each: as one writes it first (a thread for
// each object, a tree of a block, atomics), and as the advice says. Objects are
// rows (the elements of one side by side) or columns. Prints
// "version objects length milliseconds"; "read" is the fastest way found to
// read as many bytes, "cpu" the cores of the machine.
//
//===----------------------------------------------------------------------===//

#include "bench/common/EventTime.h"
#include "bench/common/Team.h"
#include "bench/layout/ColumnSums.h"
#include <cmath>

extern "C" __global__ void serialRows(const double *A, double *Out,
                                      unsigned Objects, unsigned Length) {
  unsigned O = blockIdx.x * blockDim.x + threadIdx.x;
  if (O >= Objects)
    return;
  double Sum = 0;
  for (unsigned K = 0; K < Length; ++K)
    Sum += A[O * Length + K];
  Out[O] = Sum;
}

extern "C" __global__ void serialColumns(const double *A, double *Out,
                                         unsigned Objects, unsigned Length) {
  unsigned O = blockIdx.x * blockDim.x + threadIdx.x;
  if (O >= Objects)
    return;
  double Sum = 0;
  for (unsigned K = 0; K < Length; ++K)
    Sum += A[K * Objects + O];
  Out[O] = Sum;
}

extern "C" __global__ void treeRows(const double *A, double *Out,
                                    unsigned Objects, unsigned Length) {
  __shared__ double Part[256];
  double Sum = 0;
  for (unsigned K = threadIdx.x; K < Length; K += 256)
    Sum += A[blockIdx.x * Length + K];
  Part[threadIdx.x] = Sum;
  __syncthreads();
  for (unsigned Step = 128; Step; Step /= 2) {
    if (threadIdx.x < Step)
      Part[threadIdx.x] += Part[threadIdx.x + Step];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    Out[blockIdx.x] = Part[0];
}

extern "C" __global__ void atomicRows(const double *A, double *Out,
                                      unsigned Objects, unsigned Length) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Objects * Length)
    atomicAdd(&Out[I / Length], A[I]);
}

/// Returns the sum over the block in thread 0.
__device__ static double blockSum(double Sum) {
  __shared__ double Warp[32];
  for (int Step = 16; Step; Step /= 2)
    Sum += __shfl_down_sync(~0u, Sum, Step);
  if (threadIdx.x % 32 == 0)
    Warp[threadIdx.x / 32] = Sum;
  __syncthreads();
  Sum = threadIdx.x < blockDim.x / 32 ? Warp[threadIdx.x] : 0;
  if (threadIdx.x < 32)
    for (int Step = 16; Step; Step /= 2)
      Sum += __shfl_down_sync(~0u, Sum, Step);
  return Sum;
}

inline constexpr int UnderWay = 8;

/// Sums rows that gridDim.y blocks share.
extern "C" __global__ void followedRows(const double *A, double *Out,
                                        unsigned Objects, unsigned Length) {
  const double2 *Row = (const double2 *)(A + size_t(blockIdx.x) * Length);
  unsigned Pairs = Length / 2, Part = (Pairs + gridDim.y - 1) / gridDim.y;
  unsigned First = blockIdx.y * Part;
  double Sum = blockSum(
      sumPairs(Row, First + threadIdx.x, min(Pairs, First + Part), blockDim.x));
  if (gridDim.y == 1) {
    if (threadIdx.x == 0)
      Out[blockIdx.x] = Sum;
    return;
  }
  if (threadIdx.x == 0)
    Partial[blockIdx.x * gridDim.y + blockIdx.y] = Sum;
  if (!isLastOf(gridDim.y, blockIdx.x) || threadIdx.x != 0)
    return;
  Sum = 0;
  for (unsigned I = 0; I < gridDim.y; ++I)
    Sum += *(volatile double *)&Partial[blockIdx.x * gridDim.y + I];
  Out[blockIdx.x] = Sum;
}

/// Returns the launches of a batch: more of short ones.
static int Batch = 1;

template <class Fn> static double milliseconds(Fn Launch) {
  return medianMilliseconds(15, Launch, Batch);
}

static constexpr size_t MaxElements = 200000000;

static double *Input, *Output;
static std::vector<double> Host;

static void check(const char *Name, unsigned Objects, unsigned Length) {
  std::vector<double> Sums(Objects);
  CHECK(cudaMemcpy(Sums.data(), Output, Objects * sizeof(double),
                   cudaMemcpyDeviceToHost));
  for (double Sum : Sums)
    if (std::abs(Sum - Length) > 1e-9 * Length)
      printf("%s %u %u WRONG %g\n", Name, Objects, Length, Sum);
}

template <class Fn>
static void show(const char *Name, unsigned Objects, unsigned Length,
                 Fn Launch) {
  double Time = milliseconds(Launch);
  CHECK(cudaMemset(Output, 0, Objects * sizeof(double)));
  Launch();
  check(Name, Objects, Length);
  printf("%s %u %u %.5f\n", Name, Objects, Length, Time);
}

/// Returns the number of blocks of 256 threads that fill the GPU.
static unsigned partsFor(unsigned Blocks, unsigned Most) {
  unsigned Wanted = 8 * multiprocessors();
  return std::max(1u, std::min(Most, (Wanted + Blocks - 1) / Blocks));
}

static void measureSize(unsigned Objects, unsigned Length, Team &Cores) {
  unsigned N = Objects * Length;
  Batch = int(std::clamp(5000000u / N, 1u, 50u));
  const double *A = Input;
  double *Out = Output;
  unsigned Blocks = (Objects + 255) / 256;
  show("serialRows", Objects, Length,
       [&] { serialRows<<<Blocks, 256>>>(A, Out, Objects, Length); });
  show("serialColumns", Objects, Length,
       [&] { serialColumns<<<Blocks, 256>>>(A, Out, Objects, Length); });
  show("treeRows", Objects, Length,
       [&] { treeRows<<<Objects, 256>>>(A, Out, Objects, Length); });
  printf("atomicRows %u %u %.5f\n", Objects, Length, milliseconds([&] {
           atomicRows<<<(N + 255) / 256, 256>>>(A, Out, Objects, Length);
         }));
  // A thread has eight pairs under way; short rows get small blocks.
  unsigned Threads = 256;
  while (Threads > 32 && Threads * UnderWay > Length)
    Threads /= 2;
  unsigned Parts =
      partsFor(Objects, (Length / 2 + Threads * 4 - 1) / (Threads * 4));
  show("followedRows", Objects, Length, [&] {
    followedRows<<<dim3(Objects, Parts), Threads>>>(A, Out, Objects, Length);
  });
  // Pairs of columns have to start at 16 bytes.
  if (Objects % 2 == 0)
    show("followedColumns", Objects, Length,
         [&] { launchColumnSums<1, 8>(A, Out, Objects, Length, 4); });
  double Best = 1e30;
  for (unsigned PerGrid : {132u * 4, 132u * 8, 132u * 16, 132u * 32})
    Best = std::min(Best, milliseconds([&] {
                      readAll<<<PerGrid, 256>>>((const double2 *)A, Out, N / 2);
                    }));
  printf("read %u %u %.5f\n", Objects, Length, Best);
  if (N > Host.size())
    return;
  std::vector<double> Sums(Objects);
  double Cpu = 1e3 * medianSeconds(9, [&] {
                 Cores.run([&](unsigned Core) {
                   for (unsigned O = Core; O < Objects; O += Cores.size())
                     Sums[O] = sumOf(&Host[size_t(O) * Length], Length);
                 });
               });
  double Gpu = 1e3 * medianSeconds(9, [&] {
                 treeRows<<<Objects, 256>>>(A, Out, Objects, Length);
                 CHECK(cudaDeviceSynchronize());
               });
  printf("cpu(%u) %u %u %.5f\ngpu-waited %u %u %.5f\n", Cores.size(), Objects,
         Length, Cpu, Objects, Length, Gpu);
}

/// Usage: reductions [cores]
int main(int Argc, char **Argv) {
  CHECK(cudaMalloc(&Input, MaxElements * sizeof(double)));
  CHECK(cudaMalloc(&Output, 65536 * sizeof(double)));
  Host.assign(20000000, 1.0);
  for (size_t At = 0; At < MaxElements; At += Host.size())
    CHECK(cudaMemcpy(Input + At, Host.data(), Host.size() * sizeof(double),
                     cudaMemcpyHostToDevice));
  Team Cores(unsigned(argument(Argc, Argv, 1, 16)));
  for (unsigned Objects : {10u, 50u, 100u, 500u, 1000u, 2000u, 20000u})
    measureSize(Objects, 10000, Cores);
  measureSize(10000, 2000, Cores);
  for (unsigned Objects : {1u, 4u, 16u, 64u})
    measureSize(Objects, 1000, Cores);
  CHECK(cudaFree(Input));
  CHECK(cudaFree(Output));
}
