//===- held_out_2.cu - Held-out programs, second group --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what layout.cu prints. Their choices are in held_out_2.txt.
//
//===----------------------------------------------------------------------===//

#include "HeldOut2.h"

int main() {
  measureForms<Quaternions>();
  measureForms<FewGathers>();
  measureForms<Neighbours>();
  measureForms<SmallMatrices>();
  measureForms<Options>();
}
