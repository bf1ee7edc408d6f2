//===- Access.h - The accesses of a kernel ----------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells which bytes a kernel may touch through each pointer that it receives,
// as expressions of what is known at a launch. What cannot be told is unknown,
// with the reason.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_SUMMARY_ACCESS_H
#define GRIDSPAN_ANALYSIS_SUMMARY_ACCESS_H

#include "analysis/nvptx/KernelAnalyses.h"
#include "analysis/summary/KernelSummary.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Function;
class raw_ostream;
} // namespace llvm

namespace gridspan {

/// Returns everything in a summary but the names of clones and Refusals. Sites
/// have the numbers of their metadata (MemoryOps.h), else they are counted
/// from 0.
KernelSummary summarizeKernel(const llvm::Function &Kernel,
                              const KernelAnalyses &Analyses);

/// Computes the summary of a kernel once for all that ask for it. Numbering the
/// sites anew abandons it.
class KernelSummaryAnalysis
    : public llvm::AnalysisInfoMixin<KernelSummaryAnalysis> {
public:
  using Result = KernelSummary;
  Result run(llvm::Function &Kernel, llvm::FunctionAnalysisManager &FAM);

private:
  friend llvm::AnalysisInfoMixin<KernelSummaryAnalysis>;
  static llvm::AnalysisKey Key;
};

/// Prints the summary; the form is that of AccessPrinter.cpp.
void printAccesses(llvm::raw_ostream &OS, const KernelSummary &Kernel);

/// Implements print<gridspan-access>.
class AccessPrinterPass : public llvm::PassInfoMixin<AccessPrinterPass> {
public:
  explicit AccessPrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &OS;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_SUMMARY_ACCESS_H
