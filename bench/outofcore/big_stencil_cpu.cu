//===- big_stencil_cpu.cu - 5-point stencil by loops on the CPU -----------===//
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
  size_t Width = argument(Argc, Argv, 1, 65536);
  size_t Height = argument(Argc, Argv, 2, Width);
  int Repetitions = argument(Argc, Argv, 3, 3);
  size_t Share = hostThreads() == 1 ? 16 : 1, Rows = Height / Share;
  size_t N = Width * Rows;
  HostMemory In(N * sizeof(float), HostKind::Pageable);
  HostMemory Out(N * sizeof(float), HostKind::Pageable);
  fillHost(In.as<float>(), N);
  fillHost(Out.as<float>(), N);
  double Seconds = medianSeconds(Repetitions, [&] {
    parallelFor(Rows, [=, From = In.as<float>(),
                       To = Out.as<float>()](size_t Begin, size_t End) {
      for (size_t Y = Begin; Y < End; ++Y) {
        const float *Row = From + Y * Width;
        float *Result = To + Y * Width;
        std::copy_n(Row, Width, Result);
        if (Y == 0 || Y == Rows - 1)
          continue;
        for (size_t X = 1; X + 1 < Width; ++X)
          Result[X] =
              0.5f * Row[X] + 0.125f * (Row[X - 1] + Row[X + 1] +
                                        Row[X - Width] + Row[X + Width]);
      }
    });
  });
  report("stencil", Seconds * Share, 8.0 * Width * Height,
         Share == 1 ? checksumHost(Out.as<float>(), N) : 0);
}
