//===- WarpEval.h - Expressions in all lanes of a warp ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates expressions for the 32 lanes of a warp together, for walks over
// many warps and iterations. A node is computed again only when something that
// it depends on has changed, and once for all lanes where they cannot differ.
//
// Stand-ins (StandIn.h) are followed: carried values by going through the
// iterations of their loop, open ones by taking them to be something.
// Evaluators of one launch can share the iterations that they have gone
// through.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_WARPEVAL_H
#define GRIDSPAN_ANALYSIS_EXPR_WARPEVAL_H

#include "analysis/expr/ConcreteEval.h"
#include "analysis/machine/WarpRequest.h"
#include <memory>
#include <vector>

namespace gridspan {

/// The values of an expression in the lanes of a warp.
struct LaneValues {
  uint32_t Known, Inactive; ///< lanes; others are unknown
  std::array<int64_t, WarpSize> Value;

  ConcreteValue at(unsigned Lane) const {
    if (Known >> Lane & 1)
      return {ConcreteValue::Known, Value[Lane]};
    return {Inactive >> Lane & 1 ? ConcreteValue::Inactive
                                 : ConcreteValue::Unknown};
  }
  void set(unsigned Lane, const ConcreteValue &V);
  void fill(const ConcreteValue &V);
};

/// What evaluators of one graph in one launch tell each other: carried values
/// and conditions at positions that were asked for.
class LaunchMemo {
public:
  /// A loop or a condition, and where all stands that it depends on.
  using Position = std::vector<uint64_t>;
  using Values = std::vector<std::pair<ExprId, LaneValues>>;
  /// Lanes in which a condition does not certainly fail, and those of them in
  /// which it is unknown.
  struct ConditionLanes {
    uint32_t Holding, Open;
  };

  /// Returns the values of a loop, if all of Of are known to it, or null.
  const Values *carriedAt(const Position &P, llvm::ArrayRef<ExprId> Of) const;
  const ConditionLanes *conditionAt(const Position &P) const;
  /// Keep what is there, unless there is much already.
  void keep(const Position &P, Values V);
  void keep(const Position &P, const ConditionLanes &Lanes);

private:
  std::map<Position, Values> Carried;
  std::map<Position, ConditionLanes> Conditions;
  size_t NumValues = 0;
};

class WarpEval {
public:
  /// All must outlive it; the graph must not grow. Others of the same graph and
  /// launch may share the memo.
  WarpEval(const ExprGraph &Graph, const LaunchValues &Launch,
           LaunchMemo *Memo = nullptr);

  void setBlock(const std::array<uint32_t, 3> &Index);
  /// Warp Number of the block; threads are counted with x fastest.
  void setWarp(unsigned Number);
  void setIteration(int64_t Loop, uint64_t K);

  /// Values that open stand-ins are tried with.
  static constexpr unsigned NumTries = 4;
  /// Takes open stand-ins to be what they are in a try; before, and without
  /// one, they are unknown.
  void setTry(std::optional<unsigned> Number);

  /// Returns the lanes that the block has threads for.
  uint32_t lanes() const { return LaneMask; }
  ConcreteValue value(ExprId Id, unsigned Lane);
  /// Returns the lanes in which a condition does not certainly fail; Open
  /// receives those of them in which it is unknown.
  uint32_t lanesWhere(ExprId Condition, uint32_t &Open);

private:
  static constexpr unsigned OnBlock = 0, OnWarp = 1, FirstLoop = 2;
  /// Conditions count from here in positions of the memo, loops' bits before.
  static constexpr uint64_t FirstCondition = 64;
  /// Nodes that would have to be computed for the memo to be asked.
  static constexpr uint64_t LeastWork = 64;

  struct Node {
    uint64_t Depends = 0; ///< a bit for block, warp, and each loop
    uint64_t Carried = 0; ///< loops of the carried values below it, by bit
    bool IsUniform = true;
    bool IsAskedFor = false; ///< it, or something above it
    uint64_t Computed = 0;   ///< Clock value at that time; 0: never
  };

  /// The carried values of a loop. Those that are asked for step together, with
  /// those that they need.
  struct CarriedLoop {
    std::vector<ExprId> Values;
    std::vector<ExprId> AskedFor; ///< of the values
    bool HasGrown = false;        ///< by values that do not stand at K yet
    uint64_t StepNodes = 0;       ///< computed for a step at most
    uint64_t Depends = 0; ///< of starts and next values, without the loop
    uint64_t Needs = 0;   ///< other loops whose carried values they use
    bool IsFollowed = true;
    uint64_t K = 0; ///< the iteration that they stand in
    bool IsKnown = false;
    uint64_t Computed = 0; ///< Clock value at that time; 0: never
  };

  void findDependences();
  bool mergeDependences(ExprId Into, ExprId From);
  void prepare(ExprId Id);
  void askFor(ExprId Id);
  void catchUp(unsigned Bit, CarriedLoop &Loop);
  void stepTo(unsigned Bit, CarriedLoop &Loop, uint64_t K, bool GoesOn);
  std::optional<LaunchMemo::Position>
  positionOf(uint64_t What, uint64_t Depends, uint64_t Needs) const;
  void advance(unsigned Bit);
  void step(unsigned Bit, CarriedLoop &Loop, bool IsFirst);
  void turnTo(unsigned Bit, CarriedLoop &Loop, uint64_t K);
  bool isCurrent(uint64_t Depends, uint64_t Computed) const;
  void fillWhereSame(ExprId Id, ExprId Place);
  ConcreteValue openValue(const ExprNode &N, unsigned Lane) const;

  unsigned bitOf(int64_t Loop);
  void require(ExprId Id);
  ConcreteValue compute(const ExprNode &N, unsigned Lane) const;
  bool computeTogether(const ExprNode &N, LaneValues &Out) const;
  ConcreteValue operand(const ExprNode &N, unsigned I, unsigned Lane) const {
    ExprId Op = N.Ops[I];
    return Lanes[Op].at(Nodes[Op].IsUniform ? 0 : Lane);
  }

  const ExprGraph &Graph;
  const LaunchValues &Launch;
  LaunchMemo *Memo;
  std::vector<Node> Nodes;
  std::unique_ptr<LaneValues[]> Lanes; ///< by node, where it is computed
  std::map<int64_t, unsigned> LoopBits;
  std::array<uint64_t, 64> Changed = {}; ///< when, by bit
  std::array<uint64_t, 64> Iteration = {};
  std::array<bool, 64> HasIteration = {};
  std::array<uint32_t, 3> Block = {};
  std::array<std::array<uint32_t, 3>, WarpSize> Threads = {};
  uint32_t LaneMask = 0;
  unsigned Warp = 0;
  uint64_t NumComputed = 0;                        ///< nodes so far
  llvm::DenseMap<ExprId, uint64_t> ConditionNodes; ///< computed at most
  uint64_t Clock = 1;
  std::map<unsigned, CarriedLoop> CarriedLoops; ///< by bit
  std::optional<unsigned> Try;
  uint64_t Steps = 0; ///< of carried values so far
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_WARPEVAL_H
