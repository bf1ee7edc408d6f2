//===- DeviceBitcode.h - A device module as bitcode -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the snapshot of a device module that the host compilation lowers for
// the CPU device.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_DEVICEBITCODE_H
#define GRIDSPAN_PASSES_DEVICE_DEVICEBITCODE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace gridspan {

/// Bitcode of M with the kernels that Keep accepts, the device variables that
/// the host can name, and what these use; debug information is reduced to line
/// tables. M does not change.
llvm::SmallVector<char, 0>
deviceBitcode(const llvm::Module &M,
              llvm::function_ref<bool(const llvm::Function &)> Keep);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_DEVICEBITCODE_H
