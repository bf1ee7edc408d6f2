//===- BigGather.h - Gather and scatter by an index array -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices and arguments of the gathers that are larger than memory.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_OUTOFCORE_BIGGATHER_H
#define GRIDSPAN_BENCH_OUTOFCORE_BIGGATHER_H

#include "bench/common/Gather.h"
#include "bench/common/HostData.h"

/// Makes different numbers below Size, a power of two, for I below Size.
inline void fillIndex(unsigned *Out, size_t N, size_t Size) {
  parallelFor(
      N,
      [=](size_t Begin, size_t End) {
        for (size_t I = Begin; I < End; ++I)
          Out[I] = (unsigned(I) * 2654435761u + 12345u) & unsigned(Size - 1);
      },
      std::thread::hardware_concurrency());
}

struct GatherArguments {
  size_t N;         ///< elements gathered
  size_t TableSize; ///< a power of two, not below N
  int Repetitions;
  GatherArguments(int Argc, char **Argv)
      : N(argument(Argc, Argv, 1, size_t(1) << 28)),
        TableSize(argument(Argc, Argv, 2, size_t(1) << 31)),
        Repetitions(argument(Argc, Argv, 3, 3)) {}
};

#endif // GRIDSPAN_BENCH_OUTOFCORE_BIGGATHER_H
