//===- KernelRunner.h - Runs the blocks of a launch -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a launch when its turn has come: on the thread of its stream, and those
// of its device's pool; and says which of its codes a kernel runs.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_KERNELRUNNER_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_KERNELRUNNER_H

#include "gridspan/CpuCodes.h"
#include "runtime/backend/cpu/CpuLaunch.h"
#include <driver_types.h>

namespace gridspan {

/// Runs all blocks and returns when they are done; on one thread, they run in
/// ascending order unless cooperative. Returns cudaSuccess, or the error that
/// ended the kernel.
cudaError_t runKernel(const CpuLaunch &Launch);

/// Lets kernels of this process that have several codes run those for Most and
/// less, as far as the processor can. Thread-safe; between launches.
void allowVectors(VectorLevel Most);

/// Returns the highest level whose code they run. Thread-safe.
VectorLevel usedVectors();

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_KERNELRUNNER_H
