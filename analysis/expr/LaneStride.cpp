//===- LaneStride.cpp - Steps of offsets between lanes --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The derivative by one index: linear operations pass it on, a product needs a
// uniform factor, and everything else must not depend on the index at all. What
// does not depend on it has stride 0, whatever it is.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/LaneStride.h"
#include "llvm/ADT/DenseMap.h"

using namespace llvm;

namespace gridspan {

namespace {

class Strides {
public:
  Strides(ExprGraph &Graph, unsigned Axis) : Graph(Graph), Axis(Axis) {}

  ExprId of(ExprId Id) {
    auto Found = Memo.find(Id);
    if (Found != Memo.end())
      return Found->second;
    ExprId Stride = compute(Id);
    Memo[Id] = Stride;
    return Stride;
  }

private:
  ExprId compute(ExprId Id);
  ExprId product(ExprId Stride, ExprId Factor);
  ExprId zero() { return Graph.constant(64, 0); }
  bool isZero(ExprId Stride) {
    return Stride != NoExpr && Graph.constantValue(Stride) == 0;
  }

  ExprGraph &Graph;
  unsigned Axis;
  DenseMap<ExprId, ExprId> Memo;
};

} // namespace

ExprId Strides::product(ExprId Stride, ExprId Factor) {
  if (isZero(Stride))
    return Stride;
  if (Stride == NoExpr || !Graph.isUniform(Factor))
    return NoExpr;
  return Graph.binary(ExprKind::Mul, Stride,
                      Graph.cast(ExprKind::SExt, Factor, 64));
}

ExprId Strides::compute(ExprId Id) {
  // A copy: the graph grows below.
  const ExprNode Node = Graph[Id];
  if (Node.Kind == ExprKind::ThreadIdx)
    return Graph.constant(64, Node.A == Axis);
  ExprId S[3] = {zero(), zero(), zero()};
  bool Depends = false;
  for (unsigned I = 0; I != 3; ++I)
    if (Node.Ops[I] != NoExpr) {
      S[I] = of(Node.Ops[I]);
      Depends |= !isZero(S[I]);
    }
  // Something loaded may depend on anything.
  if (Node.Kind == ExprKind::Unknown || Node.Kind == ExprKind::Bounded ||
      Node.Kind == ExprKind::Load)
    return NoExpr;
  if (!Depends)
    return zero();
  switch (Node.Kind) {
  case ExprKind::Add:
  case ExprKind::Sub:
    if (S[0] == NoExpr || S[1] == NoExpr)
      return NoExpr;
    return Graph.binary(Node.Kind, S[0], S[1]);
  case ExprKind::Mul:
    return isZero(S[1])   ? product(S[0], Node.Ops[1])
           : isZero(S[0]) ? product(S[1], Node.Ops[0])
                          : NoExpr;
  case ExprKind::Shl: {
    std::optional<int64_t> By = Graph.constantValue(Node.Ops[1]);
    if (!By || *By < 0 || *By > 62)
      return NoExpr;
    return product(S[0], Graph.constant(64, int64_t(1) << *By));
  }
  case ExprKind::ZExt:
  case ExprKind::SExt:
  case ExprKind::Trunc:
    return S[0];
  case ExprKind::Assume:
    return S[0];
  case ExprKind::Iter:
    // Where the loop starts may depend on the thread, how it moves may not.
    return isZero(S[1]) ? S[0] : NoExpr;
  default:
    return NoExpr;
  }
}

ExprId threadStride(ExprGraph &Graph, ExprId Id, unsigned Axis) {
  return Strides(Graph, Axis).of(Id);
}

} // namespace gridspan
