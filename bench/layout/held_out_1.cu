//===- held_out_1.cu - Held-out programs, first group ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what layout.cu prints. Their choices are in held_out_1.txt.
//
//===----------------------------------------------------------------------===//

#include "HeldOut.h"

int main() {
  measureForms<Lattice3d>();
  measureForms<EnergyBins>();
  measureForms<Springs>();
  measureForms<Planes>();
  measureForms<VectorStencil>();
}
