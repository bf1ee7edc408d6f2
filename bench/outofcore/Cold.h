//===- Cold.h - Programs that do a thing once -------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three kernels on data larger than memory, each with its copies, and the
// processes that do one of them once: what a program costs that is not warm.
// The driver is there and the data are on the host when the clock starts.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_OUTOFCORE_COLD_H
#define GRIDSPAN_BENCH_OUTOFCORE_COLD_H

#include "bench/common/HostData.h"
#include <cstring>
#include <unistd.h>

enum class Job { Transform, Sums, Stencil };
constexpr Job Jobs[] = {Job::Transform, Job::Sums, Job::Stencil};
constexpr unsigned BlockSize = 256;

inline const char *nameOf(Job J) {
  return J == Job::Transform ? "transform"
         : J == Job::Sums    ? "sums"
                             : "stencil";
}

/// The elements that a job makes of N.
inline size_t results(Job J, size_t N) {
  return J == Job::Sums ? (N + BlockSize - 1) / BlockSize : N;
}

static __global__ void transform(size_t N, const double *X, double *Y) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N)
    Y[I] = 3 * X[I];
}

static __global__ void sums(size_t N, const double *X, double *Y) {
  __shared__ double Part[BlockSize];
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  Part[threadIdx.x] = I < N ? X[I] : 0;
  __syncthreads();
  for (unsigned Half = BlockSize / 2; Half; Half /= 2) {
    if (threadIdx.x < Half)
      Part[threadIdx.x] += Part[threadIdx.x + Half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    Y[blockIdx.x] = Part[0];
}

static __global__ void stencil(size_t N, const double *X, double *Y) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N)
    Y[I] = 0.5 * X[I] +
           0.25 * (X[I == 0 ? 0 : I - 1] + X[I == N - 1 ? N - 1 : I + 1]);
}

inline void launch(Job J, size_t N, const double *X, double *Y,
                   cudaStream_t S = nullptr) {
  const auto Blocks = static_cast<unsigned>((N + BlockSize - 1) / BlockSize);
  if (J == Job::Transform)
    transform<<<Blocks, BlockSize, 0, S>>>(N, X, Y);
  else if (J == Job::Sums)
    sums<<<Blocks, BlockSize, 0, S>>>(N, X, Y);
  else
    stencil<<<Blocks, BlockSize, 0, S>>>(N, X, Y);
  CHECK(cudaGetLastError());
}

/// Prints the seconds of Once(Job, N, From, To), and the checksum of To.
template <class Fn> int runCold(char **Argv, size_t N, Fn Once) {
  const Job J = Jobs[strtoul(Argv[4], nullptr, 0)];
  const auto Kind = static_cast<HostKind>(strtoul(Argv[5], nullptr, 0));
  CHECK(cudaFree(nullptr));
  HostMemory X(N * sizeof(double), Kind);
  HostMemory Y(results(J, N) * sizeof(double), Kind);
  fillHost(X.as<double>(), N);
  fillHost(Y.as<double>(), results(J, N));
  const double Begin = now();
  Once(J, N, X.as<double>(), Y.as<double>());
  const double Seconds = now() - Begin;
  printf("%.9g %llu\n", Seconds, checksumHost(Y.as<double>(), results(J, N)));
  return 0;
}

/// Runs processes of this program. Usage: NAME [elements] [processes] [kinds],
/// kinds: 1 pageable, 2 pinned, 3 both.
template <class Fn> int coldMain(int Argc, char **Argv, Fn Once) {
  const size_t N = argument(Argc, Argv, 1, size_t(1) << 30);
  const size_t Processes = argument(Argc, Argv, 2, 3);
  const size_t Kinds = argument(Argc, Argv, 3, 3);
  if (Argc > 5)
    return runCold(Argv, N, Once);
  char Self[4096];
  const ssize_t Length = readlink("/proc/self/exe", Self, sizeof(Self) - 1);
  if (Length <= 0)
    return 1;
  Self[Length] = 0;
  for (HostKind Kind : {HostKind::Pageable, HostKind::Pinned})
    for (Job J : Jobs) {
      if (!(Kinds >> static_cast<unsigned>(Kind) & 1))
        continue;
      const std::string Command =
          "'" + std::string(Self) + "' " + std::to_string(N) + " 1 0 " +
          std::to_string(static_cast<unsigned>(J)) + " " +
          std::to_string(static_cast<unsigned>(Kind));
      std::vector<double> Times;
      unsigned long long Checksum = 0;
      for (size_t I = 0; I != std::max<size_t>(Processes, 1); ++I) {
        FILE *Child = popen(Command.c_str(), "r");
        double Seconds;
        if (!Child || fscanf(Child, "%lf %llu", &Seconds, &Checksum) != 2) {
          fprintf(stderr, "cold: a process has failed\n");
          return 1;
        }
        pclose(Child);
        Times.push_back(Seconds);
      }
      const std::string Name =
          std::string(nameOf(J)) +
          (Kind == HostKind::Pinned ? "_pinned" : "_pageable");
      report(Name.c_str(), median(Times), double(N) * sizeof(double), Checksum);
    }
  return 0;
}

#endif // GRIDSPAN_BENCH_OUTOFCORE_COLD_H
