//===- IndexExtents.cpp - Limits that indices are compared with -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dependences go up the expressions once, operands first. Bounds come from the
// comparisons in guards, negated where a negation is around them, and from the
// maxima in trip counts of loops that start at a thread's index. A limit that
// is a product of parameters bounds each of them.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/sites/IndexExtents.h"
#include "llvm/IR/Instructions.h"
#include <cmath>

using namespace llvm;

namespace gridspan {

namespace {

class ExtentFinder {
public:
  explicit ExtentFinder(const KernelSites &Kernel)
      : Kernel(Kernel), Graph(Kernel.Exprs) {}

  IndexExtents run();

private:
  void findDependences();
  void addBounds(ExprId Condition, bool IsNegated);
  void addLoopBounds(ExprId Count);
  void addBound(ExprId Index, ExprId Limit);
  void addParams(ExprId Limit, Extent Of);
  std::set<ParamKey> paramsIn(ExprId Id) const;
  void findLoopEnds(ExprId Count);

  const KernelSites &Kernel;
  const ExprGraph &Graph;
  IndexExtents Out;
  std::set<std::pair<ExprId, bool>> Visited; ///< conditions, and if negated
  std::set<ExprId> VisitedCounts;
};

} // namespace

void ExtentFinder::findDependences() {
  for (const ExprNode &Node : Graph.nodes()) {
    uint16_t D = 0;
    if (Node.Kind == ExprKind::ThreadIdx)
      D = uint16_t(OnThread << Node.A);
    else if (Node.Kind == ExprKind::BlockIdx)
      D = uint16_t(OnBlock << Node.A);
    else if (Node.Kind == ExprKind::GridDim)
      D = OnGridDim;
    else if (Node.Kind == ExprKind::Param)
      D = OnParam;
    else if (Node.Kind == ExprKind::Iter)
      D = OnLoop | Out.Depends[Node.Ops[0]];
    else
      for (unsigned I = 0; I != exprNumOperands(Node.Kind); ++I)
        if (Node.Ops[I] != NoExpr)
          D |= Out.Depends[Node.Ops[I]];
    Out.Depends.push_back(D);
  }
}

/// Parameters with which Limit grows.
void ExtentFinder::addParams(ExprId Limit, Extent Of) {
  const ExprNode &Node = Graph[Limit];
  std::optional<int64_t> Right;
  if (exprNumOperands(Node.Kind) == 2)
    Right = Graph.constantValue(Node.Ops[1]);
  switch (Node.Kind) {
  case ExprKind::Param:
    Of.Param = {unsigned(Node.A), unsigned(Node.B)};
    Out.Extents.push_back(Of);
    return;
  case ExprKind::Mul:
    if (Right)
      Of.Scale *= std::max(1.0, double(*Right));
    else
      Of.Factors *= 2;
    [[fallthrough]];
  case ExprKind::Add:
  case ExprKind::UMin:
  case ExprKind::SMin:
  case ExprKind::UMax:
  case ExprKind::SMax:
    addParams(Node.Ops[0], Of);
    addParams(Node.Ops[1], Of);
    return;
  case ExprKind::UDiv:
  case ExprKind::SDiv:
    Of.Scale /= std::max(1.0, double(Right.value_or(1)));
    return addParams(Node.Ops[0], Of);
  case ExprKind::Shl:
    Of.Scale *= std::exp2(double(Right.value_or(0) & 63));
    return addParams(Node.Ops[0], Of);
  case ExprKind::LShr:
  case ExprKind::AShr:
    Of.Scale /= std::exp2(double(Right.value_or(0) & 63));
    return addParams(Node.Ops[0], Of);
  case ExprKind::Sub:
  case ExprKind::ZExt:
  case ExprKind::SExt:
  case ExprKind::Trunc:
    return addParams(Node.Ops[0], Of);
  default:
    return;
  }
}

void ExtentFinder::addBound(ExprId Index, ExprId Limit) {
  if ((Out.Depends[Index] & AnyIndex) && !(Out.Depends[Limit] & AnyIndex) &&
      (Out.Depends[Limit] & OnParam))
    addParams(Limit, {Index, {}, /*Factors=*/1, /*Scale=*/1});
}

void ExtentFinder::addBounds(ExprId Condition, bool IsNegated) {
  if (!Visited.insert({Condition, IsNegated}).second)
    return;
  const ExprNode &Node = Graph[Condition];
  if (Node.Kind == ExprKind::And || Node.Kind == ExprKind::Or ||
      Node.Kind == ExprKind::Xor) {
    bool Flips = Node.Kind == ExprKind::Xor &&
                 Graph.constantValue(Node.Ops[1]).value_or(0) != 0;
    addBounds(Node.Ops[0], IsNegated != Flips);
    addBounds(Node.Ops[1], IsNegated != Flips);
    return;
  }
  if (Node.Kind == ExprKind::Select) {
    for (ExprId Op : Node.Ops)
      addBounds(Op, IsNegated);
    return;
  }
  if (Node.Kind != ExprKind::ICmp)
    return;
  auto Predicate = static_cast<CmpInst::Predicate>(Node.A);
  if (IsNegated)
    Predicate = CmpInst::getInversePredicate(Predicate);
  if (ICmpInst::isLT(Predicate) || ICmpInst::isLE(Predicate))
    addBound(Node.Ops[0], Node.Ops[1]);
  else if (ICmpInst::isGT(Predicate) || ICmpInst::isGE(Predicate))
    addBound(Node.Ops[1], Node.Ops[0]);
}

/// Counts of loops that start at a thread's index have the larger of it and the
/// end in them.
void ExtentFinder::addLoopBounds(ExprId Count) {
  if (!VisitedCounts.insert(Count).second)
    return;
  const ExprNode &Node = Graph[Count];
  if (Node.Kind == ExprKind::SMax || Node.Kind == ExprKind::UMax) {
    addBound(Node.Ops[0], Node.Ops[1]);
    addBound(Node.Ops[1], Node.Ops[0]);
  }
  for (unsigned I = 0; I != exprNumOperands(Node.Kind); ++I)
    if (Node.Ops[I] != NoExpr)
      addLoopBounds(Node.Ops[I]);
}

std::set<ParamKey> ExtentFinder::paramsIn(ExprId Id) const {
  std::set<ParamKey> Found;
  for (ExprId At : Graph.below(Id))
    if (const ExprNode &Node = Graph[At]; Node.Kind == ExprKind::Param)
      Found.insert({unsigned(Node.A), unsigned(Node.B)});
  return Found;
}

/// Tells ends of loops, which go on from the index that they start at, from
/// ends of what threads reach.
void ExtentFinder::findLoopEnds(ExprId Count) {
  uint16_t D = Out.Depends[Count];
  std::set<ParamKey> Params = paramsIn(Count);
  if ((D & AnyIndex) && !(D & AnyBlock))
    Out.InBlocks.insert(Params.begin(), Params.end());
  if ((D & AnyBlock) && (D & OnGridDim))
    for (Extent &E : Out.Extents)
      E.IsStride |=
          Params.count(E.Param) && (Out.Depends[E.Index] & AnyIndex & ~D) == 0;
}

IndexExtents ExtentFinder::run() {
  findDependences();
  std::set<ExprId> Counts;
  for (const MemorySite &Site : Kernel.Sites) {
    for (ExprId Guard : Site.Guards)
      addBounds(Guard, false);
    for (const SiteLoop &L : Site.Loops)
      if (L.BackedgeTaken != NoExpr && Counts.insert(L.BackedgeTaken).second)
        addLoopBounds(L.BackedgeTaken);
  }
  for (ExprId Count : Counts)
    findLoopEnds(Count);
  return std::move(Out);
}

IndexExtents findIndexExtents(const KernelSites &Kernel) {
  return ExtentFinder(Kernel).run();
}

} // namespace gridspan
