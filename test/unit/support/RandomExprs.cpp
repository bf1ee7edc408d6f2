//===- RandomExprs.cpp - Random expressions for tests ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/support/RandomExprs.h"
#include <random>

using namespace llvm;
using namespace gridspan;
using namespace gridspan::test;

namespace {

class Generator {
public:
  explicit Generator(unsigned Seed) : Random(Seed) {}

  RandomExprs run(unsigned NumNodes) {
    Width = pick({8u, 16u, 32u});
    addLeaves();
    for (unsigned Loop = 0; Loop != NumLoops; ++Loop) {
      addNodes(NumNodes / 4);
      P.Counts[Loop] =
          number(4) == 0
              ? P.Graph.constant(Width, number(4))
              : P.Graph.binary(ExprKind::URem, any(),
                               P.Graph.constant(Width, 1 + number(4)));
      uint32_t Flags = number(4);
      Nodes.push_back(P.Graph.iter(any(),
                                   P.Graph.constant(Width, int(number(9)) - 4),
                                   P.Counts[Loop], Flags, Loop));
    }
    addNodes(NumNodes / 2);
    return std::move(P);
  }

private:
  unsigned number(unsigned Below) { return Random() % Below; }
  template <typename T> T pick(std::initializer_list<T> From) {
    return From.begin()[number(From.size())];
  }
  ExprId any() { return Nodes[number(Nodes.size())]; }
  CmpInst::Predicate predicate() {
    return CmpInst::Predicate(CmpInst::FIRST_ICMP_PREDICATE + number(10));
  }

  void addLeaves() {
    for (ExprKind Kind : {ExprKind::ThreadIdx, ExprKind::BlockIdx,
                          ExprKind::BlockDim, ExprKind::GridDim})
      for (unsigned Axis = 0; Axis != 2; ++Axis)
        Nodes.push_back(
            P.Graph.cast(ExprKind::Trunc, P.Graph.special(Kind, Axis), Width));
    for (int64_t Value : {0, 1, 2, 3, 4, 5, 8, 16, -1, -2})
      Nodes.push_back(P.Graph.constant(Width, Value));
    Nodes.push_back(P.Graph.param(Width, 0, 0));
  }

  void addNodes(unsigned Count) {
    for (unsigned I = 0; I != Count; ++I)
      Nodes.push_back(node());
  }

  /// Some of the digits of one value, as other digits.
  ExprId digits() {
    ExprId X = any(), Base = P.Graph.constant(Width, 1 + number(8));
    bool Signed = number(2);
    ExprId Upper =
        P.Graph.binary(Signed ? ExprKind::SDiv : ExprKind::UDiv, X, Base);
    ExprId Lower =
        P.Graph.binary(Signed ? ExprKind::SRem : ExprKind::URem, X, Base);
    Nodes.push_back(Upper);
    Nodes.push_back(Lower);
    ExprId Place = P.Graph.constant(Width, 1 + number(12));
    return P.Graph.binary(ExprKind::Add,
                          P.Graph.binary(ExprKind::Mul, Upper, Place),
                          number(3) ? Lower : any());
  }

  ExprId node() {
    switch (number(15)) {
    case 14:
    case 13:
      return digits();
    case 12:
      return number(2) ? P.Graph.merge(any(), any())
                       : P.Graph.bounded(Width, -int(number(5)), number(9));
    case 0:
      return P.Graph.assume(any(), predicate(), any());
    case 1:
      return P.Graph.select(P.Graph.icmp(predicate(), any(), any()), any(),
                            any());
    case 2:
      return P.Graph.cast(pick({ExprKind::ZExt, ExprKind::SExt}),
                          P.Graph.cast(ExprKind::Trunc, any(), 5), Width);
    case 3:
    case 4:
    case 5:
      return P.Graph.binary(pick({ExprKind::Add, ExprKind::Sub}), any(), any());
    case 6:
    case 7:
      return P.Graph.binary(ExprKind::Mul, any(), any());
    default:
      return P.Graph.binary(
          pick({ExprKind::UDiv, ExprKind::SDiv, ExprKind::URem, ExprKind::SRem,
                ExprKind::Shl, ExprKind::LShr, ExprKind::AShr, ExprKind::And,
                ExprKind::Or, ExprKind::Xor, ExprKind::UMin, ExprKind::UMax,
                ExprKind::SMin, ExprKind::SMax}),
          any(), any());
    }
  }

  std::mt19937 Random;
  unsigned Width = 32;
  RandomExprs P;
  std::vector<ExprId> Nodes;
};

} // namespace

RandomExprs gridspan::test::makeRandomExprs(unsigned Seed, unsigned NumNodes) {
  return Generator(Seed).run(NumNodes);
}
