//===- SmallFloat.h - Floating point numbers of eight bits ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions from and to E4M3 and E5M2, for which LLVM has no types: integer
// arithmetic on the bits of a float, without branches, so that loops of them
// can be vectorized. Both round to the nearest, ties to even, and saturate.
//
// Sources: Micikevicius et al., "FP8 Formats for Deep Learning", 2022; PTX ISA
// 9.0, cvt.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_ARITHMETIC_SMALLFLOAT_H
#define GRIDSPAN_PASSES_CPU_ARITHMETIC_SMALLFLOAT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"

namespace gridspan {

struct SmallFloat {
  llvm::StringLiteral Name;
  unsigned FractionBits;
  unsigned Bias;
  uint8_t Largest;  ///< the largest finite number
  bool HasInfinity; ///< above it; then come those that are NaN
};

/// Returns the format that PTX calls Name, such as e4m3; null if it is neither.
const SmallFloat *findSmallFloat(llvm::StringRef Name);

/// Returns V, a float, as a byte. NaN is 0x7f; larger numbers than the largest
/// finite one, with infinity, become that.
llvm::Value *emitToSmallFloat(llvm::Value *V, const SmallFloat &To,
                              llvm::IRBuilder<> &B);

/// Returns V, a byte, as a half, which is exact.
llvm::Value *emitFromSmallFloat(llvm::Value *V, const SmallFloat &From,
                                llvm::IRBuilder<> &B);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_ARITHMETIC_SMALLFLOAT_H
