//===- CpuThreadLoop.h - Kernels as loops over threads ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the function that the runtime calls (GridspanCpuRunFn) out of the one
// that runs a single thread.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUTHREADLOOP_H
#define GRIDSPAN_PASSES_CPU_CPUTHREADLOOP_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Returns the function that runs the threads of a block. Thread is a kernel
/// with thread parameters. Independent says that its threads never wait for
/// each other; it is inlined into the loop then, and its accesses may be
/// annotated. OS, if not null, receives which loops threads take together.
llvm::Function *makeThreadLoop(llvm::Function &Thread, llvm::StringRef Name,
                               bool Independent,
                               llvm::raw_ostream *OS = nullptr);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUTHREADLOOP_H
