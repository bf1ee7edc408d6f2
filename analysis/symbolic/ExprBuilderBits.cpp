//===- ExprBuilderBits.cpp - Functions of the bits of a number ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes reversed bits and bytes, counts of bits, and funnel shifts as the
// arithmetic that computes them, for advice, which evaluates lanes. Indices of
// transforms (the bit-reversed one) and of compaction (how many lanes before
// this one have something) are made of them.
//
// Bits are exchanged by halves, quarters and so on: each step swaps neighbours
// of one size. Bits are counted by adding neighbours in the same way. Zeros
// before the first bit are what is left of the bits when all behind it are set,
// and those behind the last are the bits below it. Each is exact modulo
// 2^width, for any operand; a range of it is looser than that of the count, so
// that is said as well.
//
// Source: Warren, Hacker's Delight, 2nd edition, chapters 5 and 7.
//
//===----------------------------------------------------------------------===//

#include "analysis/symbolic/ExprBuilder.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gridspan {

namespace {
/// Arithmetic on numbers of one width.
class BitArithmetic {
public:
  BitArithmetic(ExprGraph &Graph, unsigned Width)
      : Graph(Graph), Width(Width) {}

  ExprId constant(uint64_t Value) {
    return Graph.constant(Width, SignExtend64(Value, Width));
  }
  ExprId both(ExprKind Kind, ExprId L, ExprId R) {
    return Graph.binary(Kind, L, R);
  }
  ExprId with(ExprKind Kind, ExprId L, uint64_t R) {
    return Graph.binary(Kind, L, constant(R));
  }
  ExprId complement(ExprId X) { return with(ExprKind::Xor, X, ~uint64_t(0)); }

  /// Returns the lower of each two neighbouring groups of Bits bits.
  uint64_t lowerGroups(unsigned Bits) const {
    uint64_t Mask = 0;
    for (unsigned At = 0; At < Width; At += 2 * Bits)
      Mask |= maskTrailingOnes<uint64_t>(Bits) << At;
    return Mask;
  }
  ExprId reversed(ExprId X, unsigned SmallestGroup);
  ExprId countOnes(ExprId X);
  ExprId withAllBehindFirst(ExprId X);

private:
  ExprGraph &Graph;
  const unsigned Width;
};
} // namespace

/// Reverses the groups of SmallestGroup bits, each as it is.
ExprId BitArithmetic::reversed(ExprId X, unsigned SmallestGroup) {
  for (unsigned Bits = SmallestGroup; Bits != Width; Bits *= 2) {
    ExprId High = with(ExprKind::LShr, X, Bits);
    ExprId Low = X;
    // The last step moves all bits of either half out.
    if (2 * Bits != Width) {
      High = with(ExprKind::And, High, lowerGroups(Bits));
      Low = with(ExprKind::And, Low, lowerGroups(Bits));
    }
    X = both(ExprKind::Or, High, with(ExprKind::Shl, Low, Bits));
  }
  return X;
}

ExprId BitArithmetic::countOnes(ExprId X) {
  for (unsigned Bits = 1; Bits != Width; Bits *= 2)
    X = both(
        ExprKind::Add, with(ExprKind::And, X, lowerGroups(Bits)),
        with(ExprKind::And, with(ExprKind::LShr, X, Bits), lowerGroups(Bits)));
  return X;
}

ExprId BitArithmetic::withAllBehindFirst(ExprId X) {
  for (unsigned Bits = 1; Bits != Width; Bits *= 2)
    X = both(ExprKind::Or, X, with(ExprKind::LShr, X, Bits));
  return X;
}

/// Shifts the pair of two numbers by an amount that is the same for all threads
/// of any launch; NoExpr for another one.
static ExprId funnelShift(ExprGraph &Graph, const IntrinsicInst &I, ExprId High,
                          ExprId Low, unsigned Width) {
  const auto *Amount = dyn_cast<ConstantInt>(I.getArgOperand(2));
  if (!Amount)
    return NoExpr;
  const bool IsLeft = I.getIntrinsicID() == Intrinsic::fshl;
  const unsigned By = Amount->getValue().urem(Width);
  if (By == 0)
    return IsLeft ? High : Low;
  const unsigned Left = IsLeft ? By : Width - By;
  BitArithmetic Bits(Graph, Width);
  return Bits.both(ExprKind::Or, Bits.with(ExprKind::Shl, High, Left),
                   Bits.with(ExprKind::LShr, Low, Width - Left));
}

/// Returns the value of an intrinsic that looks at the bits of a number, or
/// NoExpr for others and where nothing is known of the number.
ExprId ExprBuilder::bitsAt(const IntrinsicInst &I, ContextId Context) {
  const Intrinsic::ID Id = I.getIntrinsicID();
  switch (Id) {
  case Intrinsic::bitreverse:
  case Intrinsic::bswap:
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
    break;
  default:
    return NoExpr;
  }
  const unsigned Width = widthOf(&I);
  if (!FollowsCarried || I.getType()->isVectorTy() || !isPowerOf2_32(Width) ||
      Width < 8 || Width > 64)
    return NoExpr;
  ExprId X = valueAt(I.getArgOperand(0), Context);
  if (!Graph.isFollowed(X))
    return NoExpr;
  BitArithmetic Bits(Graph, Width);
  ExprId Count;
  switch (Id) {
  case Intrinsic::bitreverse:
    return Bits.reversed(X, 1);
  case Intrinsic::bswap:
    return Bits.reversed(X, 8);
  case Intrinsic::fshl:
  case Intrinsic::fshr: {
    ExprId Low = valueAt(I.getArgOperand(1), Context);
    return Graph.isFollowed(Low) ? funnelShift(Graph, I, X, Low, Width)
                                 : NoExpr;
  }
  case Intrinsic::ctpop:
    Count = Bits.countOnes(X);
    break;
  case Intrinsic::ctlz:
    Count = Bits.countOnes(Bits.complement(Bits.withAllBehindFirst(X)));
    break;
  default:
    Count = Bits.countOnes(Bits.both(ExprKind::And, Bits.complement(X),
                                     Bits.with(ExprKind::Sub, X, 1)));
    break;
  }
  return Graph.assume(Count, CmpInst::ICMP_ULE, Bits.constant(Width));
}

} // namespace gridspan
