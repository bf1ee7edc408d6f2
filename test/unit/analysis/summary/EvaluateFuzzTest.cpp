//===- EvaluateFuzzTest.cpp - Random expressions against all threads ------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random expression DAGs are evaluated for a box of blocks, and for each thread
// and each combination of loop iterations on its own. What a thread gets must
// be in the set; when the set is exact, each element must be what some thread
// gets. This tests what the tests of single operations cannot: correlated
// operands, guards, and loops whose length depends on the thread.
//
//===----------------------------------------------------------------------===//

#include "analysis/summary/Evaluate.h"
#include "test/unit/support/RandomExprs.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <set>

using namespace llvm;
using namespace gridspan;
using namespace gridspan::test;

namespace {

/// The value of a node in one thread and iteration.
enum class Fate { Value, Excluded, Undefined };

struct Execution {
  const RandomExprs &P;
  const GridspanBox &Box;
  uint32_t Thread[3] = {}, Block[3] = {};
  uint64_t Iteration[NumLoops] = {};

  /// Values of all nodes; Fates tells which are there: a node is excluded by a
  /// guard that fails below it, and undefined by an operation that is.
  std::vector<APInt> Values;
  std::vector<Fate> Fates;

  void run(ExprId Last);
  Fate eval(const ExprNode &N, APInt &Out) const;
  /// Returns true if N takes the value of another operand.
  bool isIgnored(const ExprNode &N, ExprId Operand) const;
};

APInt minmax(const APInt &A, const APInt &B, ExprKind Kind) {
  switch (Kind) {
  case ExprKind::UMin:
    return A.ult(B) ? A : B;
  case ExprKind::UMax:
    return A.ugt(B) ? A : B;
  case ExprKind::SMin:
    return A.slt(B) ? A : B;
  default:
    return A.sgt(B) ? A : B;
  }
}

bool compare(const APInt &A, const APInt &B, int64_t Pred) {
  switch (Pred) {
  case CmpInst::ICMP_EQ:
    return A == B;
  case CmpInst::ICMP_NE:
    return A != B;
  case CmpInst::ICMP_UGT:
    return A.ugt(B);
  case CmpInst::ICMP_UGE:
    return A.uge(B);
  case CmpInst::ICMP_ULT:
    return A.ult(B);
  case CmpInst::ICMP_ULE:
    return A.ule(B);
  case CmpInst::ICMP_SGT:
    return A.sgt(B);
  case CmpInst::ICMP_SGE:
    return A.sge(B);
  case CmpInst::ICMP_SLT:
    return A.slt(B);
  default:
    return A.sle(B);
  }
}

Fate Execution::eval(const ExprNode &N, APInt &Out) const {
  auto Op = [&](unsigned I) -> const APInt & { return Values[N.Ops[I]]; };
  switch (N.Kind) {
  case ExprKind::Const:
    Out = APInt(N.Width, N.A, true);
    return Fate::Value;
  case ExprKind::Param:
    Out = APInt(64, *static_cast<uint64_t *>(Box.Args[0])).trunc(N.Width);
    return Fate::Value;
  case ExprKind::ThreadIdx:
    Out = APInt(32, Thread[N.A]);
    return Fate::Value;
  case ExprKind::BlockIdx:
    Out = APInt(32, Block[N.A]);
    return Fate::Value;
  case ExprKind::BlockDim:
    Out = APInt(32, Box.BlockDim[N.A]);
    return Fate::Value;
  case ExprKind::GridDim:
    Out = APInt(32, Box.GridDim[N.A]);
    return Fate::Value;
  case ExprKind::TileOrigin:
    Out = APInt(32, Box.BlockLo[N.A]);
    return Fate::Value;
  case ExprKind::TileCount:
    Out = APInt(32, Box.BlockCount[N.A]);
    return Fate::Value;
  case ExprKind::Add:
    Out = Op(0) + Op(1);
    return Fate::Value;
  case ExprKind::Sub:
    Out = Op(0) - Op(1);
    return Fate::Value;
  case ExprKind::Mul:
    Out = Op(0) * Op(1);
    return Fate::Value;
  case ExprKind::UDiv:
  case ExprKind::URem:
    if (Op(1).isZero())
      return Fate::Undefined;
    Out = N.Kind == ExprKind::UDiv ? Op(0).udiv(Op(1)) : Op(0).urem(Op(1));
    return Fate::Value;
  case ExprKind::SDiv:
  case ExprKind::SRem:
    if (Op(1).isZero() || (Op(1).isAllOnes() && Op(0).isMinSignedValue()))
      return Fate::Undefined;
    Out = N.Kind == ExprKind::SDiv ? Op(0).sdiv(Op(1)) : Op(0).srem(Op(1));
    return Fate::Value;
  case ExprKind::Shl:
  case ExprKind::LShr:
  case ExprKind::AShr:
    if (Op(1).uge(N.Width))
      return Fate::Undefined;
    Out = N.Kind == ExprKind::Shl    ? Op(0).shl(Op(1))
          : N.Kind == ExprKind::LShr ? Op(0).lshr(Op(1))
                                     : Op(0).ashr(Op(1));
    return Fate::Value;
  case ExprKind::And:
    Out = Op(0) & Op(1);
    return Fate::Value;
  case ExprKind::Or:
    Out = Op(0) | Op(1);
    return Fate::Value;
  case ExprKind::Xor:
    Out = Op(0) ^ Op(1);
    return Fate::Value;
  case ExprKind::UMin:
  case ExprKind::UMax:
  case ExprKind::SMin:
  case ExprKind::SMax:
    Out = minmax(Op(0), Op(1), N.Kind);
    return Fate::Value;
  case ExprKind::ZExt:
    Out = Op(0).zext(N.Width);
    return Fate::Value;
  case ExprKind::SExt:
    Out = Op(0).sext(N.Width);
    return Fate::Value;
  case ExprKind::Trunc:
    Out = Op(0).trunc(N.Width);
    return Fate::Value;
  case ExprKind::ICmp:
    Out = APInt(1, compare(Op(0), Op(1), N.A));
    return Fate::Value;
  case ExprKind::Select:
    Out = Op(Op(0).isZero() ? 2 : 1);
    return Fate::Value;
  // Which way a phi goes and what a load gives is not in the expression:
  // either, depending on the thread.
  case ExprKind::Merge:
    Out = Op((Thread[0] + Block[0]) % 2);
    return Fate::Value;
  case ExprKind::Bounded:
    Out = APInt(N.Width, N.A + (Thread[0] * 7 + Block[1]) % (N.B - N.A + 1),
                /*isSigned=*/true);
    return Fate::Value;
  case ExprKind::Assume:
    Out = Op(0);
    return compare(Op(0), Op(1), N.A) ? Fate::Value : Fate::Excluded;
  case ExprKind::Iter: {
    Out = Op(0);
    for (uint64_t K = 0; K != Iteration[N.B]; ++K) {
      bool Wraps = false, UnsignedWraps = false;
      APInt NextValue = Out.sadd_ov(Op(1), Wraps);
      (void)Out.uadd_ov(Op(1), UnsignedWraps);
      if ((Wraps && (N.A & IterNSW)) || (UnsignedWraps && (N.A & IterNUW)))
        return Fate::Undefined;
      Out = NextValue;
    }
    return Fate::Value;
  }
  default:
    return Fate::Undefined;
  }
}

bool Execution::isIgnored(const ExprNode &N, ExprId Operand) const {
  if (N.Kind == ExprKind::Merge)
    return Operand != N.Ops[(Thread[0] + Block[0]) % 2];
  return N.Kind == ExprKind::Select && Operand != N.Ops[0] &&
         Fates[N.Ops[0]] == Fate::Value &&
         Operand != N.Ops[Values[N.Ops[0]].isZero() ? 2 : 1];
}

void Execution::run(ExprId Last) {
  Values.resize(P.Graph.size());
  Fates.resize(P.Graph.size());
  for (ExprId Id = 0; Id <= Last; ++Id) {
    const ExprNode &N = P.Graph[Id];
    Fates[Id] = Fate::Value;
    for (ExprId Operand : N.Ops) {
      // What a select does not choose does not matter: it is a phi's other
      // edge.
      bool IsIgnored = isIgnored(N, Operand);
      if (Operand != NoExpr && !IsIgnored)
        Fates[Id] = std::max(Fates[Id], Fates[Operand]);
    }
    if (Fates[Id] == Fate::Value)
      Fates[Id] = eval(N, Values[Id]);
  }
}

/// The values that all threads and iterations get for each node.
struct Truth {
  std::vector<std::set<uint64_t>> Attained;
  std::vector<bool> SomeUndefined;
};

class Enumeration {
public:
  Enumeration(const RandomExprs &P, const GridspanBox &Box)
      : Run{P, Box, {}, {}, {}, {}, {}} {
    Result.Attained.resize(P.Graph.size());
    Result.SomeUndefined.resize(P.Graph.size());
  }

