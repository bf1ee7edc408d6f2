//===- big_average.cu - Moving average, larger than memory ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: big_average [outputs] [repetitions] [window]
//
//===----------------------------------------------------------------------===//

#include "bench/common/Average.h"
#include "bench/common/HostData.h"

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 32);
  int Repetitions = argument(Argc, Argv, 2, 3);
  int Window = argument(Argc, Argv, 3, 64);
  size_t Inputs = N + Window - 1;
  HostMemory In(Inputs * sizeof(float), HostKind::Managed);
  HostMemory Out(N * sizeof(float), HostKind::Managed);
  fillHost(In.as<float>(), Inputs);
  double Seconds = medianSeconds(Repetitions, [&] {
    average<<<(N + 255) / 256, 256>>>(N, Window, In.as<float>(),
                                      Out.as<float>());
    CHECK(cudaDeviceSynchronize());
  });
  report("average", Seconds, 8.0 * N, checksumHost(Out.as<float>(), N));
}
