//===- ReusePrinter.h - Prints reuse and reductions -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// print<gridspan-reuse>: reads of the same bytes (SharedMemoryReuse.h), and how
// well a launch keeps the memory busy (ReductionAdvice.h).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_REUSEPRINTER_H
#define GRIDSPAN_ANALYSIS_ADVICE_REUSEPRINTER_H

#include "analysis/advice/sites/LaunchAssumptions.h"
#include "analysis/machine/MachineModel.h"
#include "llvm/IR/PassManager.h"

namespace gridspan {

class ReusePrinterPass : public llvm::PassInfoMixin<ReusePrinterPass> {
public:
  /// Given: the machine, where the architecture does not decide.
  ReusePrinterPass(llvm::raw_ostream &OS, LaunchAssumptions Known,
                   const MachineModel *Given)
      : OS(OS), Known(std::move(Known)), Given(Given) {}
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &OS;
  LaunchAssumptions Known;
  const MachineModel *Given;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_REUSEPRINTER_H
