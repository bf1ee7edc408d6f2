//===- VendorCalls.h - CUDA functions that need a driver --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of the CUDA runtime that Gridspan does not take over need a driver.
// Where there is none, on the CPU device, they say so by name, and fail with
// cudaErrorNotSupported.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_HOST_VENDORCALLS_H
#define GRIDSPAN_PASSES_HOST_VENDORCALLS_H

namespace llvm {
class Module;
} // namespace llvm

namespace gridspan {

/// Makes M ask the runtime before it calls one of them. Precondition: what the
/// runtime takes over is redirected. Returns true if M has changed.
bool guardVendorCalls(llvm::Module &M);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_HOST_VENDORCALLS_H
