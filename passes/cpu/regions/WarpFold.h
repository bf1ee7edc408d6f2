//===- WarpFold.h - What votes and reductions combine -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vote or a reduction of a warp takes a value of each lane, and gives all of
// them what these are together: a fold that starts with a value that changes
// nothing, which is also what lanes give that do not take part.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_REGIONS_WARPFOLD_H
#define GRIDSPAN_PASSES_CPU_REGIONS_WARPFOLD_H

#include "gridspan/CpuCodes.h"
#include "llvm/IR/IRBuilder.h"
#include <optional>
#include <variant>

namespace gridspan {

class WarpFold {
public:
  /// Returns the fold of a call of the runtime's vote or reduction with a
  /// constant code; none of other calls.
  static std::optional<WarpFold> of(const llvm::CallBase &Call);

  /// The value that changes nothing.
  llvm::ConstantInt *neutral(llvm::IRBuilderBase &B) const;
  /// What a lane gives whose operand is V.
  llvm::Value *offer(llvm::Value *V, llvm::IRBuilderBase &B) const;
  /// Adds what a lane gave to what others gave together.
  llvm::Value *combine(llvm::Value *Others, llvm::Value *V, llvm::Value *Lane,
                       llvm::IRBuilderBase &B) const;
  /// The operation's result, of what all gave.
  llvm::Value *result(llvm::Value *All, llvm::IRBuilderBase &B) const;

private:
  std::variant<WarpVote, WarpReduction> Operation;

  explicit WarpFold(WarpVote Vote) : Operation(Vote) {}
  explicit WarpFold(WarpReduction Reduction) : Operation(Reduction) {}
  bool is(WarpVote Vote) const;
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_WARPFOLD_H
