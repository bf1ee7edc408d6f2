//===- big_reduction_cpu.cu - Partial sums by loops on the CPU ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread works on a fraction of the data, and its time is scaled up.
//
//===----------------------------------------------------------------------===//

#include "bench/outofcore/BigReduction.h"

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 31);
  int Repetitions = argument(Argc, Argv, 2, 3);
  size_t Share = hostThreads() == 1 ? 8 : 1, Part = N / Share;
  HostMemory X(Part * sizeof(double), HostKind::Pageable);
  std::vector<double> Sums(sumBlocks(Part));
  fillHost(X.as<double>(), Part);
  double Seconds = medianSeconds(Repetitions, [&] {
    parallelFor(Sums.size(),
                [&, From = X.as<double>()](size_t Begin, size_t End) {
                  for (size_t B = Begin; B < End; ++B) {
                    // Several sums, so that the processor can add side by side.
                    double Parts[8] = {};
                    size_t Last = std::min(Part, (B + 1) * SumPerBlock);
                    for (size_t I = B * SumPerBlock; I < Last; ++I)
                      Parts[I % 8] += From[I];
                    Sums[B] = ((Parts[0] + Parts[1]) + (Parts[2] + Parts[3])) +
                              ((Parts[4] + Parts[5]) + (Parts[6] + Parts[7]));
                  }
                });
  });
  report("block_sums", Seconds * Share, 8.0 * N,
         Share == 1 ? checksumHost(Sums.data(), Sums.size()) : 0);
}
