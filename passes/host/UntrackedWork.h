//===- UntrackedWork.h - Calls that the runtime does not see ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds calls through which a program may give work to a stream unseen by the
// runtime.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_HOST_UNTRACKEDWORK_H
#define GRIDSPAN_PASSES_HOST_UNTRACKEDWORK_H

namespace llvm {
class Module;
} // namespace llvm

namespace gridspan {

/// Adds a constructor that tells the runtime, if M still uses a function of
/// CUDA that may give work to a stream and that redirectCudaApi has left alone.
/// Returns true if it did.
bool declareUntrackedWork(llvm::Module &M);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_HOST_UNTRACKEDWORK_H
