//===- WarpEvalTest.cpp - Expressions in all lanes of a warp --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes together have the values that they have one by one. Carried values do
// not depend on what else is asked for, when, or on states that are shared; and
// what nobody asks for is not computed.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/WarpEval.h"
#include "llvm/IR/InstrTypes.h"
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace gridspan;

namespace {

constexpr unsigned Loop = 3;

/// Expressions of one width, made from each other at random.
class RandomGraph {
public:
  explicit RandomGraph(unsigned Seed) : Random(Seed) {
    const ExprId Last = Graph.binary(
        ExprKind::And, Graph.special(ExprKind::ThreadIdx, 0), constant(7));
    Pool = {Graph.special(ExprKind::ThreadIdx, 0),
            Graph.special(ExprKind::ThreadIdx, 1),
            Graph.special(ExprKind::BlockIdx, 0),
            constant(0),
            constant(-3),
            constant(5),
            Graph.param(32, 0, 0),
            Graph.param(32, 1, 0),
            Graph.iter(Graph.special(ExprKind::ThreadIdx, 0), constant(9), Last,
                       0, Loop)};
    for (unsigned I = 0; I != 60; ++I)
      Pool.push_back(next());
  }

  ExprGraph Graph;
  std::vector<ExprId> Pool;

private:
  ExprId constant(int64_t V) { return Graph.constant(32, V); }
  ExprId any() { return Pool[Random() % Pool.size()]; }
  CmpInst::Predicate predicate() {
    return CmpInst::Predicate(CmpInst::FIRST_ICMP_PREDICATE +
                              Random() % (CmpInst::LAST_ICMP_PREDICATE -
                                          CmpInst::FIRST_ICMP_PREDICATE + 1));
  }
  ExprId next() {
    constexpr ExprKind Binary[] = {
        ExprKind::Add,  ExprKind::Sub,  ExprKind::Mul,
        ExprKind::And,  ExprKind::Or,   ExprKind::Xor,
        ExprKind::UDiv, ExprKind::LShr, ExprKind::SMin};
    constexpr ExprKind Casts[] = {ExprKind::ZExt, ExprKind::SExt};
    const unsigned Kind = Random() % 13;
    if (Kind < std::size(Binary))
      return Graph.binary(Binary[Kind], any(), any());
    switch (Kind) {
    case 9:
      return Graph.cast(Casts[Random() % 2],
                        Graph.cast(ExprKind::Trunc, any(), 8), 32);
    case 10:
      return Graph.select(Graph.icmp(predicate(), any(), any()), any(), any());
    case 11:
      return Graph.assume(any(), predicate(), any());
    default:
      return Graph.merge(any(), any());
    }
  }

  std::mt19937 Random;
};

TEST(WarpEval, LanesTogetherAreLanesOneByOne) {
  for (unsigned Seed = 0; Seed != 40; ++Seed) {
    RandomGraph R(Seed);
    LaunchValues Launch;
    Launch.Block = {8, 8, 1};
    Launch.Grid = {4, 1, 1};
    Launch.Params[{0, 0}] = 17; // the other one is not known
    WarpEval Warp(R.Graph, Launch);
    ConcreteEval One(R.Graph, R.Pool, Launch);
    Warp.setBlock({2, 0, 0});
    One.setBlock({2, 0, 0});
    Warp.setWarp(1);
    for (bool HasIteration : {false, true}) {
      if (HasIteration) {
        Warp.setIteration(Loop, 4);
        One.setIteration(Loop, 4);
      }
      for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
        One.setThread({Lane % 8, 4 + Lane / 8, 0});
        for (ExprId Id : R.Pool)
          ASSERT_EQ(Warp.value(Id, Lane), One.value(Id))
              << "seed " << Seed << ", node " << Id << ", lane " << Lane;
      }
    }
  }
}

/// A loop that carries x' = x * 5 + tid, y' = y + x, and z', of Length nodes.
struct Carrying {
  ExprGraph Graph;
  LaunchValues Launch;
  ExprId X, Y, Z;

  explicit Carrying(unsigned Length) {
    Launch.Block = {64, 1, 1};
    const ExprId Tid = Graph.special(ExprKind::ThreadIdx, 0);
    for (ExprId *E : {&X, &Y, &Z}) {
      *E = Graph.standIn(32, {}, "a recurrence");
      Graph.setCarried(*E, Loop, Tid, *E);
    }
    const ExprId Five = Graph.constant(32, 5);
    Graph.setCarried(
        X, Loop, Tid,
        Graph.binary(ExprKind::Add, Graph.binary(ExprKind::Mul, X, Five), Tid));
    Graph.setCarried(Y, Loop, Tid, Graph.binary(ExprKind::Add, Y, X));
    ExprId Next = Z;
    for (unsigned I = 0; I != Length; ++I)
      Next = Graph.binary(I % 2 ? ExprKind::Xor : ExprKind::Add,
                          Graph.binary(ExprKind::Mul, Next, Five), Tid);
    Graph.setCarried(Z, Loop, Tid, Next);
  }