  Truth run() {
    const GridspanBox &Box = Run.Box;
    for (uint32_t B0 = 0; B0 != Box.BlockCount[0]; ++B0)
      for (uint32_t B1 = 0; B1 != Box.BlockCount[1]; ++B1)
        for (uint32_t T0 = 0; T0 != Box.BlockDim[0]; ++T0)
          for (uint32_t T1 = 0; T1 != Box.BlockDim[1]; ++T1) {
            Run.Block[0] = Box.BlockLo[0] + B0;
            Run.Block[1] = Box.BlockLo[1] + B1;
            Run.Thread[0] = T0;
            Run.Thread[1] = T1;
            enterLoop(0);
          }
    return std::move(Result);
  }

private:
  /// All iterations of the loops from Loop on, each inside the one before.
  void enterLoop(unsigned Loop) {
    if (Loop == NumLoops) {
      record();
      return;
    }
    ExprId Count = Run.P.Counts[Loop];
    Run.Iteration[Loop] = 0;
    Run.run(Count);
    // Where the count is not there, nothing that uses it is either.
    uint64_t Last =
        Run.Fates[Count] == Fate::Value ? Run.Values[Count].getZExtValue() : 0;
    for (uint64_t K = 0; K <= Last; ++K) {
      Run.Iteration[Loop] = K;
      enterLoop(Loop + 1);
    }
    Run.Iteration[Loop] = 0;
  }

