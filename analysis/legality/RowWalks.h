//===- RowWalks.h - Pointers that step from row to row ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds parameters that a kernel only reads, walking down the columns of a
// matrix in a loop, as with the second operand of a matrix product. A block
// touches short pieces of very many rows, which fit into little memory when
// they are packed.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_LEGALITY_ROWWALKS_H
#define GRIDSPAN_ANALYSIS_LEGALITY_ROWWALKS_H

#include "analysis/nvptx/KernelAnalyses.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace llvm {
class Argument;
class Loop;
class SCEV;
class Use;
} // namespace llvm

namespace gridspan {

/// Addresses of loads through A, if it is used for nothing else and none of
/// them may come from another pointer; else empty.
llvm::SmallVector<llvm::Use *, 8> onlyLoadsOf(llvm::Argument &A);

/// Returns the indices of Kernel's parameters whose only uses are such loads,
/// some of which take steps in a loop that are not known to be short. A pointer
/// within a struct is none of them.
llvm::SmallVector<unsigned, 4> findRowWalks(llvm::Function &Kernel,
                                            const KernelAnalyses &Analyses);

/// An address that a load in a loop without a parent has in the loop's I-th
/// iteration, from 0: Start + I * Step, if the load is executed in it.
struct RowStep {
  const llvm::Loop *Around;
  const llvm::SCEV *Start; ///< a pointer, known before the loop
  const llvm::SCEV *Step;  ///< signed, 64 bits, known before the loop
  const llvm::SCEV *Most;  ///< the largest I; unsigned, 64 bits
};

/// Returns the form of the address, or nothing if it has none. The loop of the
/// result has a preheader and one latch.
std::optional<RowStep> rowStepOf(const llvm::Use &Address,
                                 const KernelAnalyses &Analyses);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_LEGALITY_ROWWALKS_H
