//===- layout.cu - Programs over records, in every layout -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints "program layout milliseconds" for each. evaluate.py compares them with
// what print<gridspan-layout> says of the first form.
//
//===----------------------------------------------------------------------===//

#include "bench/layout/Irregular.h"
#include "bench/layout/Matrices.h"
#include "bench/layout/SinglePass.h"

int main() {
  measureForms<InverseDistance>();
  measureForms<TwoProducts>();
  measureForms<ThreeProducts>();
  measureForms<Rank2Update>();
  measureForms<Correlation>();
  measureForms<Particles>();
  measureForms<AllPairs>();
  measureForms<Lattice>();
  measureForms<Image>();
  measureForms<TreeNodes>();
  measureForms<Fft>();
  measureForms<KeyValue>();
  measureForms<SparseRows>();
  measureForms<Deposit>();
  measureForms<FewWarps>();
  measureForms<Boxes>();
  measureForms<Stars>();
  measureForms<Cloth>();
}
