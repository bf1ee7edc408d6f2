//===- HostPass.h - The host side of a CUDA file ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a host module run on Gridspan: hands the runtime what the device
// compilation found out about its kernels, and redirects its calls of the CUDA
// runtime API.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_HOST_HOSTPASS_H
#define GRIDSPAN_PASSES_HOST_HOSTPASS_H

#include "llvm/IR/PassManager.h"

namespace gridspan {

/// Runs once on each module that is not for a GPU; a module that it has
/// processed already, and every device module, is left as it is.
class HostPass : public llvm::PassInfoMixin<HostPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  /// Registration is needed at -O0 too.
  static bool isRequired() { return true; }
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_HOST_HOSTPASS_H
