//===- Backend.cpp - The devices of one vendor ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Anchors of the interfaces' virtual tables.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/Backend.h"

namespace gridspan {

Pages::~Pages() = default;
Stream::~Stream() = default;
Event::~Event() = default;
Backend::~Backend() = default;

cudaError_t Backend::synchronizeAll() {
  cudaError_t First = cudaSuccess;
  for (unsigned D = 0; D < system().numDevices(); ++D) {
    const cudaError_t Error = synchronizeDevice(static_cast<int>(D));
    First = First ? First : Error;
  }
  return First;
}

} // namespace gridspan
