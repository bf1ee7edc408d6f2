//===- DeviceFailure.h - Ends of threads that fail --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the functions that device code calls let a launch fail.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_DEVICEFAILURE_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_DEVICEFAILURE_H

#include "gridspan/ABI.h"
#include <driver_types.h>

namespace gridspan {

/// Ends the thread of a launch that has failed.
[[noreturn]] void leaveThread(const GridspanCpuBlock *B);

/// Lets the launch fail with Error and a message that says what a thread of the
/// block did, and ends the thread.
[[noreturn]] void failThread(const GridspanCpuBlock *B, cudaError_t Error,
                             const char *Deed);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_DEVICEFAILURE_H
