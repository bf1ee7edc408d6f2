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
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace gridspan {

int64_t canonical(unsigned Width, int64_t Value) {
  return Width == 64 ? Value : SignExtend64(Value, Width);
}

std::optional<int64_t> foldBinary(ExprKind Kind, unsigned Width, int64_t LHS,
                                  int64_t RHS) {
  const uint64_t Ones = maskTrailingOnes<uint64_t>(Width);
  const int64_t L = canonical(Width, LHS), R = canonical(Width, RHS);
  const uint64_t UL = uint64_t(L) & Ones, UR = uint64_t(R) & Ones;
  const bool DivisionTraps = R == 0;
  const bool SignedDivisionTraps =
      DivisionTraps || (R == -1 && L == minIntN(Width));
  const bool IsShiftedOut = UR >= Width;
  auto Of = [&](uint64_t V) { return canonical(Width, int64_t(V)); };
  switch (Kind) {
  case ExprKind::Add:
    return Of(UL + UR);
  case ExprKind::Sub:
    return Of(UL - UR);
  case ExprKind::Mul:
    return Of(UL * UR);
  case ExprKind::UDiv:
    if (DivisionTraps)
      return std::nullopt;
    return Of(UL / UR);
  case ExprKind::SDiv:
    if (SignedDivisionTraps)
      return std::nullopt;
    return L / R;
  case ExprKind::URem:
    if (DivisionTraps)
      return std::nullopt;
    return Of(UL % UR);
  case ExprKind::SRem:
    if (SignedDivisionTraps)
      return std::nullopt;
    return L % R;
  case ExprKind::Shl:
    if (IsShiftedOut)
      return std::nullopt;
    return Of(UL << UR);
  case ExprKind::LShr:
    if (IsShiftedOut)
      return std::nullopt;
    return Of(UL >> UR);
  case ExprKind::AShr:
    if (IsShiftedOut)
      return std::nullopt;
    return L >> UR;
  case ExprKind::And:
    return L & R;
  case ExprKind::Or:
    return L | R;
  case ExprKind::Xor:
    return L ^ R;
  case ExprKind::UMin:
    return UL < UR ? L : R;
  case ExprKind::UMax:
    return UL > UR ? L : R;
  case ExprKind::SMin:
    return std::min(L, R);
  case ExprKind::SMax:
    return std::max(L, R);
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