  void record() {
    Run.run(Run.P.Graph.size() - 1);
    for (ExprId Id = 0; Id != Run.P.Graph.size(); ++Id) {
      if (Run.Fates[Id] == Fate::Value)
        Result.Attained[Id].insert(Run.Values[Id].getZExtValue());
      if (Run.Fates[Id] == Fate::Undefined)
        Result.SomeUndefined[Id] = true;
    }
  }

  Execution Run;
  Truth Result;
};

void addElements(const GridspanValue &V, unsigned Dim, int64_t At,
                 std::set<uint64_t> &Out) {
  if (Dim == V.NumDims) {
    Out.insert(APInt(64, At).trunc(V.Width).getZExtValue());
    return;
  }
  for (uint64_t K = 0; K <= V.Dims[Dim].Last; ++K)
    addElements(V, Dim + 1, At + int64_t(K * V.Dims[Dim].Stride), Out);
}

/// Membership by trying all factors of the outer dimensions.
bool contains(const GridspanValue &V, unsigned NumDims, __int128 Distance) {
  if (NumDims == 0)
    return Distance == 0;
  const GridspanDim &D = V.Dims[NumDims - 1];
  if (NumDims == 1)
    return Distance >= 0 && Distance % D.Stride == 0 &&
           Distance / D.Stride <= D.Last;
  __int128 Inner = 0;
  for (unsigned I = 0; I + 1 != NumDims; ++I)
    Inner += __int128(V.Dims[I].Stride) * V.Dims[I].Last;
  for (__int128 K = Distance / D.Stride;
       K >= 0 && Distance - K * D.Stride <= Inner; --K)
    if (K <= D.Last && contains(V, NumDims - 1, Distance - K * D.Stride))
      return true;
  return false;
}

bool contains(const GridspanValue &V, uint64_t Bits) {
  if (V.State != GridspanValueBox)
    return V.State == GridspanValueTop;
  __int128 Modulus = __int128(1) << V.Width;
  for (__int128 At : {__int128(Bits), Bits - Modulus})
    if (contains(V, V.NumDims, At - V.Lo))
      return true;
  return false;
}

std::string text(const RandomExprs &P, ExprId Id) {
  std::string Out;
  raw_string_ostream OS(Out);
  P.Graph.print(OS, Id);
  return Out;
}

TEST(EvaluateFuzz, SetsHoldWhatThreadsGet) {
  uint64_t Arg = 0;
  void *Args[] = {&Arg};
  unsigned NumExact = 0, NumTight = 0, NumTop = 0, NumSets = 0;
  for (unsigned Seed = 0; Seed != 10000; ++Seed) {
    RandomExprs P = makeRandomExprs(Seed, 32);
    Arg = Seed % 37;
    GridspanBox Box = {Args,
                       {5, 3, 1},
                       {1 + Seed % 5, 1 + Seed % 3, 1},
                       {Seed % 2, Seed % 3, 0},
                       {1 + Seed % 4, 1 + Seed / 4 % 2, 1}};
    Truth All = Enumeration(P, Box).run();
    for (ExprId Id = 0; Id != P.Graph.size(); ++Id) {
      GridspanValue V = evaluate(P.Graph, Id, Box);
      const std::set<uint64_t> &Attained = All.Attained[Id];
      for (uint64_t Bits : Attained)
        ASSERT_TRUE(contains(V, Bits))
            << "seed " << Seed << ": " << text(P, Id) << " misses " << Bits;
      ++NumSets;
      NumTop += V.State == GridspanValueTop;
      if (V.State != GridspanValueBox || !V.Exact)
        continue;
      ++NumExact;
      if (All.SomeUndefined[Id])
        continue;
      std::set<uint64_t> Elements;
      addElements(V, 0, V.Lo, Elements);
      ASSERT_EQ(Elements, Attained)
          << "seed " << Seed << ": " << text(P, Id) << " is not exact";
      NumTight += Elements.size() > 1;
    }
  }
  // The test is worth nothing if all of it is unknown.
  EXPECT_GT(NumExact, NumSets / 4);
  EXPECT_GT(NumTight, NumSets / 20);
  EXPECT_LT(NumTop, NumSets / 4);
}

} // namespace
