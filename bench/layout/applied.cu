//===- applied.cu - Programs over records, as they are written ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs of layout.cu and blind.cu with plain arrays of structs. Prints
// "program aos milliseconds" and the sum of the results of each. Compiled with
// -mllvm -gridspan-layout=apply or without, sums have to be the same.
//
//===----------------------------------------------------------------------===//

#include "bench/layout/Counters.h"
#include "bench/layout/Grids.h"
#include "bench/layout/IndexedRecords.h"
#include "bench/layout/Irregular.h"
#include "bench/layout/Matrices.h"
#include "bench/layout/Pointwise.h"
#include "bench/layout/SinglePass.h"
#include <cstring>

/// Measures the program, if it is one that is asked for.
template <template <template <class, int> class> class Program>
void measureRecords(int Count, char **Names) {
  bool Wanted = Count == 1;
  for (int I = 1; I < Count; ++I)
    Wanted |= !strcmp(Names[I], Program<Aos>::Name);
  if (!Wanted)
    return;
  unsigned long long Sum = 0;
  measure<Program<Aos>>(Sum);
  printf("%s sum %016llx\n", Program<Aos>::Name, Sum);
}

int main(int Count, char **Names) {
  measureRecords<Lattice3d>(Count, Names);
  measureRecords<EnergyBins>(Count, Names);
  measureRecords<Springs>(Count, Names);
  measureRecords<Planes>(Count, Names);
  measureRecords<VectorStencil>(Count, Names);
  measureRecords<Quaternions>(Count, Names);
  measureRecords<FewGathers>(Count, Names);
  measureRecords<Neighbours>(Count, Names);
  measureRecords<SmallMatrices>(Count, Names);
  measureRecords<Options>(Count, Names);
  measureRecords<Channels>(Count, Names);
  measureRecords<Contacts>(Count, Names);
  measureRecords<Sound>(Count, Names);
  measureRecords<Votes>(Count, Names);
  measureRecords<LookUps>(Count, Names);
  measureRecords<Seismic>(Count, Names);
  measureRecords<InverseDistance>(Count, Names);
  measureRecords<TwoProducts>(Count, Names);
  measureRecords<ThreeProducts>(Count, Names);
  measureRecords<Rank2Update>(Count, Names);
  measureRecords<Correlation>(Count, Names);
  measureRecords<Particles>(Count, Names);
  measureRecords<AllPairs>(Count, Names);
  measureRecords<Lattice>(Count, Names);
  measureRecords<Image>(Count, Names);
  measureRecords<TreeNodes>(Count, Names);
  measureRecords<Fft>(Count, Names);
  measureRecords<KeyValue>(Count, Names);
  measureRecords<SparseRows>(Count, Names);
  measureRecords<Deposit>(Count, Names);
  measureRecords<FewWarps>(Count, Names);
  measureRecords<Boxes>(Count, Names);
  measureRecords<Stars>(Count, Names);
  measureRecords<Cloth>(Count, Names);
}
