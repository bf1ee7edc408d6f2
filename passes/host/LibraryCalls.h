//===- LibraryCalls.h - Calls of libraries that launch kernels --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Announces calls of CUDA libraries to the runtime, which moves the data that
// they use to where they run.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_HOST_LIBRARYCALLS_H
#define GRIDSPAN_PASSES_HOST_LIBRARYCALLS_H

namespace llvm {
class Module;
} // namespace llvm

namespace gridspan {

/// Makes direct calls of functions of CUDA libraries (cuBLAS, ...) tell the
/// runtime where their pointers lead, before they happen, and that they have
/// happened. Returns whether there were any.
bool announceLibraryCalls(llvm::Module &M);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_HOST_LIBRARYCALLS_H
