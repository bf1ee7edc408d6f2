//===- ValueBounds.cpp - Interval that a value stays within ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Intervals of signed integers, from the leaves up: narrow ones are bounded by
// their width, others by masks, remainders, minima and the comparisons with
// constants that guard the site. An interval that does not fit its width may
// have wrapped: then nothing is known.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/sites/ValueBounds.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace gridspan {

namespace {

using Bounds = std::optional<ValueBounds>;

class BoundsFinder {
public:
  BoundsFinder(const ExprGraph &Graph, const MemorySite &Site) : Graph(Graph) {
    for (ExprId Guard : Site.Guards)
      addGuard(Guard);
  }

  Bounds of(ExprId Id) {
    auto Found = Memo.find(Id);
    if (Found != Memo.end())
      return Found->second;
    Bounds B = compute(Id);
    if (auto It = Guarded.find(Id); It != Guarded.end())
      B = intersect(B, It->second);
    return Memo[Id] = B;
  }

private:
  void addGuard(ExprId Guard);
  Bounds compute(ExprId Id);
  Bounds binary(const ExprNode &Node);
  static Bounds intersect(const Bounds &A, const ValueBounds &B);

  const ExprGraph &Graph;
  DenseMap<ExprId, ValueBounds> Guarded;
  DenseMap<ExprId, Bounds> Memo;
};

} // namespace

/// All that a number of so many bits may be, as a signed one.
static Bounds allOf(unsigned Width) {
  if (Width >= 64)
    return std::nullopt;
  int64_t Half = int64_t(1) << (Width - 1);
  return ValueBounds{-Half, Half - 1};
}

static Bounds fitted(const Bounds &B, unsigned Width) {
  Bounds All = allOf(Width);
  if (B && All && (B->Lo < All->Lo || B->Hi > All->Hi))
    return All;
  return B ? B : All;
}

Bounds BoundsFinder::intersect(const Bounds &A, const ValueBounds &B) {
  if (!A)
    return B;
  ValueBounds Both = {std::max(A->Lo, B.Lo), std::min(A->Hi, B.Hi)};
  // Nothing gets there.
  return Both.Lo <= Both.Hi ? Both : ValueBounds{B.Lo, B.Lo};
}

void BoundsFinder::addGuard(ExprId Guard) {
  const ExprNode &Node = Graph[Guard];
  if (Node.Kind == ExprKind::And && Node.Width == 1) {
    addGuard(Node.Ops[0]);
    addGuard(Node.Ops[1]);
    return;
  }
  if (Node.Kind != ExprKind::ICmp)
    return;
  std::optional<int64_t> Limit = Graph.constantValue(Node.Ops[1]);
  if (!Limit || *Limit <= 0)
    return;
  // An unsigned comparison with a positive number bounds both ends.
  if (Node.A == CmpInst::ICMP_ULT)
    Guarded[Node.Ops[0]] = {0, *Limit - 1};
  else if (Node.A == CmpInst::ICMP_ULE)
    Guarded[Node.Ops[0]] = {0, *Limit};
}

Bounds BoundsFinder::binary(const ExprNode &Node) {
  Bounds A = of(Node.Ops[0]), B = of(Node.Ops[1]);
  std::optional<int64_t> C = Graph.constantValue(Node.Ops[1]);
  switch (Node.Kind) {
  case ExprKind::And:
    if (C && *C >= 0)
      return ValueBounds{0, *C};
    return std::nullopt;
  case ExprKind::URem:
    if (C && *C > 0)
      return ValueBounds{0, *C - 1};
    return std::nullopt;
  case ExprKind::SRem:
    if (C && *C > 0)
      return ValueBounds{A && A->Lo >= 0 ? 0 : 1 - *C, *C - 1};
    return std::nullopt;
  case ExprKind::LShr:
    if (C && *C > 0 && *C < Node.Width)
      return ValueBounds{0,
                         int64_t(maskTrailingOnes<uint64_t>(Node.Width - *C))};
    return std::nullopt;
  case ExprKind::UMin:
    if (C && *C >= 0)
      return ValueBounds{0, *C};
    return std::nullopt;
  default:
    break;
  }
  if (!A || !B)
    return std::nullopt;
  ValueBounds Out;
  bool Wraps = false;
  switch (Node.Kind) {
  case ExprKind::Add:
    Wraps =
        AddOverflow(A->Lo, B->Lo, Out.Lo) || AddOverflow(A->Hi, B->Hi, Out.Hi);
    break;
  case ExprKind::Sub:
    Wraps =
        SubOverflow(A->Lo, B->Hi, Out.Lo) || SubOverflow(A->Hi, B->Lo, Out.Hi);
    break;
  case ExprKind::Mul:
  case ExprKind::Shl: {
    if (!C || *C < 0 || (Node.Kind == ExprKind::Shl && *C > 62))
      return std::nullopt;
    int64_t By = Node.Kind == ExprKind::Shl ? int64_t(1) << *C : *C;
    Wraps = MulOverflow(A->Lo, By, Out.Lo) || MulOverflow(A->Hi, By, Out.Hi);
    break;
  }
  case ExprKind::SMin:
    Out = {std::min(A->Lo, B->Lo), std::min(A->Hi, B->Hi)};
    break;
  case ExprKind::SMax:
    Out = {std::max(A->Lo, B->Lo), std::max(A->Hi, B->Hi)};
    break;
  default:
    return std::nullopt;
  }
  return Wraps ? std::nullopt : Bounds(Out);
}

Bounds BoundsFinder::compute(ExprId Id) {
  const ExprNode &Node = Graph[Id];
  switch (Node.Kind) {
  case ExprKind::Const:
    return ValueBounds{Node.A, Node.A};
  case ExprKind::Bounded:
    return ValueBounds{Node.A, Node.B};
  case ExprKind::ZExt: {
    Bounds B = of(Node.Ops[0]);
    if (B && B->Lo >= 0)
      return B;
    unsigned From = Graph[Node.Ops[0]].Width;
    return From < 63 ? Bounds(ValueBounds{
                           0, int64_t(maskTrailingOnes<uint64_t>(From))})
                     : std::nullopt;
  }
  case ExprKind::SExt:
    return of(Node.Ops[0]);
  case ExprKind::Trunc:
    return fitted(of(Node.Ops[0]), Node.Width);
  case ExprKind::Select:
  case ExprKind::Merge: {
    unsigned First = Node.Kind == ExprKind::Select;
    Bounds A = of(Node.Ops[First]), B = of(Node.Ops[First + 1]);
    if (!A || !B)
      return std::nullopt;
    return ValueBounds{std::min(A->Lo, B->Lo), std::max(A->Hi, B->Hi)};
  }
  case ExprKind::Assume:
    return of(Node.Ops[0]);
  default:
    return fitted(exprNumOperands(Node.Kind) == 2 ? binary(Node) : std::nullopt,
                  Node.Width);
  }
}

std::optional<ValueBounds> offsetBounds(const ExprGraph &Graph,
                                        const MemorySite &Site) {
  return BoundsFinder(Graph, Site).of(Site.Offset);
}

} // namespace gridspan
