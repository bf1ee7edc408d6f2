//===- KernelFaults.h - Faults in device code -------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wild address or a full stack in a kernel is an error of the launch, as on a
// GPU, and not the end of the process. Functions that device code calls let a
// launch fail in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_KERNELFAULTS_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_KERNELFAULTS_H

#include "runtime/backend/cpu/BlockState.h"

namespace gridspan {

/// While it lives, a fault in device code that the calling thread runs for
/// Launch ends the device's thread, and sets Error and Fault of Launch. Device
/// code is what runs while Launch.Running is not null. Scopes nest.
class FaultScope {
public:
  explicit FaultScope(LaunchState &Launch);
  ~FaultScope();
  FaultScope(const FaultScope &) = delete;

private:
  LaunchState *const Outer;
};

/// While it lives, device code is in a function of the runtime that must run to
/// its end. A fault there is one of the process.
class CalleeScope {
public:
  CalleeScope();
  ~CalleeScope();
  CalleeScope(const CalleeScope &) = delete;

private:
  LaunchState *const Launch; ///< null outside of launches
  BlockState *const Caller;
};

/// Ends the thread of a launch that has failed.
[[noreturn]] void leaveThread(const GridspanCpuBlock *B);

/// Lets the launch fail with Error and a message that says what a thread of the
/// block did, and ends the thread.
[[noreturn]] void failThread(const GridspanCpuBlock *B, cudaError_t Error,
                             const char *Deed);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_KERNELFAULTS_H
