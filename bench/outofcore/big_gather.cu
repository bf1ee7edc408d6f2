//===- big_gather.cu - Gather and scatter, larger than memory -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without inspection nothing is known of the indices: data that do not fit are
// reached over the bus.
//
// Usage: big_gather [elements] [table size] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/outofcore/BigGather.h"

int main(int Argc, char **Argv) {
  GatherArguments A(Argc, Argv);
  HostMemory Table(A.TableSize * sizeof(float), HostKind::Managed);
  HostMemory Index(A.N * sizeof(unsigned), HostKind::Managed);
  HostMemory List(A.N * sizeof(float), HostKind::Managed);
  fillHost(Table.as<float>(), A.TableSize);
  fillIndex(Index.as<unsigned>(), A.N, A.TableSize);
  unsigned Blocks = (A.N + 255) / 256;
  double Seconds = medianSeconds(A.Repetitions, [&] {
    gather<<<Blocks, 256>>>(A.N, Index.as<unsigned>(), Table.as<float>(),
                            List.as<float>());
    CHECK(cudaDeviceSynchronize());
  });
  report("gather", Seconds, 12.0 * A.N, checksumHost(List.as<float>(), A.N));
  fillHost(List.as<float>(), A.N);
  Seconds = medianSeconds(A.Repetitions, [&] {
    scatter<<<Blocks, 256>>>(A.N, Index.as<unsigned>(), List.as<float>(),
                             Table.as<float>());
    CHECK(cudaDeviceSynchronize());
  });
  report("scatter", Seconds, 12.0 * A.N,
         checksumHost(Table.as<float>(), A.TableSize));
}
