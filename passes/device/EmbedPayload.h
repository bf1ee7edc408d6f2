//===- EmbedPayload.h - Data inside a device module -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries data to the host compilation of the same file, inside the cubin
// (analysis/summary/Payload.h).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_EMBEDPAYLOAD_H
#define GRIDSPAN_PASSES_DEVICE_EMBEDPAYLOAD_H

#include "analysis/summary/Payload.h"

namespace llvm {
class GlobalVariable;
class Module;
} // namespace llvm

namespace gridspan {

/// Adds a constant device global with the frame of Contents, which survives to
/// the cubin. Id makes its name unique in a program of several files.
llvm::GlobalVariable &embedPayload(llvm::Module &M, PayloadKind Kind,
                                   llvm::StringRef Id, llvm::StringRef Contents,
                                   bool Compress);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_EMBEDPAYLOAD_H
