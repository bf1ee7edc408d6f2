//===- ManagedPointers.h - __managed__ variables on devices -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang has no __managed__ for CUDA: the compatibility header makes it
// __device__ with an annotation. This pass replaces each such variable that the
// host sees by a constant of the same name, which holds the address of managed
// memory. The runtime sets it on every device (ManagedVariables.h).
//
// Device code then accesses memory through a pointer that it has loaded, and
// everything that holds for such pointers holds for it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_MANAGEDPOINTERS_H
#define GRIDSPAN_PASSES_DEVICE_MANAGEDPOINTERS_H

#include "analysis/summary/KernelSummary.h"
#include "llvm/IR/PassManager.h"

namespace gridspan {

class ManagedPointersPass : public llvm::PassInfoMixin<ManagedPointersPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

/// Returns the variables that the pass has replaced in M.
std::vector<ManagedSummary> managedVariables(const llvm::Module &M);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_MANAGEDPOINTERS_H
