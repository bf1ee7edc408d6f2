//===- blind.cu - Layouts that were chosen before they ran ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what layout.cu prints, of programs that the layout model had not seen:
// their layouts were chosen, and the choices written down (blind_choices.txt),
// before they ran for the first time.
//
//===----------------------------------------------------------------------===//

#include "bench/layout/Counters.h"
#include "bench/layout/Grids.h"
#include "bench/layout/IndexedRecords.h"
#include "bench/layout/Pointwise.h"

int main() {
  measureForms<Lattice3d>();
  measureForms<EnergyBins>();
  measureForms<Springs>();
  measureForms<Planes>();
  measureForms<VectorStencil>();
  measureForms<Quaternions>();
  measureForms<FewGathers>();
  measureForms<Neighbours>();
  measureForms<SmallMatrices>();
  measureForms<Options>();
  measureForms<Channels>();
  measureForms<Contacts>();
  measureForms<Sound>();
  measureForms<Votes>();
  measureForms<LookUps>();
  measureForms<Seismic>();
}
