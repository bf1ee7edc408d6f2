//===- Reductions.h - Arguments that are reduced into -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel reduces into an argument if it does nothing there but atomics of one
// operation whose results it does not use. A device that runs a part of the
// grid may then do them on a private copy, filled with the identity, which is
// combined into the argument's memory behind the launch.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_LEGALITY_REDUCTIONS_H
#define GRIDSPAN_ANALYSIS_LEGALITY_REDUCTIONS_H

#include "analysis/summary/KernelSummary.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Function;
class Instruction;
class raw_ostream;
} // namespace llvm

namespace gridspan {

enum class ReductionRefusal : uint8_t {
#define GRIDSPAN_REDUCTION_REFUSAL(Kind, Name, Text) Kind,
#include "analysis/legality/Reductions.def"
};

/// Returns "atomic-result-used".
llvm::StringRef reductionRefusalName(ReductionRefusal R);
/// Returns "the kernel uses what an atomic returns".
llvm::StringRef reductionRefusalText(ReductionRefusal R);

/// Returns "add.u32"; "" for None.
llvm::StringRef operationName(GridspanReduction Kind);

/// An argument that the kernel has atomics on.
struct ReducedArgument {
  unsigned Pointer; ///< index into Pointers
  /// The operation; None if it is refused.
  GridspanReduction Kind = GridspanReduction::None;
  ReductionRefusal Why = {};                ///< only if refused
  const llvm::Instruction *Where = nullptr; ///< what is refused, if it is one
};

/// Returns what is known of each of Summary's pointers that Kernel has atomics
/// on, in their order. Summary is Kernel's.
llvm::SmallVector<ReducedArgument, 2>
findReductions(const llvm::Function &Kernel, const KernelSummary &Summary);

/// Implements print<gridspan-reductions>.
class ReductionsPrinterPass
    : public llvm::PassInfoMixin<ReductionsPrinterPass> {
public:
  explicit ReductionsPrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &OS;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_LEGALITY_REDUCTIONS_H
