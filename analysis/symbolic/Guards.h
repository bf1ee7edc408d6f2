//===- Guards.h - Conditions known to hold in a block -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The facts `X pred Y` that branches establish for the blocks behind them, and
// llvm.assume for its block and those that it dominates. A context is a list of
// facts; contexts form a tree by their prefixes, as the dominator tree does,
// and are named by a number.
//
// A fact of a dominating edge holds for the values that X and Y have when the
// block runs. Were X computed again after the edge and before the block, the
// block could be reached without passing the edge.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_SYMBOLIC_GUARDS_H
#define GRIDSPAN_ANALYSIS_SYMBOLIC_GUARDS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include <map>
#include <tuple>
#include <vector>

namespace llvm {
class BasicBlock;
class DominatorTree;
class Instruction;
class Value;
} // namespace llvm

namespace gridspan {

using ContextId = unsigned;
constexpr ContextId NoContext = 0;

/// A fact said of one of its operands: after Steps, each an invertible
/// operation with constants, Target compares with Other.
struct Restriction {
  const llvm::Value *Target;
  llvm::SmallVector<const llvm::Instruction *, 2> Steps;
  llvm::CmpInst::Predicate Pred;
  const llvm::Value *Other;
};

/// The fact X pred Y; a condition that is no comparison is X == true.
struct Guard {
  ContextId Parent = NoContext;
  const llvm::Value *X = nullptr;
  llvm::CmpInst::Predicate Pred = llvm::CmpInst::ICMP_EQ;
  const llvm::Value *Y = nullptr;
  llvm::SmallVector<Restriction, 2> Restrictions;
};

class Guards {
public:
  explicit Guards(const llvm::DominatorTree &DT) : DT(DT), Nodes(1) {}

  /// Returns the facts that hold whenever the block runs.
  ContextId ofBlock(const llvm::BasicBlock *BB);
  /// Returns the facts that hold whenever control goes from one block to the
  /// other.
  ContextId ofEdge(const llvm::BasicBlock *From, const llvm::BasicBlock *To);
  /// Returns Context with the fact that Condition, an i1, is Holds.
  ContextId with(ContextId Context, const llvm::Value *Condition, bool Holds);
  /// Returns all facts of Context, and those of Other that it does not have.
  ContextId join(ContextId Context, ContextId Other);

  const Guard &operator[](ContextId Context) const { return Nodes[Context]; }
  /// Returns the facts of a context, oldest first.
  llvm::SmallVector<ContextId, 16> chain(ContextId Context) const;

private:
  ContextId extend(ContextId Context, const llvm::Value *X,
                   llvm::CmpInst::Predicate Pred, const llvm::Value *Y);
  ContextId withAssumptions(ContextId Context, const llvm::BasicBlock &BB);
  ContextId withEdge(ContextId Context, const llvm::BasicBlock *From,
                     const llvm::BasicBlock *To);

  const llvm::DominatorTree &DT;
  std::vector<Guard> Nodes;
  std::map<std::tuple<ContextId, const llvm::Value *, llvm::CmpInst::Predicate,
                      const llvm::Value *>,
           ContextId>
      Index; // looked up only, never walked
  llvm::DenseMap<const llvm::BasicBlock *, ContextId> OfBlock;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_SYMBOLIC_GUARDS_H
