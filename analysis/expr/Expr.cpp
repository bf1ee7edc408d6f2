//===- Expr.cpp - Hash-consed index expressions ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folding here is limited to what is exact modulo 2^width and needs no range:
// constants, neutral elements, casts of casts. Everything that depends on the
// launch is left to the evaluation, which knows the numbers.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/Expr.h"
#include "analysis/expr/ExprFolding.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"
#include <utility>

using namespace llvm;

namespace gridspan {

ExprId ExprGraph::intern(const ExprNode &Node) {
  auto [It, Inserted] = Index.try_emplace(Node, Nodes.size());
  if (Inserted)
    Nodes.push_back(Node);
  return It->second;
}

ExprId ExprGraph::constant(unsigned Width, int64_t Value) {
  return intern({ExprKind::Const, uint8_t(Width), canonical(Width, Value)});
}

ExprId ExprGraph::param(unsigned Width, unsigned Index, unsigned ByteOffset) {
  return intern({ExprKind::Param, uint8_t(Width), Index, ByteOffset});
}

ExprId ExprGraph::special(ExprKind Kind, unsigned Axis) {
  assert(Kind >= ExprKind::ThreadIdx && Kind <= ExprKind::TileCount &&
         Axis < 3);
  return intern({Kind, 32, Axis});
}

ExprId ExprGraph::bounded(unsigned Width, int64_t Lo, int64_t Hi) {
  assert(Lo <= Hi);
  if (Lo == Hi)
    return constant(Width, Lo);
  return intern({ExprKind::Bounded, uint8_t(Width), Lo, Hi});
}

ExprId ExprGraph::unknown(unsigned Width, StringRef Reason) {
  auto It = find(Reasons, Reason);
  int64_t Number = It - Reasons.begin();
  if (It == Reasons.end())
    Reasons.push_back(Reason.str());
  return intern({ExprKind::Unknown, uint8_t(Width), Number});
}

ExprId ExprGraph::standIn(unsigned Width, const StandIn &What,
                          StringRef Reason) {
  ExprNode Node = Nodes[unknown(Width, Reason)];
  StandIns.push_back(What);
  Node.B = StandIns.size();
  return intern(Node);
}

const StandIn *ExprGraph::standInOf(ExprId Id) const {
  const ExprNode &Node = Nodes[Id];
  return Node.Kind == ExprKind::Unknown && Node.B ? &StandIns[Node.B - 1]
                                                  : nullptr;
}

void ExprGraph::setCarried(ExprId Id, int64_t Loop, ExprId Start, ExprId Next) {
  assert(standInOf(Id) && "only stand-ins are carried");
  StandIn &S = StandIns[Nodes[Id].B - 1];
  S = {StandIn::Carried, Loop, Start, Next, S.IsShared};
}

void ExprGraph::setFailed(ExprId Id) {
  assert(standInOf(Id) && "only stand-ins are carried");
  StandIns[Nodes[Id].B - 1] = {};
}

ExprId ExprGraph::load(unsigned Width, unsigned Param, unsigned ByteOffset,
                       ExprId Offset) {
  assert(Nodes[Offset].Width == 64);
  return intern({ExprKind::Load,
                 uint8_t(Width),
                 Param,
                 ByteOffset,
                 {Offset, NoExpr, NoExpr}});
}

/// Product is Q * N (Q * -c if Negated) for a quotient Q = X / N; gives Q.
ExprId ExprGraph::quotientIn(ExprId Product, bool Negated) const {
  const ExprNode &Mul = Nodes[Product];
  if (Mul.Kind != ExprKind::Mul)
    return NoExpr;
  for (unsigned I : {0, 1}) {
    ExprId Quotient = Mul.Ops[I], Factor = Mul.Ops[1 - I];
    const ExprNode &Q = Nodes[Quotient];
    if (Q.Kind != ExprKind::UDiv && Q.Kind != ExprKind::SDiv)
      continue;
    if (!Negated && Q.Ops[1] == Factor)
      return Quotient;
    std::optional<int64_t> C = constantValue(Factor);
    std::optional<int64_t> D = constantValue(Q.Ops[1]);
    if (Negated && C && D && canonical(Q.Width, 0 - uint64_t(*C)) == *D)
      return Quotient;
  }
  return NoExpr;
}

/// Folds by the identity X = X / N * N + X % N, in the forms that the optimizer
/// leaves. It keeps what a set would lose: that both parts come from one X.
ExprId ExprGraph::foldDivision(ExprKind Kind, ExprId LHS, ExprId RHS) {
  auto IsRemainder = [](ExprKind K) {
    return K == ExprKind::URem || K == ExprKind::SRem;
  };
  auto IsSigned = [](ExprKind K) {
    return K == ExprKind::SDiv || K == ExprKind::SRem;
  };
  auto RemainderOf = [&](ExprId Quotient) {
    const ExprNode Q = Nodes[Quotient];
    return binary(IsSigned(Q.Kind) ? ExprKind::SRem : ExprKind::URem, Q.Ops[0],
                  Q.Ops[1]);
  };
  auto IsPart = [&](ExprId Id) {
    return IsRemainder(Nodes[Id].Kind) || quotientIn(Id, false) != NoExpr ||
           quotientIn(Id, true) != NoExpr;
  };
  if ((!IsPart(LHS) && !IsPart(RHS)) || !isFunctional(LHS) ||
      !isFunctional(RHS))
    return NoExpr;
  if (Kind == ExprKind::Sub) {
    const ExprNode R = Nodes[RHS];
    if (IsRemainder(R.Kind) && R.Ops[0] == LHS)
      return binary(ExprKind::Mul,
                    binary(IsSigned(R.Kind) ? ExprKind::SDiv : ExprKind::UDiv,
                           LHS, R.Ops[1]),
                    R.Ops[1]);
    ExprId Quotient = quotientIn(RHS, /*Negated=*/false);
    if (Quotient != NoExpr && Nodes[Quotient].Ops[0] == LHS)
      return RemainderOf(Quotient);
    return NoExpr;
  }
  for (auto [Product, Other] : {std::pair(LHS, RHS), std::pair(RHS, LHS)}) {
    ExprId Quotient = quotientIn(Product, /*Negated=*/false);
    if (Quotient != NoExpr) {
      const ExprNode &Q = Nodes[Quotient], &R = Nodes[Other];
      if (IsRemainder(R.Kind) && IsSigned(R.Kind) == IsSigned(Q.Kind) &&
          R.Ops[0] == Q.Ops[0] && R.Ops[1] == Q.Ops[1])
        return Q.Ops[0];
    }
    Quotient = quotientIn(Product, /*Negated=*/true);
    if (Quotient != NoExpr && Nodes[Quotient].Ops[0] == Other)
      return RemainderOf(Quotient);
  }
  return NoExpr;
}

ExprId ExprGraph::binary(ExprKind Kind, ExprId LHS, ExprId RHS) {
  unsigned Width = Nodes[LHS].Width;
  assert(exprNumOperands(Kind) == 2 && Width == Nodes[RHS].Width);
  std::optional<int64_t> L = constantValue(LHS), R = constantValue(RHS);
  if (L && R)
    if (std::optional<int64_t> Value = foldBinary(Kind, Width, *L, *R))
      return constant(Width, *Value);

  if (isCommutative(Kind)) {
    // Constants to the right, then operands in graph order: equal sums become
    // one node however they were written.
    if ((L && !R) || (!L == !R && LHS > RHS)) {
      std::swap(LHS, RHS);
      std::swap(L, R);
    }
    // (x op c) op d is x op (c op d).
    const ExprNode Left = Nodes[LHS];
    if (R && Left.Kind == Kind)
      if (std::optional<int64_t> Inner = constantValue(Left.Ops[1]))
        if (std::optional<int64_t> Value = foldBinary(Kind, Width, *Inner, *R))
          return binary(Kind, Left.Ops[0], constant(Width, *Value));
  }
  if (Kind == ExprKind::Sub && R)
    return binary(ExprKind::Add, LHS, constant(Width, -*R));

  if (R && *R == 0)
    switch (Kind) {
    case ExprKind::Add:
    case ExprKind::Or:
    case ExprKind::Xor:
    case ExprKind::Shl:
    case ExprKind::LShr:
    case ExprKind::AShr:
      return LHS;
    case ExprKind::Mul:
    case ExprKind::And:
      return RHS;
    default:
      break;
    }
  if (R && *R == -1 && Kind == ExprKind::And)
    return LHS;
  if (R && *R == -1 && Kind == ExprKind::Or)
    return RHS;
  // At width 1 the bit pattern 1 is the signed value -1.
  bool IsOne = R && canonical(Width, 1) == *R;
  if (IsOne && (Kind == ExprKind::Mul || Kind == ExprKind::UDiv ||
                (Kind == ExprKind::SDiv && Width > 1)))
    return LHS;
  if (LHS == RHS)
    switch (Kind) {
    case ExprKind::Sub:
    case ExprKind::Xor:
      // Two loaded values are both "unknown", and differ.
      if (isFunctional(LHS))
        return constant(Width, 0);
      break;
    case ExprKind::And:
    case ExprKind::Or:
      // Bits of two values within bounds may make one that is not.
      if (containsKind(LHS, ExprKind::Load))
        break;
      return LHS;
    case ExprKind::UMin:
    case ExprKind::UMax:
    case ExprKind::SMin:
    case ExprKind::SMax:
      return LHS;
    default:
      break;
    }
  if (Kind == ExprKind::Add || Kind == ExprKind::Sub)
    if (ExprId Folded = foldDivision(Kind, LHS, RHS); Folded != NoExpr)
      return Folded;
  return intern({Kind, uint8_t(Width), 0, 0, {LHS, RHS, NoExpr}});
}

ExprId ExprGraph::cast(ExprKind Kind, ExprId Operand, unsigned Width) {
  const ExprNode Node = Nodes[Operand];
  if (Node.Width == Width)
    return Operand;
  assert(Kind == ExprKind::Trunc ? Width < Node.Width : Width > Node.Width);
  if (Node.Kind == ExprKind::Const) {
    uint64_t Bits = uint64_t(Node.A);
    if (Kind == ExprKind::ZExt)
      Bits &= maskTrailingOnes<uint64_t>(Node.Width);
    return constant(Width, int64_t(Bits));
  }
  bool IsExtension = Node.Kind == ExprKind::ZExt || Node.Kind == ExprKind::SExt;
  if (Kind == Node.Kind)
    return cast(Kind, Node.Ops[0], Width);
  // A zero-extended value is not negative.
  if (Kind == ExprKind::SExt && Node.Kind == ExprKind::ZExt)
    return cast(ExprKind::ZExt, Node.Ops[0], Width);
  if (Kind == ExprKind::Trunc && IsExtension) {
    unsigned Inner = Nodes[Node.Ops[0]].Width;
    if (Inner >= Width)
      return cast(ExprKind::Trunc, Node.Ops[0], Width);
    return cast(Node.Kind, Node.Ops[0], Width);
  }
  return intern({Kind, uint8_t(Width), 0, 0, {Operand, NoExpr, NoExpr}});
}

ExprId ExprGraph::icmp(CmpInst::Predicate Pred, ExprId LHS, ExprId RHS) {
  assert(CmpInst::isIntPredicate(Pred) && Nodes[LHS].Width == Nodes[RHS].Width);
  std::optional<int64_t> L = constantValue(LHS), R = constantValue(RHS);
  if (L && R) {
    unsigned Width = Nodes[LHS].Width;
    APInt LV(Width, *L, /*isSigned=*/true), RV(Width, *R, /*isSigned=*/true);
    return constant(1, ICmpInst::compare(LV, RV, Pred));
  }
  return intern({ExprKind::ICmp, 1, Pred, 0, {LHS, RHS, NoExpr}});
}

ExprId ExprGraph::select(ExprId Cond, ExprId True, ExprId False) {
  assert(Nodes[Cond].Width == 1 && Nodes[True].Width == Nodes[False].Width);
  if (std::optional<int64_t> C = constantValue(Cond))
    return *C ? True : False;
  if (True == False)
    return True;
  return intern(
      {ExprKind::Select, Nodes[True].Width, 0, 0, {Cond, True, False}});
}

ExprId ExprGraph::assume(ExprId X, CmpInst::Predicate Pred, ExprId Y) {
  assert(CmpInst::isIntPredicate(Pred) && Nodes[X].Width == Nodes[Y].Width);
  return intern({ExprKind::Assume, Nodes[X].Width, Pred, 0, {X, Y, NoExpr}});
}

ExprId ExprGraph::merge(ExprId LHS, ExprId RHS) {
  assert(Nodes[LHS].Width == Nodes[RHS].Width);
  if (LHS == RHS)
    return LHS;
  if (LHS > RHS)
    std::swap(LHS, RHS);
  return intern({ExprKind::Merge, Nodes[LHS].Width, 0, 0, {LHS, RHS, NoExpr}});
}

ExprId ExprGraph::iter(ExprId Start, ExprId Step, ExprId BackedgeTaken,
                       unsigned Flags, unsigned Loop) {
  assert(Nodes[Start].Width == Nodes[Step].Width);
  return intern({ExprKind::Iter,
                 Nodes[Start].Width,
                 Flags,
                 Loop,
                 {Start, Step, BackedgeTaken}});
}

ExprId ExprGraph::addRaw(const ExprNode &Node, StringRef Reason) {
  ExprNode Copy = Node;
  if (Copy.Kind == ExprKind::Unknown) {
    auto It = find(Reasons, Reason);
    Copy.A = It - Reasons.begin();
    if (It == Reasons.end())
      Reasons.push_back(Reason.str());
  }
  return intern(Copy);
}

ExprId ExprGraph::negated(ExprId Cond) {
  const ExprNode Node = Nodes[Cond];
  if (Node.Kind != ExprKind::ICmp)
    return binary(ExprKind::Xor, Cond, constant(1, 1));
  auto Pred = CmpInst::Predicate(Node.A);
  return icmp(CmpInst::getInversePredicate(Pred), Node.Ops[0], Node.Ops[1]);
}

ExprId ExprGraph::nothing(unsigned Width) {
  ExprId Zero = constant(Width, 0);
  return assume(Zero, CmpInst::ICMP_NE, Zero);
}

bool ExprGraph::isNothing(ExprId Id) const {
  const ExprNode &Node = Nodes[Id];
  return Node.Kind == ExprKind::Assume && Node.A == CmpInst::ICMP_NE &&
         Node.Ops[0] == Node.Ops[1] && constantValue(Node.Ops[0]);
}

ExprId ExprGraph::guarded(ExprId Cond, ExprId X) {
  return select(Cond, X, nothing(Nodes[X].Width));
}

/// Visits what Roots are computed from, each node once, users before operands
/// and these from left to right, so that the order does not depend on sharing.
/// Returns the node at which Stop has ended the walk, or NoExpr.
ExprId ExprGraph::walk(ArrayRef<ExprId> Roots, function_ref<bool(ExprId)> Stop,
                       OperandsFn Follow) const {
  SmallVector<ExprId, 16> Work(reverse(Roots));
  DenseSet<ExprId> Seen;
  while (!Work.empty()) {
    ExprId Next = Work.pop_back_val();
    if (Next == NoExpr || !Seen.insert(Next).second)
      continue;
    if (Stop(Next))
      return Next;
    append_range(Work, reverse(Follow(Nodes[Next])));
  }
  return NoExpr;
}

SmallVector<ExprId, 16> ExprGraph::below(ArrayRef<ExprId> Roots,
                                         OperandsFn Follow) const {
  SmallVector<ExprId, 16> Found;
  auto Collect = [&](ExprId Id) {
    Found.push_back(Id);
    return false;
  };
  walk(Roots, Collect, Follow);
  sort(Found);
  return Found;
}

ExprId ExprGraph::findBelow(ExprId Id, function_ref<bool(const ExprNode &)> Is,
                            OperandsFn Follow) const {
  return walk(Id, [&](ExprId Next) { return Is(Nodes[Next]); }, Follow);
}

bool ExprGraph::containsKind(ExprId Id, ExprKind Kind) const {
  return findBelow(Id, [&](const ExprNode &Node) {
           return Node.Kind == Kind;
         }) != NoExpr;
}

bool ExprGraph::isUniform(ExprId Id) const {
  return findBelow(Id, [](const ExprNode &Node) {
           switch (Node.Kind) {
           case ExprKind::ThreadIdx:
           case ExprKind::BlockIdx:
           case ExprKind::Bounded:
           case ExprKind::Unknown:
           case ExprKind::Load:
           case ExprKind::Merge:
           case ExprKind::Iter:
             return true;
           default:
             return false;
           }
         }) == NoExpr;
}

bool ExprGraph::isFunctional(ExprId Id) const {
  return findBelow(Id, [](const ExprNode &Node) {
           return Node.Kind == ExprKind::Bounded ||
                  Node.Kind == ExprKind::Unknown ||
                  Node.Kind == ExprKind::Load || Node.Kind == ExprKind::Merge;
         }) == NoExpr;
}

std::optional<int64_t> ExprGraph::constantValue(ExprId Id) const {
  const ExprNode &Node = Nodes[Id];
  if (Node.Kind != ExprKind::Const)
    return std::nullopt;
  return Node.A;
}

SmallVector<ExprId, 4> ExprGraph::loadsBelow(ExprId Id) const {
  SmallVector<ExprId, 4> Loads;
  for (ExprId Node : below(Id))
    if (Nodes[Node].Kind == ExprKind::Load)
      Loads.push_back(Node);
  return Loads;
}

bool ExprGraph::isFollowed(ExprId Id) const {
  return findBelow(Id, [&](const ExprNode &Node) {
           switch (Node.Kind) {
           case ExprKind::Unknown:
             return Node.B == 0 || StandIns[Node.B - 1].Kind == StandIn::Failed;
           case ExprKind::Bounded:
           case ExprKind::Load:
           case ExprKind::Merge:
             return true;
           default:
             return false;
           }
         }) == NoExpr;
}

StringRef ExprGraph::unknownReason(ExprId Id) const {
  ExprId Unknown = findBelow(Id, [&](const ExprNode &Node) {
    return Node.Kind == ExprKind::Unknown &&
           (Node.B == 0 || StandIns[Node.B - 1].Kind == StandIn::Failed);
  });
  return Unknown == NoExpr ? StringRef() : StringRef(Reasons[Nodes[Unknown].A]);
}

StringRef ExprGraph::carriedReason(ExprId Id) const {
  ExprId Carried = findBelow(Id, [&](const ExprNode &Node) {
    return Node.Kind == ExprKind::Unknown && Node.B != 0 &&
           StandIns[Node.B - 1].Kind == StandIn::Carried;
  });
  return Carried == NoExpr ? StringRef() : StringRef(Reasons[Nodes[Carried].A]);
}

} // namespace gridspan
