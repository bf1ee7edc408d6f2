//===- ExecutedCopy.h - Kernels with the accesses that execute --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The NVPTX back end joins neighbouring loads and stores of a thread into
// vectors. Advice is about what executes, so it looks at a copy of the module
// on which that has been done; the module itself stays as it is.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXECUTEDCOPY_H
#define GRIDSPAN_ANALYSIS_EXECUTEDCOPY_H

#include "llvm/IR/PassManager.h"
#include <memory>

namespace gridspan {

class ExecutedCopy {
public:
  ExecutedCopy(const llvm::Module &M, llvm::FunctionAnalysisManager &FAM);
  /// Forgets the analyses of the copy.
  ~ExecutedCopy();
  ExecutedCopy(const ExecutedCopy &) = delete;
  ExecutedCopy &operator=(const ExecutedCopy &) = delete;

  llvm::Module &module() { return *Copy; }

private:
  std::unique_ptr<llvm::Module> Copy;
  llvm::FunctionAnalysisManager &FAM;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXECUTEDCOPY_H
