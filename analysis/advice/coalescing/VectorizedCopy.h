//===- VectorizedCopy.h - Kernels with the accesses that --------*- C++ -*-===//
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

#ifndef GRIDSPAN_ANALYSIS_ADVICE_COALESCING_VECTORIZEDCOPY_H
#define GRIDSPAN_ANALYSIS_ADVICE_COALESCING_VECTORIZEDCOPY_H

#include "llvm/IR/PassManager.h"
#include <memory>

namespace gridspan {

class VectorizedCopy {
public:
  VectorizedCopy(const llvm::Module &M, llvm::FunctionAnalysisManager &FAM);
  /// Forgets the analyses of the copy.
  ~VectorizedCopy();
  VectorizedCopy(const VectorizedCopy &) = delete;
  VectorizedCopy &operator=(const VectorizedCopy &) = delete;

  llvm::Module &module() { return *Copy; }

private:
  std::unique_ptr<llvm::Module> Copy;
  llvm::FunctionAnalysisManager &FAM;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_COALESCING_VECTORIZEDCOPY_H
