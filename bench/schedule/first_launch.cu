//===- first_launch.cu - Costs of a short program -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times what a program does once: its first call, which starts the driver and
// makes contexts; its first allocation; its first launch and the wait for it,
// which loads the kernel; the first launch of another kernel; and all of it
// from main() on. Each sample is a process of its own, started by one that
// calls no CUDA. Medians.
//
// Usage: first_launch [processes] [elements]
//
//===----------------------------------------------------------------------===//

#include "bench/common/Bench.h"
#include <string>
#include <unistd.h>

__global__ void scale(float *Out, const float *In, size_t N, float A) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N)
    Out[I] = A * In[I] + 1;
}

__global__ void add(float *Out, const float *In, size_t N) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N)
    Out[I] += In[I];
}

static const char *const Steps[] = {"first_call",   "first_malloc",
                                    "first_launch", "other_first_launch",
                                    "first_free",   "all"};
constexpr size_t NumSteps = sizeof(Steps) / sizeof(Steps[0]);

/// Does each thing once, and prints the seconds.
static int runOnce(size_t N) {
  const double Begin = now();
  double Last = Begin;
  auto Step = [&] {
    const double Before = Last;
    Last = now();
    printf("%.9g ", Last - Before);
  };
  CHECK(cudaFree(nullptr));
  Step();
  float *In, *Out;
  CHECK(cudaMalloc(&In, N * sizeof(float)));
  CHECK(cudaMalloc(&Out, N * sizeof(float)));
  CHECK(cudaMemset(In, 0, N * sizeof(float)));
  Step();
  scale<<<(N + 255) / 256, 256>>>(Out, In, N, 2);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  Step();
  add<<<(N + 255) / 256, 256>>>(Out, In, N);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  Step();
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
  Step();
  printf("%.9g\n", Last - Begin);
  return 0;
}

int main(int Argc, char **Argv) {
  const size_t Processes = argument(Argc, Argv, 1, 11);
  const size_t N = argument(Argc, Argv, 2, 4096);
  if (Argc > 3)
    return runOnce(N);
  char Self[4096];
  const ssize_t Length = readlink("/proc/self/exe", Self, sizeof(Self) - 1);
  if (Length <= 0)
    return 1;
  Self[Length] = 0;
  const std::string Command =
      "'" + std::string(Self) + "' 1 " + std::to_string(N) + " once";
  std::vector<double> Times[NumSteps];
  // The first process finds what no later one has to: files that are read, and
  // Gridspan's measurements of the machine.
  for (size_t I = 0; I <= Processes; ++I) {
    FILE *Child = popen(Command.c_str(), "r");
    if (!Child)
      return 1;
    for (size_t K = 0; K != NumSteps; ++K) {
      double Seconds;
      if (fscanf(Child, "%lf", &Seconds) != 1) {
        fprintf(stderr, "first_launch: a process has failed\n");
        return 1;
      }
      if (I != 0)
        Times[K].push_back(Seconds);
    }
    pclose(Child);
  }
  for (size_t K = 0; K != NumSteps; ++K)
    report(Steps[K], median(Times[K]), 0, 0);
}
