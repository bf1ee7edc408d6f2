//===- Uniformity.h - Values that threads of a block share ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's uniformity analysis for device code that has become host code: the
// threads of a block that execute an instruction together get the same value.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_REGIONS_UNIFORMITY_H
#define GRIDSPAN_PASSES_CPU_REGIONS_UNIFORMITY_H

#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/PassManager.h"

namespace gridspan {

/// Holds for a function with thread parameters, as it was when this was made.
class Uniformity {
public:
  explicit Uniformity(llvm::Function &F);
  Uniformity(const Uniformity &) = delete;

  bool isUniform(const llvm::Value *V) { return Info.isUniform(V); }
  /// Returns true if it is also the same wherever it is used: threads that
  /// leave a loop at different times have different ones.
  bool isUniformInAllUses(const llvm::Instruction &I) {
    return Info.isUniform(&I) && llvm::none_of(I.uses(), [&](auto &U) {
             return Info.isDivergentUse(U);
           });
  }
  /// Returns true if threads that leave the block together go on together.
  bool isUniformBranch(llvm::BasicBlock &BB) {
    return !Info.hasDivergentTerminator(BB);
  }

private:
  llvm::FunctionAnalysisManager Analyses;
  llvm::UniformityInfo &Info;
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_UNIFORMITY_H
