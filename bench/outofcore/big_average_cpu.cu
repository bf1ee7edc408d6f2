//===- big_average_cpu.cu - Moving average by loops on the CPU ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread works on a fraction of the data, and its time is scaled up.
//
//===----------------------------------------------------------------------===//

#include "bench/common/HostData.h"

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 32);
  int Repetitions = argument(Argc, Argv, 2, 3);
  int Window = argument(Argc, Argv, 3, 64);
  size_t Share = hostThreads() == 1 ? 64 : 1, Part = N / Share;
  size_t Inputs = Part + Window - 1;
  HostMemory In(Inputs * sizeof(float), HostKind::Pageable);
  HostMemory Out(Part * sizeof(float), HostKind::Pageable);
  fillHost(In.as<float>(), Inputs);
  fillHost(Out.as<float>(), Part);
  double Seconds = medianSeconds(Repetitions, [&] {
    parallelFor(Part, [X = In.as<float>(), Y = Out.as<float>(),
                       Window](size_t Begin, size_t End) {
      for (size_t I = Begin; I < End; ++I) {
        float Sum = 0;
        for (int J = 0; J < Window; ++J)
          Sum += X[I + J];
        Y[I] = Sum / Window;
      }
    });
  });
  report("average", Seconds * Share, 8.0 * N,
         Share == 1 ? checksumHost(Out.as<float>(), N) : 0);
}
