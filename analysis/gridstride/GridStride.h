//===- GridStride.h - Loops that stride over the whole grid -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops of the form
//
//   for (i = base + s * index; i < bound; i += s * count)
//
// where index is the number of the thread along an axis (blockIdx * blockDim +
// threadIdx) and count the threads of the grid (blockDim * gridDim), or index
// is blockIdx and count is gridDim. s is a constant, of either sign. Together
// the threads run each i once.
//
// Which of them may give their iterations to other threads without a change of
// the results; the proof is in GridStride.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_GRIDSTRIDE_GRIDSTRIDE_H
#define GRIDSPAN_ANALYSIS_GRIDSTRIDE_GRIDSTRIDE_H

#include "analysis/nvptx/KernelAnalyses.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"
#include <array>
#include <utility>
#include <vector>

namespace llvm {
class ICmpInst;
class Instruction;
class Loop;
class PHINode;
class Value;
} // namespace llvm

namespace gridspan {

enum class StrideRefusalKind : uint8_t {
#define GRIDSPAN_STRIDE_REFUSAL(Kind, Name, Text) Kind,
#include "analysis/gridstride/GridStride.def"
};

/// Returns "carried-value", ...
llvm::StringRef strideRefusalName(StrideRefusalKind Kind);
/// Returns "a value goes from one iteration to the next", ...
llvm::StringRef strideRefusalText(StrideRefusalKind Kind);

/// A loop of the form above.
struct GridStrideLoop {
  const llvm::Loop *L = nullptr;
  llvm::PHINode *Index = nullptr;
  /// The operand of the increment that is the step; the increment adds it to
  /// Index, or subtracts it.
  llvm::Instruction *Next = nullptr;
  unsigned StepOperand = 0;
  /// The only exit: the loop goes on while Next Pred the operand LimitOperand.
  llvm::ICmpInst *Test = nullptr;
  unsigned LimitOperand = 0;
  llvm::CmpInst::Predicate Pred = llvm::CmpInst::BAD_ICMP_PREDICATE;
  unsigned Axis = 0;
  bool PerBlock = false; ///< by blocks, not by threads
  int64_t Scale = 0;     ///< s; never 0
  /// base = Constant + sum of factor * value, all invariant in L.
  int64_t Constant = 0;
  llvm::SmallVector<std::pair<int64_t, llvm::Value *>, 2> Terms;
};

/// A grid-stride loop whose iterations stay where they are.
struct StrideRefusal {
  StrideRefusalKind Kind;
  const llvm::Loop *L;
  const llvm::Instruction *Where = nullptr; ///< or null

  /// Returns "a grid-stride loop keeps its distribution: ..., at
  /// file:line:col".
  std::string message() const;
};

struct GridStrideResult {
  /// Loops whose iterations may be given to other threads, in program order,
  /// under the launch's condition of GridspanRepartitioned (ABI.h).
  std::vector<GridStrideLoop> Loops;
  std::vector<StrideRefusal> Refusals;
  /// Pointers, as parameter and byte offset in it, through which each iteration
  /// accesses its own element only, of the same size for all of them.
  std::vector<std::pair<unsigned, unsigned>> OwnElement;
  /// Axes along which the kernel does the same in a grid of any size, under the
  /// launch's condition of GridspanElasticX (ABI.h).
  std::array<bool, 3> Elastic = {};

  /// Returns true if the result is stale: it holds loops of LoopInfo.
  bool invalidate(llvm::Function &Kernel, const llvm::PreservedAnalyses &PA,
                  llvm::FunctionAnalysisManager::Invalidator &Inv);
};

GridStrideResult findGridStrideLoops(const llvm::Function &Kernel,
                                     const KernelAnalyses &Analyses);

/// Finds the grid-stride loops of a kernel once for all that ask for them.
class GridStrideAnalysis : public llvm::AnalysisInfoMixin<GridStrideAnalysis> {
public:
  using Result = GridStrideResult;
  Result run(llvm::Function &Kernel, llvm::FunctionAnalysisManager &FAM);

private:
  friend llvm::AnalysisInfoMixin<GridStrideAnalysis>;
  static llvm::AnalysisKey Key;
};

/// Implements print<gridspan-grid-stride>.
class GridStridePrinterPass
    : public llvm::PassInfoMixin<GridStridePrinterPass> {
public:
  explicit GridStridePrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &OS;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_GRIDSTRIDE_GRIDSTRIDE_H
