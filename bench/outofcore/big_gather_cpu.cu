//===- big_gather_cpu.cu - Gather and scatter by loops on the CPU ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread works on a fraction of the elements, and its time is scaled up.
//
//===----------------------------------------------------------------------===//

#include "bench/outofcore/BigGather.h"

int main(int Argc, char **Argv) {
  GatherArguments A(Argc, Argv);
  size_t Share = hostThreads() == 1 ? 8 : 1, N = A.N / Share;
  HostMemory Table(A.TableSize * sizeof(float), HostKind::Pageable);
  HostMemory Index(N * sizeof(unsigned), HostKind::Pageable);
  HostMemory List(N * sizeof(float), HostKind::Pageable);
  fillHost(Table.as<float>(), A.TableSize);
  fillHost(List.as<float>(), N);
  fillIndex(Index.as<unsigned>(), N, A.TableSize);
  auto *T = Table.as<float>(), *L = List.as<float>();
  auto *Places = Index.as<unsigned>();
  double Seconds = medianSeconds(A.Repetitions, [&] {
    parallelFor(N, [=](size_t Begin, size_t End) {
      for (size_t I = Begin; I < End; ++I)
        L[I] = T[Places[I]];
    });
  });
  report("gather", Seconds * Share, 12.0 * A.N,
         Share == 1 ? checksumHost(L, N) : 0);
  fillHost(L, N);
  Seconds = medianSeconds(A.Repetitions, [&] {
    parallelFor(N, [=](size_t Begin, size_t End) {
      for (size_t I = Begin; I < End; ++I)
        T[Places[I]] = L[I];
    });
  });
  report("scatter", Seconds * Share, 12.0 * A.N,
         Share == 1 ? checksumHost(T, A.TableSize) : 0);
}
