//===- ChosenDevice.cpp - Work on a device of one's choice ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number for each thread: a primitive sets it around a few calls of its own.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/ChosenDevice.h"

namespace gridspan {

int &chosenDevice() {
  static thread_local int Chosen = NoChosenDevice;
  return Chosen;
}

} // namespace gridspan
