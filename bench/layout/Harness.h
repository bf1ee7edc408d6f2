//===- Harness.h - Runs a program in every layout ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is a class template over the view class:
//
//   static constexpr const char *Name;
//   using View = ...;                   the array of records
//   static constexpr size_t Count;      records
//   DEVICE static T initial(size_t I, int Field);
//   static void run(View Records, unsigned *Out);   one step, some launches
//   static constexpr size_t OutWords;   of Out, floats before the first step
//
// All forms do the same arithmetic in the same order: their results, records
// and output words, must agree bit by bit.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_LAYOUT_HARNESS_H
#define GRIDSPAN_BENCH_LAYOUT_HARNESS_H

#include "bench/common/EventTime.h"
#include "bench/layout/Layouts.h"
#include <cstring>

__device__ inline unsigned mixed(unsigned X) {
  X ^= X >> 16;
  X *= 0x7feb352du;
  X ^= X >> 15;
  X *= 0x846ca68bu;
  return X ^ X >> 16;
}

/// Returns a number in [0, 1), different for each record and field.
__device__ inline float uniform(size_t I, int Field) {
  return float(mixed(unsigned(I) * 31u + unsigned(Field)) >> 8) *
         (1.0f / 16777216.0f);
}

/// For programs whose fields begin as numbers in [0, 1).
struct UniformRecords {
  __device__ static float initial(size_t I, int Field) {
    return uniform(I, Field);
  }
};

template <class Program> __global__ void fillRecords(typename Program::View V) {
  size_t Step = size_t(gridDim.x) * blockDim.x;
  for (size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x; I < V.Count;
       I += Step)
    for (int Field = 0; Field < V.Fields; ++Field)
      V.set(I, Field, Program::initial(I, Field));
}

__global__ void fillWords(unsigned *Out, size_t Count) {
  size_t Step = size_t(gridDim.x) * blockDim.x;
  for (size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x; I < Count;
       I += Step)
    Out[I] = __float_as_uint(uniform(I, 0));
}

template <class T> __device__ unsigned bitsOf(T Value) {
  unsigned char Bytes[sizeof(T)];
  memcpy(Bytes, &Value, sizeof(T));
  unsigned Sum = 0;
  for (unsigned char Byte : Bytes)
    Sum = Sum * 257u + Byte;
  return Sum;
}

template <class View>
__global__ void sumRecords(View V, unsigned long long *Sum) {
  size_t Step = size_t(gridDim.x) * blockDim.x;
  unsigned long long Mine = 0;
  for (size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x; I < V.Count;
       I += Step)
    for (int Field = 0; Field < V.Fields; ++Field)
      Mine += mixed(bitsOf(V.get(I, Field)) +
                    unsigned(I * View::Fields + Field) * 0x9e3779b9u);
  atomicAdd(Sum, Mine);
}

inline constexpr int LayoutRepetitions = 9;

inline unsigned blocksOf(size_t Threads, unsigned Block) {
  return unsigned((Threads + Block - 1) / Block);
}

/// Prints the median milliseconds of a step, and checks the sum after all
/// steps.
template <class Program> void measure(unsigned long long &Expected) {
  using View = typename Program::View;
  View Records;
  Records.Count = Program::Count;
  unsigned *Out;
  unsigned long long *Sum;
  size_t OutBytes = (Program::OutWords + 1) * sizeof(unsigned);
  CHECK(cudaMalloc(&Records.Data, View::bytes(Program::Count)));
  CHECK(cudaMalloc(&Out, OutBytes));
  CHECK(cudaMalloc(&Sum, sizeof(*Sum)));
  CHECK(cudaMemset(Sum, 0, sizeof(*Sum)));
  fillRecords<Program><<<1056, 256>>>(Records);
  fillWords<<<1056, 256>>>(Out, Program::OutWords);
  Program::run(Records, Out);
  CHECK(cudaDeviceSynchronize());
  const double Milliseconds = medianMilliseconds(
      LayoutRepetitions, [&] { Program::run(Records, Out); });
  sumRecords<<<1056, 256>>>(Records, Sum);
  Soa<unsigned, 1> Words{Out, Program::OutWords};
  sumRecords<<<1056, 256>>>(Words, Sum);
  unsigned long long Result;
  CHECK(cudaMemcpy(&Result, Sum, sizeof(Result), cudaMemcpyDeviceToHost));
  if (!Expected)
    Expected = Result;
  printf("%s %s %.5f%s\n", Program::Name, View::Name, Milliseconds,
         Result == Expected ? "" : " DIFFERS");
  fflush(stdout);
  CHECK(cudaFree(Records.Data));
  CHECK(cudaFree(Out));
  CHECK(cudaFree(Sum));
}

/// Measures every form, in turn.
template <template <template <class, int> class> class Program>
void measureForms() {
  unsigned long long Expected = 0;
  measure<Program<Aos>>(Expected);
  measure<Program<Aligned>>(Expected);
  measure<Program<Soa>>(Expected);
  measure<Program<Tiled8>>(Expected);
  measure<Program<Tiled32>>(Expected);
  measure<Program<Tiled128>>(Expected);
}

#endif // GRIDSPAN_BENCH_LAYOUT_HARNESS_H
