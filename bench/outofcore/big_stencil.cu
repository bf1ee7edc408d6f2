//===- big_stencil.cu - 5-point stencil, larger than memory ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times one step.
//
// Usage: big_stencil [width] [height] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/common/HostData.h"
#include "bench/common/Stencil.h"

int main(int Argc, char **Argv) {
  int Width = argument(Argc, Argv, 1, 65536);
  int Height = argument(Argc, Argv, 2, Width);
  int Repetitions = argument(Argc, Argv, 3, 3);
  size_t N = size_t(Width) * Height;
  HostMemory In(N * sizeof(float), HostKind::Managed);
  HostMemory Out(N * sizeof(float), HostKind::Managed);
  fillHost(In.as<float>(), N);
  double Seconds = medianSeconds(Repetitions, [&] {
    smooth<<<stencilGrid(Width, Height), stencilBlock()>>>(
        In.as<float>(), Out.as<float>(), Width, Height);
    CHECK(cudaDeviceSynchronize());
  });
  report("stencil", Seconds, 8.0 * N, checksumHost(Out.as<float>(), N));
}
