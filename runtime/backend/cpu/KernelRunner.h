//===- KernelRunner.h - Runs blocks on the calling thread -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a launch on the thread of its stream, when its turn has come.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_KERNELRUNNER_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_KERNELRUNNER_H

#include "runtime/backend/cpu/CpuLaunch.h"
#include <driver_types.h>

namespace gridspan {

/// Runs all blocks, in ascending order unless cooperative, and returns when
/// they are done: cudaSuccess, or the error that ended the kernel.
cudaError_t runKernel(const CpuLaunch &Launch);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_KERNELRUNNER_H
