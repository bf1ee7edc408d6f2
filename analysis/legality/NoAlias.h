//===- NoAlias.h - Facts for distinct arguments -----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler must assume that two arguments of a kernel may lead to the same
// memory. This says which accesses could be told apart if no memory that a
// launch writes through one argument was accessed through another, and whether
// the code would profit.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_LEGALITY_NOALIAS_H
#define GRIDSPAN_ANALYSIS_LEGALITY_NOALIAS_H

#include "analysis/summary/KernelSummary.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"
#include <optional>
#include <vector>

namespace llvm {
class Function;
class LoadInst;
} // namespace llvm

namespace gridspan {

enum class NoAliasRefusal {
#define GRIDSPAN_NOALIAS_REFUSAL(Kind, Name, Text) Kind,
#include "analysis/legality/NoAlias.def"
};

llvm::StringRef noAliasRefusalName(NoAliasRefusal Refusal);
llvm::StringRef noAliasRefusalText(NoAliasRefusal Refusal);

struct NoAliasFacts {
  /// The pointers that a site may be based on, as indices into
  /// KernelSummary::Pointers, ascending. Sites that may be based on anything
  /// else are missing.
  llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 2>> Bases;
  /// True for pointers through which some site writes.
  std::vector<bool> IsWritten;
  /// True if memory behind pointers that nothing is written through stays as it
  /// is during a launch.
  bool AreReadsInvariant = false;
  /// The reason why a clone is not worth it; nothing if it is.
  std::optional<NoAliasRefusal> Refusal;

  /// Returns true if what Load, based on BasesOfLoad, loads stays as it is.
  bool isInvariant(const llvm::LoadInst &Load,
                   llvm::ArrayRef<uint32_t> BasesOfLoad) const;
};

/// Preconditions: Kernel's accesses are numbered (MemoryOps.h), and Summary is
/// its own, or that of a copy with the same numbers.
NoAliasFacts findNoAlias(llvm::Function &Kernel, const KernelSummary &Summary,
                         llvm::FunctionAnalysisManager &FAM);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_LEGALITY_NOALIAS_H
