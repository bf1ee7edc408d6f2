//===- Warning.h - Warnings of the plugin -----------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says what is no error and no remark.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_COMMON_WARNING_H
#define GRIDSPAN_PASSES_COMMON_WARNING_H

#include "llvm/ADT/Twine.h"

namespace llvm {
class Module;
} // namespace llvm

namespace gridspan {

/// Warns under -Wbackend-plugin, with the module's source file in front.
void warn(llvm::Module &M, const llvm::Twine &Text);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_COMMON_WARNING_H
