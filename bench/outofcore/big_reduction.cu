//===- big_reduction.cu - Partial sums, larger than memory ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times the sums of the blocks, which the host would add up.
//
// Usage: big_reduction [elements] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/outofcore/BigReduction.h"

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 31);
  int Repetitions = argument(Argc, Argv, 2, 3);
  HostMemory X(N * sizeof(double), HostKind::Managed);
  HostMemory Sums(sumBlocks(N) * sizeof(double), HostKind::Managed);
  fillHost(X.as<double>(), N);
  double Seconds = medianSeconds(Repetitions, [&] {
    blockSums<<<sumBlocks(N), SumThreads>>>(N, X.as<double>(),
                                            Sums.as<double>());
    CHECK(cudaDeviceSynchronize());
  });
  report("block_sums", Seconds, 8.0 * N,
         checksumHost(Sums.as<double>(), sumBlocks(N)));
}
