// All atomics of the CUDA headers on 32 and 64 bits, float and double, from
// several blocks, also when the blocks run on several devices, and queues of work
// of which all devices take.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split integers --split floats --split shared --split queue --split blockQueue --split countdown %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=1 %t 2>&1 | FileCheck --check-prefix=QUEUES %s
// CHECK: PASS
// QUEUES: PASS
// QUEUES-DAG: {{^}}  queue({{.*}}) 1 1 3
// QUEUES-DAG: {{^}}  blockQueue({{.*}}) 1 1 3
// QUEUES-DAG: {{^}}  countdown({{.*}}) 1 1 3

#include "../Inputs/check.h"
#include <algorithm>

template <class T> __global__ void integers(T *o) {
  T id = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&o[0], id);
  atomicMin(&o[1], id + 7);
  atomicMax(&o[2], id);
  atomicAnd(&o[3], ~(T(1) << (id % 20)));
  atomicOr(&o[4], T(1) << (id % 20));
  atomicXor(&o[5], id);
  // A counter by compare and swap.
  T old = o[6], seen;
  do {
    seen = old;
    old = atomicCAS(&o[6], seen, seen + 2);
  } while (old != seen);
  atomicExch(&o[7], T(99));
}

__global__ void unsignedOnly(unsigned *o) {
  atomicInc(&o[0], 16);
  atomicDec(&o[1], 10);
  atomicSub(&o[2], 1u);
}

template <class T> __global__ void floats(T *o) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&o[0], T(id % 8) / 4);
  atomicAdd_system(&o[1], T(1));
  atomicAdd_block(&o[2 + blockIdx.x], T(1));
}

__global__ void shared(int *o) {
  __shared__ int counts[8];
  if (threadIdx.x < 8)
    counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[threadIdx.x % 8], 1);
  __syncthreads();
  __threadfence();
  if (threadIdx.x < 8)
    atomicAdd(&o[threadIdx.x], counts[threadIdx.x]);
}

__global__ void queue(int *next, int *o, int n) {
  int i;
  while ((i = atomicAdd(next, 1)) < n)
    o[i] += i + 1;
}

__global__ void blockQueue(int *next, int *o, int n) {
  __shared__ int first;
  for (;;) {
    if (threadIdx.x == 0)
      first = atomicAdd(next, blockDim.x);
    __syncthreads();
    const int begin = first, i = begin + threadIdx.x;
    __syncthreads();
    if (begin >= n)
      break;
    if (i < n)
      o[i] += i + 1;
  }
}

__global__ void countdown(int *left, int *o) {
  for (int i = atomicSub(left, 1); i > 0; i = atomicSub(left, 1))
    o[i - 1] += i;
}

constexpr int Blocks = 13, Threads = 70, All = Blocks * Threads;

template <class T> void testIntegers() {
  T o[8] = {0, 1000, 0, T(0xfffff), 0, 0, 0, 0}, parity = 0, largest = 0;
  T *device = toDevice(o, 8);
  integers<<<Blocks, Threads>>>(device);
  toHost(o, device, 8);
  for (int i = 0; i < All; ++i)
    parity ^= T(i), largest = T(i);
  EXPECT(o[0] == T(All) * (All - 1) / 2);
  EXPECT(o[1] == 7);
  EXPECT(o[2] == largest);
  EXPECT(o[3] == 0);
  EXPECT(o[4] == 0xfffff);
  EXPECT(o[5] == parity);
  EXPECT(o[6] == 2 * All);
  EXPECT(o[7] == 99);
  CHECK(cudaFree(device));
}

template <class T> void testFloats() {
  T o[2 + Blocks] = {}, sum = 0;
  T *device = toDevice(o, 2 + Blocks);
  floats<<<Blocks, Threads>>>(device);
  toHost(o, device, 2 + Blocks);
  for (int i = 0; i < All; ++i)
    sum += T(i % 8) / 4;
  EXPECT(o[0] == sum);
  EXPECT(o[1] == All);
  for (int b = 0; b < Blocks; ++b)
    EXPECT(o[2 + b] == Threads);
}

template <class F> void testQueue(int first, F launch) {
  constexpr int Size = 10007;
  static int o[Size];
  std::fill_n(o, Size, 0);
  int *device = toDevice(o, Size), *next = toDevice(&first, 1);
  launch(next, device, Size);
  toHost(o, device, Size);
  int wrong = 0;
  for (int i = 0; i < Size; ++i)
    wrong += o[i] != i + 1;
  EXPECT(wrong == 0);
  CHECK(cudaFree(device));
  CHECK(cudaFree(next));
}

int main() {
  testIntegers<int>();
  testIntegers<unsigned>();
  testIntegers<unsigned long long>();
  testFloats<float>();
  testFloats<double>();

  unsigned u[3] = {0, 0, 5000};
  unsigned *dU = toDevice(u, 3);
  unsignedOnly<<<Blocks, Threads>>>(dU);
  toHost(u, dU, 3);
  EXPECT(u[0] == All % 17);
  EXPECT(u[1] == (11 - All % 11) % 11);
  EXPECT(u[2] == 5000 - All);

  int counts[8] = {};
  int *dCounts = toDevice(counts, 8);
  shared<<<Blocks, Threads>>>(dCounts);
  toHost(counts, dCounts, 8);
  for (int i = 0; i < 8; ++i)
    EXPECT(counts[i] == Blocks * (Threads / 8 + (i < Threads % 8)));

  testQueue(0, [](int *next, int *o, int n) {
    queue<<<Blocks, Threads>>>(next, o, n);
  });
  testQueue(0, [](int *next, int *o, int n) {
    blockQueue<<<Blocks, Threads>>>(next, o, n);
  });
  testQueue(10007, [](int *next, int *o, int) {
    countdown<<<Blocks, Threads>>>(next, o);
  });
  CHECK(cudaGetLastError());
  return finish();
}
