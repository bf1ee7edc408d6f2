//===- InductionWidth.h - One width for an induction variable ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `for (int i = first; i < n; i += step)` with an n of 64 bits has an index of
// two widths: it is counted in 32 bits, and compared, and often used, in 64.
// LLVM leaves it so, or with a recurrence that ScalarEvolution does not know.
// Then nothing is known of what the loop accesses or how often it goes round.
// This pass gives such an index one width.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_INDUCTIONWIDTH_H
#define GRIDSPAN_PASSES_DEVICE_INDUCTIONWIDTH_H

#include "llvm/IR/PassManager.h"

namespace gridspan {

/// Changes device code only. Preserves the control flow.
class InductionWidthPass : public llvm::PassInfoMixin<InductionWidthPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
  static bool isRequired() { return true; }
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_INDUCTIONWIDTH_H
