//===- ExprFolding.cpp - Operations on constants --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds with the semantics of LLVM's instructions, modulo 2^width. An operation
// without a defined result (a division by zero, a shift by the width) is not
// folded.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/ExprFolding.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gridspan {

int64_t canonical(unsigned Width, int64_t Value) {
  return Width == 64 ? Value : SignExtend64(Value, Width);
}

std::optional<int64_t> foldBinary(ExprKind Kind, unsigned Width, int64_t LHS,
                                  int64_t RHS) {
  APInt L(Width, LHS, /*isSigned=*/true);
  APInt R(Width, RHS, /*isSigned=*/true);
  bool DivisionTraps = R.isZero();
  bool SignedDivisionTraps =
      DivisionTraps || (L.isMinSignedValue() && R.isAllOnes());
  switch (Kind) {
  case ExprKind::Add:
    return (L + R).getSExtValue();
  case ExprKind::Sub:
    return (L - R).getSExtValue();
  case ExprKind::Mul:
    return (L * R).getSExtValue();
  case ExprKind::UDiv:
    if (DivisionTraps)
      return std::nullopt;
    return L.udiv(R).getSExtValue();
  case ExprKind::SDiv:
    if (SignedDivisionTraps)
      return std::nullopt;
    return L.sdiv(R).getSExtValue();
  case ExprKind::URem:
    if (DivisionTraps)
      return std::nullopt;
    return L.urem(R).getSExtValue();
  case ExprKind::SRem:
    if (SignedDivisionTraps)
      return std::nullopt;
    return L.srem(R).getSExtValue();
  case ExprKind::Shl:
    if (R.uge(Width))
      return std::nullopt;
    return L.shl(R).getSExtValue();
  case ExprKind::LShr:
    if (R.uge(Width))
      return std::nullopt;
    return L.lshr(R).getSExtValue();
  case ExprKind::AShr:
    if (R.uge(Width))
      return std::nullopt;
    return L.ashr(R).getSExtValue();
  case ExprKind::And:
    return (L & R).getSExtValue();
  case ExprKind::Or:
    return (L | R).getSExtValue();
  case ExprKind::Xor:
    return (L ^ R).getSExtValue();
  case ExprKind::UMin:
    return (L.ult(R) ? L : R).getSExtValue();
  case ExprKind::UMax:
    return (L.ugt(R) ? L : R).getSExtValue();
  case ExprKind::SMin:
    return (L.slt(R) ? L : R).getSExtValue();
  case ExprKind::SMax:
    return (L.sgt(R) ? L : R).getSExtValue();
  default:
    return std::nullopt;
  }
}

bool isCommutative(ExprKind Kind) {
  switch (Kind) {
  case ExprKind::Add:
  case ExprKind::Mul:
  case ExprKind::And:
  case ExprKind::Or:
  case ExprKind::Xor:
  case ExprKind::UMin:
  case ExprKind::UMax:
  case ExprKind::SMin:
  case ExprKind::SMax:
    return true;
  default:
    return false;
  }
}

} // namespace gridspan
