//===- OpenOffsets.h - Offsets but for what lanes share ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes an address that is unknown as one that is known but for open values
// (StandIn.h), where lanes of a warp share what is not known of it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_SITES_OPENOFFSETS_H
#define GRIDSPAN_ANALYSIS_ADVICE_SITES_OPENOFFSETS_H

#include "analysis/expr/Expr.h"
#include <memory>

namespace llvm {
class BasicBlock;
class Function;
class Value;
} // namespace llvm

namespace gridspan {

struct KernelAnalyses;
class ExprBuilder;

class OpenOffsets {
public:
  /// All must outlive it. Loops have the numbers that Closed gives them.
  OpenOffsets(const llvm::Function &Kernel, const KernelAnalyses &Analyses,
              ExprBuilder &Closed, ExprGraph &Graph);
  ~OpenOffsets();

  /// Returns the bytes from some base of an access through Pointer in block At,
  /// or NoExpr where lanes do not share what is unknown.
  ExprId ofGlobal(const llvm::Value *Pointer, const llvm::BasicBlock &At);
  ExprId ofShared(const llvm::Value *Pointer, const llvm::BasicBlock &At);

private:
  struct Impl;
  Impl &at(const llvm::BasicBlock &At);

  const llvm::Function &Kernel;
  const KernelAnalyses &A;
  ExprBuilder &Closed;
  ExprGraph &Graph;
  std::unique_ptr<Impl> P; ///< made when it is asked for
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_SITES_OPENOFFSETS_H
