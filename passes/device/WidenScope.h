//===- WidenScope.h - Atomics and fences for all devices --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes atomics and fences that hold on one device hold on all devices of a
// split launch.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_WIDENSCOPE_H
#define GRIDSPAN_PASSES_DEVICE_WIDENSCOPE_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Widens every atomic and fence of device scope in F to system scope. All of
/// them must satisfy canWidenToSystemScope. Returns true if there was one.
bool widenToSystemScope(llvm::Function &F);

/// Implements gridspan-widen-scope, which does so in tiled clones.
class WidenScopePass : public llvm::PassInfoMixin<WidenScopePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_WIDENSCOPE_H
