//===- Backend.cpp - The devices of one vendor ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the virtual tables of the interfaces in one object file, and has the
// default of synchronizeAll: every device, one after the other.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/Backend.h"

namespace gridspan {

Pages::~Pages() = default;
Stream::~Stream() = default;
Event::~Event() = default;
ArrayCopy::~ArrayCopy() = default;
TextureCopy::~TextureCopy() = default;
Backend::~Backend() = default;

cudaError_t Backend::synchronizeAll() {
  cudaError_t First = cudaSuccess;
  for (unsigned D = 0, N = system().numDevices(); D != N; ++D) {
    const cudaError_t Error = synchronizeDevice(static_cast<int>(D));
    First = First ? First : Error;
  }
  return First;
}

} // namespace gridspan
