//===- PureVirtuals.h - What stands for pure virtual functions --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of virtual functions of an abstract class refers to functions of
// the C++ ABI's library. Devices have none, and ptxas refuses the table.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_PUREVIRTUALS_H
#define GRIDSPAN_PASSES_DEVICE_PUREVIRTUALS_H

#include "llvm/IR/PassManager.h"

namespace gridspan {

/// Defines __cxa_pure_virtual and __cxa_deleted_virtual in device modules that
/// refer to them: functions that trap.
class PureVirtualsPass : public llvm::PassInfoMixin<PureVirtualsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_PUREVIRTUALS_H
