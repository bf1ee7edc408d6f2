//===- Backend.cpp - The devices of one vendor ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the virtual tables of the interfaces in one object file, and has what
// devices do by default: to synchronize all is to do so with one after the
// other, and a copy that may begin early begins in the stream's order.
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

cudaError_t Backend::copyBehind(Stream &S, std::span<Event *const> Behind,
                                void *Dst, size_t DstPitch, const void *Src,
                                size_t SrcPitch, size_t Width, size_t Height) {
  for (Event *E : Behind)
    if (cudaError_t Error = wait(S, *E))
      return Error;
  return Height == 1 ? copy(S, Dst, Src, Width)
                     : copy2D(S, Dst, DstPitch, Src, SrcPitch, Width, Height);
}

} // namespace gridspan
