//===- CpuWaits.h - Waiting for other threads -------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread of the CPU device that waits for others calls into the runtime,
// which goes on with another one.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUWAITS_H
#define GRIDSPAN_PASSES_CPU_CPUWAITS_H

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Returns true if F, which has been lowered, may wait for other threads.
bool waits(const llvm::Function &F);

/// Returns true if F is large and does little more than wait: going from thread
/// to thread takes most of its time, so that optimizing it hardly pays.
bool mostlyWaits(llvm::Function &F);

/// Returns true if F has a loop.
bool hasLoop(llvm::Function &F);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUWAITS_H
