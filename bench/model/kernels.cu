//===- kernels.cu - Launches to compare the advice with -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   kernels once LIST    launches each line of LIST once, for a profiler
//   kernels large LIST   the same with as much memory as for times
//   kernels time LIST    prints each line with its time in microseconds
//
// A line is `kernel gridX gridY gridZ blockX blockY blockZ n m`. Times are of
// launches one after the other on one stream with all data where the launch
// before left it: the median over batches between two events.
//
//===----------------------------------------------------------------------===//

#include "bench/model/Workloads.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using Launcher = void (*)(dim3, dim3, const float *, float *, int, int);

template <auto Kernel>
static void launch(dim3 Grid, dim3 Block, const float *A, float *B, int N,
                   int M) {
  Kernel<<<Grid, Block>>>(A, B, N, M);
}

static void launchStruct(dim3 Grid, dim3 Block, const float *A, float *B, int N,
                         int M) {
  structargs<<<Grid, Block>>>(Args{A, B, N, M});
}

static const struct {
  const char *Name;
  Launcher Launch;
} Kernels[] = {
#define K(Name) {#Name, launch<Name>},
    K(saxpy) K(gridstride) K(shifted) K(strided2) K(stridedm) K(reverse_) K(
        doubles) K(bytes) K(shorts) K(vec4) K(vec2) K(aos3) K(aos5) K(aos4)
        K(aos4part) K(aos2) K(rgb) K(copy2d) K(column2d) K(smooth) K(border) K(
            matmul) K(matvec) K(matvect) K(triangle) K(lower) K(movavg)
            K(movavgm) K(leader) K(evens) K(everythird) K(quotient) K(
                swizzle) K(atomics1) K(atomicsall) K(atomicsone) K(stencil3)
                K(longidx) K(coarse4) K(blockcyc) K(switchy) K(transposeS) K(
                    transposeP) K(tiledmm) K(reducetree) K(reducebad)
                    K(sharedstride) K(sharedvec) K(daxpy) K(triad) K(fill) K(
                        gray) K(advance) K(particles) K(lattice) K(laplace3d)
                        K(blur5) K(columnmeans) K(rowsums) K(butterfly) K(
                            bitonic) K(transposeN) K(gather) K(scatter)
                            K(ellrows) K(histogramS) K(escape) K(chain) K(
                                chains4) K(dchain) K(dhorner) K(hashes)
                                K(congruence) K(modulos) K(options) K(waves) K(
                                    roots) K(quotients) K(nbody) K(nbodyT)
                                    K(weighting) K(matmul2d) K(dmatmul) K(syrk)
                                        K(tiled32) K(tiled4) K(dotshuffle)
                                            K(softmax) K(scanblock) K(average16)
                                                K(lowoccupancy) K(countall)
#undef K
                                                    {"structargs",
                                                     launchStruct},
};

static Launcher launcherOf(const char *Name) {
  for (const auto &Kernel : Kernels)
    if (!strcmp(Kernel.Name, Name))
      return Kernel.Launch;
  fprintf(stderr, "no kernel %s\n", Name);
  exit(2);
}

static void check(cudaError_t Error, const char *What) {
  if (Error == cudaSuccess)
    return;
  fprintf(stderr, "%s: %s\n", What, cudaGetErrorString(Error));
  exit(1);
}

/// Floats in (0, 1], and from word Half on indices below NumIndices.
static __global__ void prepare(float *A, size_t Words, size_t Half,
                               unsigned NumIndices) {
  for (size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x; I < Words;
       I += size_t(gridDim.x) * blockDim.x) {
    unsigned H = unsigned(I) * 2654435761u;
    H ^= H >> 15;
    H *= 2246822519u;
    H ^= H >> 13;
    if (I < Half)
      A[I] = ((H & 0xffff) + 1) / 65536.f;
    else
      reinterpret_cast<unsigned *>(A)[I] = H % NumIndices;
  }
}

static double microsecondsOf(Launcher Launch, dim3 Grid, dim3 Block,
                             const float *A, float *B, int N, int M) {
  cudaEvent_t Begin, End;
  check(cudaEventCreate(&Begin), "event");
  check(cudaEventCreate(&End), "event");
  auto measure = [&](int Count) {
    cudaEventRecord(Begin);
    for (int I = 0; I != Count; ++I)
      Launch(Grid, Block, A, B, N, M);
    cudaEventRecord(End);
    check(cudaEventSynchronize(End), "launch");
    float Milliseconds = 0;
    cudaEventElapsedTime(&Milliseconds, Begin, End);
    return Milliseconds * 1e3 / Count;
  };
  measure(2);
  // Batches of at least a millisecond: the first launch of one is not hidden
  // behind another.
  int Count = std::clamp(int(1000 / measure(2)), 1, 300);
  std::vector<double> Times;
  for (int I = 0; I != 11; ++I)
    Times.push_back(measure(Count));
  std::sort(Times.begin(), Times.end());
  cudaEventDestroy(Begin);
  cudaEventDestroy(End);
  return Times[Times.size() / 2];
}

int main(int Argc, char **Argv) {
  bool IsTimed = Argc == 3 && !strcmp(Argv[1], "time");
  bool IsSmall = Argc == 3 && !strcmp(Argv[1], "once");
  if (Argc != 3 || (!IsTimed && !IsSmall && strcmp(Argv[1], "large"))) {
    fprintf(stderr, "usage: kernels once|large|time LIST\n");
    return 2;
  }
  FILE *List = fopen(Argv[2], "r");
  if (!List) {
    perror(Argv[2]);
    return 2;
  }
  // A profiler saves and restores what a kernel may write.
  size_t Words = size_t(1) << (IsSmall ? 25 : 28);
  float *A, *B;
  check(cudaMalloc(&A, Words * sizeof(float)), "cudaMalloc");
  check(cudaMalloc(&B, Words * sizeof(float)), "cudaMalloc");
  prepare<<<1056, 256>>>(A, Words, Words / 2, Words / 16);
  check(cudaMemset(B, 0, Words * sizeof(float)), "cudaMemset");
  check(cudaDeviceSynchronize(), "prepare");

  char Name[64];
  unsigned G[3], T[3];
  int N, M;
  while (fscanf(List, "%63s %u %u %u %u %u %u %d %d", Name, &G[0], &G[1], &G[2],
                &T[0], &T[1], &T[2], &N, &M) == 9) {
    Launcher Launch = launcherOf(Name);
    dim3 Grid(G[0], G[1], G[2]), Block(T[0], T[1], T[2]);
    if (!IsTimed) {
      Launch(Grid, Block, A, B, N, M);
      check(cudaDeviceSynchronize(), Name);
      continue;
    }
    double Time = microsecondsOf(Launch, Grid, Block, A, B, N, M);
    printf("%s %u %u %u %u %u %u %d %d %.3f\n", Name, G[0], G[1], G[2], T[0],
           T[1], T[2], N, M, Time);
  }
  fclose(List);
  cudaFree(A);
  cudaFree(B);
  return 0;
}
