//===- ProgramStream.cpp - A stream as the program knows it ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "ProgramStream.h"

namespace gridspan {

ProgramStream::ProgramStream(Backend &B, std::unique_ptr<Stream> Main)
    : B(B), Main(std::move(Main)) {}

cudaError_t ProgramStream::fork(unsigned Devices) {
  if (!Forked)
    if (cudaError_t Error = B.createEvent(0, cudaEventDisableTiming, Forked))
      return Error;
  while (Companions.size() + 1 < Devices) {
    const int Device = static_cast<int>(Companions.size()) + 1;
    Companion New;
    if (cudaError_t Error =
            B.createStream(Device, StreamKind::NonBlocking, 0, New.Queue))
      return Error;
    if (cudaError_t Error =
            B.createEvent(Device, cudaEventDisableTiming, New.Done))
      return Error;
    Companions.push_back(std::move(New));
  }
  if (cudaError_t Error = B.record(*Forked, *Main))
    return Error;
  for (unsigned Device = 1; Device < Devices; ++Device)
    if (cudaError_t Error = B.wait(on(static_cast<int>(Device)), *Forked))
      return Error;
  return cudaSuccess;
}

cudaError_t ProgramStream::join(int Device) {
  Companion &C = Companions[Device - 1];
  cudaError_t Error = B.record(*C.Done, *C.Queue);
  if (!Error)
    Error = B.wait(*Main, *C.Done);
  // What comes next in the stream relies on the order, also after an error.
  if (Error)
    (void)B.synchronize(*C.Queue);
  return Error;
}

} // namespace gridspan
