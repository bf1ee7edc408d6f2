//===- held_out_3.cu - Held-out programs, third group
//----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what layout.cu prints. Their choices are in held_out_3.txt.
//
//===----------------------------------------------------------------------===//

#include "HeldOut3.h"

int main() {
  measureForms<Channels>();
  measureForms<Contacts>();
  measureForms<Sound>();
  measureForms<Votes>();
  measureForms<LookUps>();
  measureForms<Seismic>();
}