  static int32_t x(unsigned Tid, uint64_t K) {
    uint32_t X = Tid;
    for (; K; --K)
      X = X * 5 + Tid;
    return int32_t(X);
  }
};

void standAt(WarpEval &Eval, unsigned Warp, uint64_t K) {
  Eval.setWarp(Warp);
  Eval.setIteration(Loop, K);
}

TEST(WarpEval, OnlyWhatIsAskedForSteps) {
  // Z would take 10^11 values to get there.
  Carrying C(20000);
  WarpEval Eval(C.Graph, C.Launch);
  Eval.setBlock({});
  standAt(Eval, 1, 100000);
  EXPECT_EQ(Eval.value(C.X, 2).Value, Carrying::x(34, 100000));
}

TEST(WarpEval, CatchesUpWithoutCounting) {
  Carrying C(1);
  WarpEval Eval(C.Graph, C.Launch);
  Eval.setBlock({});
  // Twice as many steps would be past the limit.
  constexpr uint64_t Far = 100000;
  standAt(Eval, 0, Far);
  ASSERT_TRUE(Eval.value(C.X, 5).isKnown());
  ConcreteValue Y = Eval.value(C.Y, 5);
  EXPECT_TRUE(Y.isKnown());
  EXPECT_EQ(Eval.value(C.X, 5).Value, Carrying::x(5, Far));
  WarpEval Other(C.Graph, C.Launch);
  Other.setBlock({});
  standAt(Other, 0, Far);
  EXPECT_EQ(Other.value(C.Y, 5), Y);
}

TEST(WarpEval, SharedStatesAreThoseOfAnEvaluatorAlone) {
  Carrying C(2000);
  LaunchMemo Memo;
  // 10^9 nodes in all lanes, if each evaluator went there by itself.
  for (unsigned I = 0; I != 200; ++I) {
    WarpEval Eval(C.Graph, C.Launch, &Memo);
    Eval.setBlock({});
    for (unsigned Warp : {0u, 1u}) {
      ConcreteValue Z;
      for (uint64_t K : {7, 500, 1000}) {
        standAt(Eval, Warp, K);
        Z = Eval.value(C.Z, 3);
        ASSERT_EQ(Eval.value(C.X, 3).Value, Carrying::x(3 + 32 * Warp, K));
      }
      if (I > 0)
        continue;
      WarpEval Alone(C.Graph, C.Launch);
      Alone.setBlock({});
      standAt(Alone, Warp, 1000);
      EXPECT_EQ(Alone.value(C.Z, 3), Z);
    }
  }
}

TEST(WarpEval, SharedStatesCountAsSteps) {
  Carrying C(20);
  LaunchMemo Memo;
  for ([[maybe_unused]] int Time : {0, 1}) {
    WarpEval Eval(C.Graph, C.Launch, &Memo);
    Eval.setBlock({});
    // The second warp gets to the limit.
    standAt(Eval, 0, 100000);
    EXPECT_TRUE(Eval.value(C.Z, 0).isKnown());
    standAt(Eval, 1, 100000);
    EXPECT_FALSE(Eval.value(C.Z, 0).isKnown());
    standAt(Eval, 1, 1000);
    EXPECT_TRUE(Eval.value(C.Z, 0).isKnown());
  }
}

/// A sum of many products of the block's number and other things.
ExprId longSum(ExprGraph &Graph, ExprId Of) {
  for (unsigned I = 0; I != 60; ++I)
    Of = Graph.binary(ExprKind::Xor,
                      Graph.binary(ExprKind::Mul, Of, Graph.constant(32, 3)),
                      Graph.special(ExprKind::BlockIdx, 0));
  return Of;
}

TEST(WarpEval, ConditionsOfTheMemoAreThoseOfAnEvaluatorAlone) {
  ExprGraph Graph;
  LaunchValues Launch;
  Launch.Block = {48, 1, 1};
  Launch.Grid = {8, 1, 1};
  const ExprId Zero = Graph.constant(32, 0);
  std::vector<ExprId> Conditions;
  for (ExprId Of :
       {Graph.special(ExprKind::ThreadIdx, 0), Zero, Graph.param(32, 0, 0)})
    Conditions.push_back(
        Graph.icmp(CmpInst::ICMP_SGT, longSum(Graph, Of), Zero));
  LaunchMemo Memo;
  for ([[maybe_unused]] int Time : {0, 1}) {
    WarpEval Sharing(Graph, Launch, &Memo);
    for (uint32_t Block = 0; Block != 8; ++Block)
      for (unsigned Warp : {0u, 1u}) {
        WarpEval Alone(Graph, Launch);
        for (WarpEval *Eval : {&Sharing, &Alone}) {
          Eval->setBlock({Block, 0, 0});
          Eval->setWarp(Warp);
        }
        for (ExprId C : Conditions) {
          uint32_t Open = 0, OpenAlone = 0;
          EXPECT_EQ(Sharing.lanesWhere(C, Open),
                    Alone.lanesWhere(C, OpenAlone));
          EXPECT_EQ(Open, OpenAlone);
        }
      }
  }
}

} // namespace
