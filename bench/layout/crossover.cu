//===- crossover.cu - Sizes from which a GPU pays -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times one sum: by the cores of the host from its memory, by the GPU from its
// own with a wait, and by the GPU after a copy from pinned memory. Prints
// "version bytes milliseconds".
//
//===----------------------------------------------------------------------===//

#include "bench/layout/ColumnSums.h"
#include "bench/model/HostProbes.h"

/// Each call reads another part of data larger than the caches.
static constexpr size_t HostElements = size_t(1) << 28;

int main() {
  double *Host, *Device, *Out;
  CHECK(cudaMallocHost(&Host, HostElements * sizeof(double)));
  CHECK(cudaMalloc(&Device, HostElements * sizeof(double)));
  CHECK(cudaMalloc(&Out, 65536 * sizeof(double)));
  std::fill(Host, Host + HostElements, 1.0);
  CHECK(cudaMemcpy(Device, Host, HostElements * sizeof(double),
                   cudaMemcpyHostToDevice));
  Team Cores(usableCores());
  std::vector<double> Sums(Cores.size() * 8);
  printf("# %u cores\n", Cores.size());
  for (size_t N = 1 << 13; N <= size_t(1) << 26; N *= 2) {
    size_t Turn = 0;
    auto next = [&] {
      Turn = (Turn + 1) % (HostElements / N);
      return Turn * N;
    };
    double Cpu = medianSeconds(15, [&] {
      const double *A = Host + next();
      Cores.run([&](unsigned I) {
        size_t Part = N / Cores.size();
        Sums[8 * I] = sumOf(A + Part * I, Part);
      });
    });
    unsigned Blocks = unsigned(std::min<size_t>(528, (N / 2 + 255) / 256));
    auto launch = [&](const double *A) {
      readAll<<<Blocks, 256>>>((const double2 *)A, Out, unsigned(N / 2));
      CHECK(cudaDeviceSynchronize());
    };
    double Gpu = medianSeconds(15, [&] { launch(Device + next()); });
    double Copied = medianSeconds(15, [&] {
      const double *From = Host + next();
      CHECK(cudaMemcpyAsync(Device, From, N * sizeof(double),
                            cudaMemcpyHostToDevice));
      launch(Device);
    });
    printf("cpu %zu %.5f\ngpu-waited %zu %.5f\ngpu-copied %zu %.5f\n", N * 8,
           1e3 * Cpu, N * 8, 1e3 * Gpu, N * 8, 1e3 * Copied);
    fflush(stdout);
  }
  CHECK(cudaFreeHost(Host));
  CHECK(cudaFree(Device));
  CHECK(cudaFree(Out));
}
