//===- ExprPrinter.cpp - Prints index expressions -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints nested calls, with sums, differences and products infix in
// parentheses. Tests and advice compare the text, so it depends on the
// expression alone and not on the order of nodes in the graph.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/Expr.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gridspan {

/// Returns the operator of kinds that read better between their operands.
static StringRef infixOperator(ExprKind Kind) {
  switch (Kind) {
  case ExprKind::Add:
    return "+";
  case ExprKind::Sub:
    return "-";
  case ExprKind::Mul:
    return "*";
  default:
    return "";
  }
}

void ExprGraph::print(raw_ostream &OS, ExprId Id) const {
  const ExprNode &Node = Nodes[Id];
  StringRef Name = exprKindName(Node.Kind);
  auto PrintPredicate = [&] {
    OS << ' ' << CmpInst::getPredicateName(CmpInst::Predicate(Node.A)) << ' ';
  };
  switch (Node.Kind) {
  case ExprKind::Const:
    OS << Node.A;
    return;
  case ExprKind::Param:
    OS << "arg" << Node.A;
    if (Node.B)
      OS << '+' << Node.B;
    return;
  case ExprKind::ThreadIdx:
  case ExprKind::BlockIdx:
  case ExprKind::BlockDim:
  case ExprKind::GridDim:
  case ExprKind::TileOrigin:
  case ExprKind::TileCount:
    OS << Name << '.' << "xyz"[Node.A];
    return;
  case ExprKind::Bounded:
    OS << '[' << Node.A << ".." << Node.B << ']';
    return;
  case ExprKind::Unknown:
    OS << "unknown(" << Reasons[Node.A] << ')';
    return;
  case ExprKind::Load:
    OS << Name << unsigned(Node.Width) << "(arg" << Node.A;
    if (Node.B)
      OS << '+' << Node.B;
    OS << ", ";
    print(OS, Node.Ops[0]);
    OS << ')';
    return;
  case ExprKind::ZExt:
  case ExprKind::SExt:
  case ExprKind::Trunc:
    OS << Name << unsigned(Node.Width) << '(';
    print(OS, Node.Ops[0]);
    OS << ')';
    return;
  case ExprKind::Select:
    if (!isNothing(Node.Ops[2]))
      break;
    OS << "when(";
    print(OS, Node.Ops[0]);
    OS << ", ";
    print(OS, Node.Ops[1]);
    OS << ')';
    return;
  case ExprKind::ICmp:
  case ExprKind::Assume:
    OS << (Node.Kind == ExprKind::Assume ? "{" : "(");
    print(OS, Node.Ops[0]);
    PrintPredicate();
    print(OS, Node.Ops[1]);
    OS << (Node.Kind == ExprKind::Assume ? "}" : ")");
    return;
  case ExprKind::Iter:
    OS << "iter" << Node.B << '(';
    print(OS, Node.Ops[0]);
    OS << ", +";
    print(OS, Node.Ops[1]);
    OS << ", ";
    if (Node.Ops[2] == NoExpr)
      OS << "unbounded";
    else
      print(OS, Node.Ops[2]);
    OS << ')';
    return;
  default:
    break;
  }
  if (StringRef Operator = infixOperator(Node.Kind); !Operator.empty()) {
    OS << '(';
    print(OS, Node.Ops[0]);
    OS << ' ' << Operator << ' ';
    print(OS, Node.Ops[1]);
    OS << ')';
    return;
  }
  OS << Name << '(';
  for (unsigned I = 0; I != exprNumOperands(Node.Kind); ++I) {
    if (I)
      OS << ", ";
    print(OS, Node.Ops[I]);
  }
  OS << ')';
}

} // namespace gridspan
