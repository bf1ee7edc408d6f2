//===- Evaluate.cpp - Values of expressions for a launch ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One loop over the nodes, operands before users, calling for each the function
// that an emitted range function would call.
//
//===----------------------------------------------------------------------===//

#include "analysis/summary/Evaluate.h"
#include <vector>

using namespace gridspan;

static_assert(unsigned(GridspanEQ) == unsigned(llvm::CmpInst::ICMP_EQ) &&
              unsigned(GridspanSLE) == unsigned(llvm::CmpInst::ICMP_SLE));
static_assert(unsigned(GridspanIterNSW) == unsigned(IterNSW) &&
              unsigned(GridspanIterNUW) == unsigned(IterNUW) &&
              unsigned(GridspanIterToLimit) == unsigned(IterToLimit));

namespace {

struct Evaluation {
  const ExprNode &Node;
  const GridspanBox &Box;
  const std::vector<GridspanValue> &Values;

  const GridspanValue *operand(unsigned I) const {
    return Node.Ops[I] == NoExpr ? nullptr : &Values[Node.Ops[I]];
  }

// One call per shape of RangeOps.def.
#define ARGUMENTS_Const Node.Width, Node.A
#define ARGUMENTS_Param Node.Width, &Box, uint32_t(Node.A), uint32_t(Node.B)
#define ARGUMENTS_Special &Box, uint32_t(Node.A)
#define ARGUMENTS_Bounded Node.Width, Node.A, Node.B
#define ARGUMENTS_Unknown Node.Width
#define ARGUMENTS_Load                                                         \
  Node.Width, &Box, uint32_t(Node.A), uint32_t(Node.B), operand(0)
#define ARGUMENTS_Binary operand(0), operand(1)
#define ARGUMENTS_Divide operand(0), operand(1), Node.Ops[0], Node.Ops[1]
#define ARGUMENTS_Cast operand(0), Node.Width
#define ARGUMENTS_Compare operand(0), operand(1), uint32_t(Node.A)
#define ARGUMENTS_Select operand(0), operand(1), operand(2)
#define ARGUMENTS_Iter                                                         \
  operand(0), operand(1), operand(2), uint32_t(Node.A), uint32_t(Node.B)

  void run(GridspanValue *Out) const {
    switch (Node.Kind) {
#define GRIDSPAN_RANGE_OP(Kind, Shape)                                         \
  case ExprKind::Kind:                                                         \
    __gridspan_range_##Kind(Out, ARGUMENTS_##Shape);                           \
    return;
#include "gridspan/RangeOps.def"
    }
  }
};

} // namespace

GridspanValue gridspan::evaluate(const ExprGraph &Graph, ExprId Id,
                                 const GridspanBox &Box) {
  std::vector<GridspanValue> Values(Id + 1);
  for (ExprId I : Graph.below(Id))
    Evaluation{Graph[I], Box, Values}.run(&Values[I]);
  return Values[Id];
}

GridspanRange gridspan::evaluateRange(const KernelSummary &Kernel,
                                      const AccessSummary &Access,
                                      const GridspanBox &Box) {
  GridspanRange Result = {0, 1, 0, 1, 0, 1, GridspanRangeUnknown, 0};
  if (Access.Pointer < 0 || Access.Offset == NoExpr)
    return Result;
  GridspanValue Offset = evaluate(Kernel.Exprs, Access.rangeOffset(), Box),
                Length;
  if (Access.Length != NoExpr)
    Length = evaluate(Kernel.Exprs, Access.Length, Box);
  __gridspan_range_finish(&Result, &Offset,
                          Access.Length == NoExpr ? nullptr : &Length,
                          Access.ElementSize, Access.ExactIfEvaluated);
  for (ExprId Load : Access.neededLoads(Kernel.Exprs)) {
    GridspanValue Loaded = evaluate(Kernel.Exprs, Load, Box);
    __gridspan_range_need(&Result, &Loaded);
  }
  return Result;
}
