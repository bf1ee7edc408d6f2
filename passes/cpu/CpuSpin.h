//===- CpuSpin.h - Loops that wait for another thread -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the CPU device one thread runs at a time, so a loop that waits for what
// another thread stores must let it run.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUSPIN_H
#define GRIDSPAN_PASSES_CPU_CPUSPIN_H

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Makes the loops of F that may wait for another thread yield to others in
/// each turn. F has thread parameters. Returns true if there are any.
bool yieldInSpinLoops(llvm::Function &F);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUSPIN_H
