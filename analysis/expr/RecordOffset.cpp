//===- RecordOffset.cpp - Offsets as records and fields -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extensions are taken to be of sums and products that do not wrap: an index
// that wraps would leave its array.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/RecordOffset.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace llvm;

namespace gridspan {

static std::optional<int64_t> constantStep(const ExprGraph &Graph,
                                           const ExprNode &Node) {
  if (Node.Kind != ExprKind::Iter)
    return std::nullopt;
  std::optional<int64_t> Step = Graph.constantValue(Node.Ops[1]);
  return Step && *Step != 0 ? Step : std::nullopt;
}

static void addTerms(const ExprGraph &Graph, ExprId Id, int64_t Factor,
                     RecordOffset &Out) {
  const ExprNode &Node = Graph[Id];
  if (std::optional<int64_t> C = Graph.constantValue(Id)) {
    Out.Constant += Factor * *C;
    return;
  }
  switch (Node.Kind) {
  case ExprKind::Add:
  case ExprKind::Sub:
    addTerms(Graph, Node.Ops[0], Factor, Out);
    addTerms(Graph, Node.Ops[1], Node.Kind == ExprKind::Add ? Factor : -Factor,
             Out);
    return;
  case ExprKind::Mul:
    if (std::optional<int64_t> C = Graph.constantValue(Node.Ops[1]))
      return addTerms(Graph, Node.Ops[0], Factor * *C, Out);
    break;
  case ExprKind::Shl:
    if (std::optional<int64_t> By = Graph.constantValue(Node.Ops[1]);
        By && *By >= 0 && *By < 32)
      return addTerms(Graph, Node.Ops[0], Factor * (int64_t(1) << *By), Out);
    break;
  case ExprKind::SExt:
  case ExprKind::ZExt:
    if (is_contained({ExprKind::Add, ExprKind::Sub, ExprKind::Mul,
                      ExprKind::Shl, ExprKind::Iter},
                     Graph[Node.Ops[0]].Kind))
      return addTerms(Graph, Node.Ops[0], Factor, Out);
    break;
  case ExprKind::Iter:
    // Where it starts and by how much it steps.
    if (std::optional<int64_t> Step = constantStep(Graph, Node)) {
      addTerms(Graph, Node.Ops[0], Factor, Out);
      Out.Terms.push_back({Id, Factor * *Step});
      return;
    }
    break;
  default:
    break;
  }
  Out.Terms.push_back({Id, Factor});
}

RecordOffset recordOffset(const ExprGraph &Graph, ExprId Offset) {
  RecordOffset Out;
  addTerms(Graph, Offset, 1, Out);
  llvm::sort(Out.Terms);
  for (auto [Id, Factor] : Out.Terms)
    Out.RecordBytes = std::gcd(Out.RecordBytes, Factor);
  return Out;
}

bool isCounter(const ExprGraph &Graph, const OffsetTerm &Term) {
  return constantStep(Graph, Graph[Term.first]).has_value();
}

std::optional<int64_t> lastIteration(const ExprGraph &Graph,
                                     const OffsetTerm &Term) {
  const ExprNode &Node = Graph[Term.first];
  if (!isCounter(Graph, Term) || Node.Ops[2] == NoExpr)
    return std::nullopt;
  std::optional<int64_t> Last = Graph.constantValue(Node.Ops[2]);
  return Last && *Last > 0 ? Last : std::nullopt;
}

} // namespace gridspan
