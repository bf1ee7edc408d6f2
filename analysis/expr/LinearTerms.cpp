//===- LinearTerms.cpp - Sums with each value once ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The evaluation bounds the operands of a sum apart from each other. So `i * (n
// + 1) + (d - i)`, a cell of an antidiagonal, would be all of a rectangle.
// Collected, it is `i * n + d`: one run with a stride.
//
// A sum is taken apart into coefficient * atom, where coefficients are the same
// for all threads, and atoms are whatever is no sum, difference or product with
// a coefficient. Coefficients of the same atom are added. That is exact modulo
// 2^width, whatever wraps.
//
// A value under a fact, `{d - i >= 1}`, is an atom. It is opened, and the fact
// given up, where an atom inside it has a coefficient of the opposite sign
// elsewhere in the sum. What cancels is worth more than the bound. The caller
// sees that the fact is missing (Access.cpp, guardAccess).
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/LinearTerms.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace gridspan {

/// Sums of more terms stay as they are.
static constexpr unsigned MaxTerms = 16;

namespace {

/// Coefficient * Atom; the Coefficient alone if there is no Atom.
struct Term {
  ExprId Atom, Coefficient;
};
using Terms = SmallVector<Term, 8>;

class Collector {
public:
  explicit Collector(ExprGraph &Graph) : Graph(Graph) {}

  ExprId run(ExprId Id);

private:
  bool split(ExprId Id, ExprId Coefficient, Terms &Out);
  bool openFacts(Terms &Sum);
  bool cancels(const Term &Inner, const Terms &Sum, size_t Except) const;
  bool isNegative(ExprId Coefficient) const;
  std::optional<ExprId> collected(ExprId Sum);
  ExprId scaled(ExprId X, ExprId Factor) {
    return Graph.binary(ExprKind::Mul, X, Factor);
  }

  ExprGraph &Graph;
  DenseMap<ExprId, ExprId> Memo;
};

} // namespace

/// Adds the terms of Coefficient * Id; false if there are too many.
bool Collector::split(ExprId Id, ExprId Coefficient, Terms &Out) {
  if (Out.size() > MaxTerms)
    return false;
  const ExprNode Node = Graph[Id];
  if (Graph.isUniform(Id)) {
    Out.push_back({NoExpr, scaled(Id, Coefficient)});
    return true;
  }
  switch (Node.Kind) {
  case ExprKind::Add:
    return split(Node.Ops[0], Coefficient, Out) &&
           split(Node.Ops[1], Coefficient, Out);
  case ExprKind::Sub:
    return split(Node.Ops[0], Coefficient, Out) &&
           split(Node.Ops[1],
                 scaled(Coefficient, Graph.constant(Node.Width, -1)), Out);
  case ExprKind::Mul:
    for (unsigned I : {0, 1})
      if (Graph.isUniform(Node.Ops[I]))
        return split(Node.Ops[1 - I], scaled(Coefficient, Node.Ops[I]), Out);
    break;
  case ExprKind::Shl:
    if (auto Amount = Graph.constantValue(Node.Ops[1]);
        Amount && *Amount >= 0 && *Amount < Node.Width)
      return split(Node.Ops[0],
                   scaled(Coefficient,
                          Graph.constant(Node.Width, uint64_t(1) << *Amount)),
                   Out);
    break;
  default:
    break;
  }
  Out.push_back({Id, Coefficient});
  return true;
}

/// Sizes are not negative, so a coefficient is if a constant factor of it is.
bool Collector::isNegative(ExprId Coefficient) const {
  const ExprNode &Node = Graph[Coefficient];
  if (Node.Kind == ExprKind::Mul)
    return isNegative(Node.Ops[0]) != isNegative(Node.Ops[1]);
  return Node.Kind == ExprKind::Const && Node.A < 0;
}

/// Returns true if another term of Sum has the atom with a coefficient of the
/// other sign.
bool Collector::cancels(const Term &Inner, const Terms &Sum,
                        size_t Except) const {
  for (size_t I = 0, E = Sum.size(); I != E; ++I)
    if (I != Except && Inner.Atom != NoExpr && Sum[I].Atom == Inner.Atom &&
        isNegative(Sum[I].Coefficient) != isNegative(Inner.Coefficient))
      return true;
  return false;
}

/// Opens one value under a fact; false if there is none that is worth it.
bool Collector::openFacts(Terms &Sum) {
  for (size_t I = 0, E = Sum.size(); I != E; ++I) {
    if (Sum[I].Atom == NoExpr)
      continue;
    const ExprNode Node = Graph[Sum[I].Atom];
    Terms Inner;
    if (Node.Kind != ExprKind::Assume || Graph.isNothing(Sum[I].Atom) ||
        Graph[Node.Ops[0]].Kind == ExprKind::Iter ||
        !split(Node.Ops[0], Sum[I].Coefficient, Inner) ||
        none_of(Inner, [&](const Term &T) { return cancels(T, Sum, I); }))
      continue;
    Sum.erase(Sum.begin() + I);
    Sum.append(Inner);
    return true;
  }
  return false;
}

/// Returns the sum with each atom once; nothing if it is so as it is.
std::optional<ExprId> Collector::collected(ExprId Id) {
  unsigned Width = Graph[Id].Width;
  Terms Sum;
  if (!split(Id, Graph.constant(Width, 1), Sum))
    return std::nullopt;
  while (Sum.size() <= MaxTerms && openFacts(Sum))
    continue;
  Terms Once;
  bool AnyTwice = false;
  for (const Term &T : Sum) {
    auto *Same = find_if(Once, [&](const Term &O) { return O.Atom == T.Atom; });
    if (Same == Once.end()) {
      Once.push_back(T);
      continue;
    }
    AnyTwice |= T.Atom != NoExpr;
    // Two loaded values are both "unknown", and differ.
    if (T.Atom != NoExpr && !Graph.isFunctional(T.Atom))
      return std::nullopt;
    Same->Coefficient =
        Graph.binary(ExprKind::Add, Same->Coefficient, T.Coefficient);
  }
  if (!AnyTwice)
    return std::nullopt;
  ExprId Result = Graph.constant(Width, 0);
  for (const Term &T : Once)
    Result = Graph.binary(ExprKind::Add, Result,
                          T.Atom == NoExpr ? T.Coefficient
                                           : scaled(T.Atom, T.Coefficient));
  return Result;
}

ExprId Collector::run(ExprId Id) {
  if (auto It = Memo.find(Id); It != Memo.end())
    return It->second;
  ExprNode Node = Graph[Id];
  ExprId Result = Id;
  switch (Node.Kind) {
  case ExprKind::Add:
  case ExprKind::Sub:
    if (auto Sum = collected(Id)) {
      Result = *Sum;
      break;
    }
    [[fallthrough]];
  case ExprKind::Mul:
    Result = Graph.binary(Node.Kind, run(Node.Ops[0]), run(Node.Ops[1]));
    break;
  case ExprKind::SExt:
  case ExprKind::ZExt:
  case ExprKind::Trunc:
    Result = Graph.cast(Node.Kind, run(Node.Ops[0]), Node.Width);
    break;
  case ExprKind::Select:
    Result = Graph.select(Node.Ops[0], run(Node.Ops[1]), run(Node.Ops[2]));
    break;
  default:
    break;
  }
  return Memo[Id] = Result;
}

ExprId collectTerms(ExprGraph &Graph, ExprId Id) {
  return Collector(Graph).run(Id);
}

} // namespace gridspan
