//===- CpuAccessTrace.h - Recording the accesses of kernels -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a second version of kernels that tells the runtime of every access at a
// site that the device compilation has numbered (!gridspan.site).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUACCESSTRACE_H
#define GRIDSPAN_PASSES_CPU_CPUACCESSTRACE_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Returns traced versions of Functions that call each other. They are compiled
/// without optimization: they are there to be right. Calls through pointers go
/// to the functions without tracing.
llvm::MapVector<llvm::Function *, llvm::Function *>
makeTracedVersions(const llvm::SetVector<llvm::Function *> &Functions);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUACCESSTRACE_H
