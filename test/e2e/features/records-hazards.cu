//===- records-hazards.cu - Arrays of records that are hard to take -------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches that would have arrays in another form, where there is room for one
// of two, where a pointer is the end of the array before, and where another
// thread writes the other half at that time.
//
//===----------------------------------------------------------------------===//
// RUN: %gridspan++ -O2 -mllvm -gridspan-layout=apply %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=40MiB %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_REPORT=1 %t 2>&1 \
// RUN:   | FileCheck --check-prefix=FORMED %s
// CHECK: room for one: 0 wrong
// CHECK-NEXT: another's end: 0 wrong
// CHECK-NEXT: two threads: 0 wrong
// FORMED: records converted

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

struct Particle {
  float X, Y, Z, U, V, W;
};

__global__ void move(const Particle *From, Particle *To, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N) {
    To[I].X += From[I].U;
    To[I].Y += From[I].V;
  }
}

__global__ void add(const Particle *From, float *Out, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Out[I] = From[I].X + From[I].Z;
}

/// The first records behind End by an offset that is in memory.
__global__ void reach(Particle *End, Particle *Own, const int *Offset, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N) {
    Own[I].Y += Own[I].U;
    End[*Offset + I].X = 7;
  }
}

__global__ void count(Particle *P, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N) {
    P[I].X += 1;
    P[I].Y += 1;
  }
}

static Particle *filled(int N, Particle Value) {
  Particle *Out;
  cudaMalloc(&Out, N * sizeof(Particle));
  const std::vector<Particle> Values(N, Value);
  cudaMemcpy(Out, Values.data(), N * sizeof(Particle), cudaMemcpyHostToDevice);
  return Out;
}

static int roomForOne() {
  constexpr int N = 1 << 19;
  Particle *A = filled(N, {1, 2, 3, 4, 5, 6}),
           *B = filled(N, {1, 2, 3, 4, 5, 6});
  float *Out;
  cudaMalloc(&Out, N * sizeof(float));
  cudaStream_t S, T;
  cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&T, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  move<<<N / 256, 256, 0, S>>>(A, B, N);
  add<<<N / 256, 256, 0, T>>>(A, Out, N);
  cudaDeviceSynchronize();
  std::vector<float> Sums(N);
  cudaMemcpy(Sums.data(), Out, N * sizeof(float), cudaMemcpyDeviceToHost);
  int Wrong = 0;
  for (float Sum : Sums)
    Wrong += Sum != 4;
  cudaFree(A);
  cudaFree(B);
  cudaFree(Out);
  return Wrong;
}

static int anothersEnd() {
  constexpr int N = 1 << 14, Arrays = 6;
  Particle *All[Arrays];
  for (Particle *&P : All)
    P = filled(N, {1, 2, 3, 5, 5, 6});
  int *Offset;
  const int Back = -N;
  cudaMalloc(&Offset, sizeof(int));
  cudaMemcpy(Offset, &Back, sizeof(int), cudaMemcpyHostToDevice);
  for (Particle *P : All)
    for (int Round = 0; Round < 3; ++Round)
      reach<<<N / 256, 256>>>(P + N, P, Offset, N);
  int Wrong = 0;
  std::vector<Particle> Values(N);
  for (Particle *P : All) {
    cudaMemcpy(Values.data(), P, N * sizeof(Particle), cudaMemcpyDeviceToHost);
    for (const Particle &Value : Values)
      Wrong += Value.X != 7 || Value.Y != 17;
  }
  return Wrong;
}

static int twoThreads() {
  constexpr int N = 1 << 12, Rounds = 300;
  Particle *P = filled(2 * N, {});
  std::atomic<bool> Ends{false};
  int Launches = 0;
  std::thread Other([&] {
    cudaStream_t S;
    cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking);
    for (; !Ends; ++Launches) {
      count<<<N / 256, 256, 0, S>>>(P, N);
      cudaStreamSynchronize(S);
    }
  });
  cudaStream_t S;
  cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking);
  std::vector<Particle> In(N), Out(N);
  int Wrong = 0;
  for (int Round = 1; Round <= Rounds; ++Round) {
    for (Particle &Value : In)
      Value.X = float(Round);
    cudaMemcpyAsync(P + N, In.data(), N * sizeof(Particle),
                    cudaMemcpyHostToDevice, S);
    cudaStreamSynchronize(S);
    cudaMemcpyAsync(Out.data(), P + N, N * sizeof(Particle),
                    cudaMemcpyDeviceToHost, S);
    cudaStreamSynchronize(S);
    for (const Particle &Value : Out)
      Wrong += Value.X != float(Round);
  }
  Ends = true;
  Other.join();
  Particle First;
  cudaMemcpy(&First, P, sizeof(First), cudaMemcpyDeviceToHost);
  return Wrong + (First.X != float(Launches));
}

int main() {
  std::printf("room for one: %d wrong\n", roomForOne());
  std::printf("another's end: %d wrong\n", anothersEnd());
  std::printf("two threads: %d wrong\n", twoThreads());
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
