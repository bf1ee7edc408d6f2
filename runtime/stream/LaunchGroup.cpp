//===- LaunchGroup.cpp - Launches that a thread keeps together ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One for each thread: a primitive opens it around a call of its own.
//
//===----------------------------------------------------------------------===//

#include "runtime/stream/LaunchGroup.h"

namespace gridspan {

std::shared_ptr<LaunchGroup> &LaunchGroup::open() {
  static thread_local std::shared_ptr<LaunchGroup> Open;
  return Open;
}

} // namespace gridspan
