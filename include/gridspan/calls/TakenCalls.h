//===- TakenCalls.h - Calls of libraries that become primitives -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a call of CUB or Thrust asks the runtime for: whether it is to become a
// primitive of Gridspan, by where its data are.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_TAKENCALLS_H
#define GRIDSPAN_CALLS_TAKENCALLS_H

#include <cuda_runtime_api.h>
#include <stdint.h>

/// Why a call does what the library does; GridspanCallTaken: it need not.
enum GridspanCallReason {
  GridspanCallTaken,
#define GRIDSPAN_CALL_REASON(Id, Name, Text) GridspanCall##Id,
#include "gridspan/calls/CallReasons.def"
};

/// Memory that a call works on.
struct GridspanCallMemory {
  const void *Address;
  uint64_t Bytes; ///< 0: to the end of its allocation
};

extern "C" {
/// Returns 1 if the call is to become a primitive: some of its memory is paged
/// or on several devices, and nothing forbids it. WhyNot is what the compiler
/// has found, or GridspanCallTaken. Counts such calls for the report, by the
/// name of the function. Addresses that are no device memory do not matter.
int __gridspan_takes_call(const char *Function, unsigned WhyNot,
                          const struct GridspanCallMemory *Memory,
                          unsigned Count, cudaStream_t Stream);
}

#endif // GRIDSPAN_CALLS_TAKENCALLS_H
