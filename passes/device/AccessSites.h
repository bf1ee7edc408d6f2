//===- AccessSites.h - Numbers for memory accesses --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives the memory accesses of a module numbers, by which summary, trace and
// advice name them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_ACCESSSITES_H
#define GRIDSPAN_PASSES_DEVICE_ACCESSSITES_H

#include "llvm/IR/PassManager.h"

namespace gridspan {

/// Gives every instruction of M that may touch global memory a number unique in
/// the module, as metadata gridspan.site. By it summaries and traces of the CPU
/// device are compared. Copies of an instruction keep its number. Returns what
/// stays valid: all but kernels' summaries.
llvm::PreservedAnalyses numberAccessSites(llvm::Module &M);

/// Implements gridspan-sites, which numbers the sites.
class AccessSitesPass : public llvm::PassInfoMixin<AccessSitesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_ACCESSSITES_H
