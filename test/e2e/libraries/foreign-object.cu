// An object that was compiled without Gridspan allocates, copies and launches:
// split kernels work on its memory, and its kernels, which run on one GPU, on
// theirs.
//
// REQUIRES: gpu
// RUN: %gridspan++ -fno-gridspan -O2 -DFOREIGN -c %s -o %t.o
// RUN: %gridspan++ -O2 %s %t.o -o %t
// RUN: %t | FileCheck %s
// RUN: env GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <chrono>
#include <vector>

struct Rows {
  float *Data;
  long Count;
};

int *foreignAllocate(long Count, int Value);
void foreignAdd(int *Data, long Count, int Value);
void foreignScale(Rows R, float Factor);

#ifdef FOREIGN
__constant__ int Sign = 1;

__global__ void add(int *Data, long Count, int Value) {
  long I = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (I < Count)
    Data[I] += Sign * Value;
}

__global__ void scale(Rows R, float Factor) {
  long I = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (I < R.Count)
    R.Data[I] *= Factor;
}

int *foreignAllocate(long Count, int Value) {
  int *Out = nullptr;
  CHECK(cudaMalloc(&Out, Count * sizeof(int)));
  std::vector<int> Host(Count, Value);
  CHECK(cudaMemcpy(Out, Host.data(), Count * sizeof(int),
                   cudaMemcpyHostToDevice));
  return Out;
}

void foreignAdd(int *Data, long Count, int Value) {
  const int Minus = -1;
  CHECK(cudaMemcpyToSymbol(Sign, &Minus, sizeof(Minus)));
  add<<<unsigned((Count + 255) / 256), 256>>>(Data, Count, Value);
  CHECK(cudaGetLastError());
}

void foreignScale(Rows R, float Factor) {
  scale<<<unsigned((R.Count + 255) / 256), 256>>>(R, Factor);
  CHECK(cudaGetLastError());
}
#else
__global__ void twice(int *Data, long Count) {
  long I = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (I < Count)
    Data[I] *= 2;
}

__global__ void fill(float *Data, long Count) {
  long I = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (I < Count)
    Data[I] = I % 100;
}

int main() {
  const long Count = 1 << 26;
  const unsigned Blocks = Count / 256;
  int *A = foreignAllocate(Count, 5);
  for (int Round = 0; Round < 4; ++Round) {
    twice<<<Blocks, 256>>>(A, Count);
    foreignAdd(A, Count, 1);
  }
  std::vector<int> Got(Count);
  CHECK(cudaMemcpy(Got.data(), A, Count * sizeof(int), cudaMemcpyDeviceToHost));
  long Wrong = 0;
  for (int V : Got)
    Wrong += V != 5 * 16 - 15;
  EXPECT(Wrong == 0);

  // Again and again: pages come to where the kernel runs.
  Rows R = {nullptr, Count};
  CHECK(cudaMalloc(&R.Data, Count * sizeof(float)));
  fill<<<Blocks, 256>>>(R.Data, Count);
  CHECK(cudaDeviceSynchronize());
  for (int Round = 0; Round < 8; ++Round) {
    auto Begin = std::chrono::steady_clock::now();
    foreignScale(R, 2);
    CHECK(cudaDeviceSynchronize());
    const std::chrono::duration<double, std::milli> Took =
        std::chrono::steady_clock::now() - Begin;
    printf("scale %.2f ms\n", Took.count());
  }
  std::vector<float> Floats(Count);
  CHECK(cudaMemcpy(Floats.data(), R.Data, Count * sizeof(float),
                   cudaMemcpyDeviceToHost));
  Wrong = 0;
  for (long I = 0; I < Count; ++I)
    Wrong += Floats[I] != I % 100 * 256.0f;
  EXPECT(Wrong == 0);
  CHECK(cudaFree(A));
  CHECK(cudaFree(R.Data));
  return finish();
}
#endif
