//===- HostProbes.h - Measures the machine around a GPU ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rates of the host's cores, which could work in place of a launch: their
// number, the bytes per second that one and all of them read, the time to give
// them work and wait; and the rate of the link.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_MODEL_HOSTPROBES_H
#define GRIDSPAN_BENCH_MODEL_HOSTPROBES_H

#include "bench/common/Bench.h"
#include "bench/common/Team.h"
#include <cmath>
#include <cuda_runtime.h>
#include <sched.h>

/// Returns the number of cores of the process's affinity, or fewer if its
/// control group has less time.
inline unsigned usableCores() {
  cpu_set_t Set;
  CPU_ZERO(&Set);
  unsigned Cores = std::thread::hardware_concurrency();
  if (sched_getaffinity(0, sizeof Set, &Set) == 0)
    Cores = unsigned(CPU_COUNT(&Set));
  if (FILE *File = fopen("/sys/fs/cgroup/cpu.max", "r")) {
    double Quota = 0, Period = 0;
    if (fscanf(File, "%lf %lf", &Quota, &Period) == 2 && Period > 0)
      Cores = std::min(Cores, unsigned(std::max(1.0, Quota / Period)));
    fclose(File);
  }
  return std::max(1u, Cores);
}

struct HostNumbers {
  unsigned Cores = 1;
  double CoreGBs = 0, AllGBs = 0; ///< read by one core, by all
  double CallMicroseconds = 0;    ///< of empty work for all
  double LinkGBs = 0;             ///< pinned memory to the GPU
};

/// Needs 2 GiB of the host, more than its caches hold.
inline HostNumbers measureHost(void *Device) {
  HostNumbers Out;
  Out.Cores = usableCores();
  constexpr size_t N = size_t(1) << 28;
  std::vector<double> Data(N, 1.0), Sums(Out.Cores * 8);
  Team Cores(Out.Cores);
  Out.CoreGBs =
      8e-9 * N / medianSeconds(3, [&] { Sums[0] = sumOf(&Data[0], N); });
  Out.AllGBs = 8e-9 * N / medianSeconds(9, [&] {
                 Cores.run([&](unsigned I) {
                   size_t Begin = N / Out.Cores * I;
                   Sums[8 * I] = sumOf(&Data[Begin], N / Out.Cores);
                 });
               });
  constexpr int Calls = 1000;
  Out.CallMicroseconds = 1e6 / Calls * medianSeconds(9, [&] {
                           for (int I = 0; I != Calls; ++I)
                             Cores.run([](unsigned) {});
                         });
  void *Pinned;
  constexpr size_t Bytes = size_t(1) << 28;
  CHECK(cudaMallocHost(&Pinned, Bytes));
  Out.LinkGBs =
      1e-9 * Bytes / medianSeconds(9, [&] {
        CHECK(cudaMemcpy(Device, Pinned, Bytes, cudaMemcpyHostToDevice));
      });
  CHECK(cudaFreeHost(Pinned));
  return Out;
}

#endif // GRIDSPAN_BENCH_MODEL_HOSTPROBES_H
