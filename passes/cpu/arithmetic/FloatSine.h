//===- FloatSine.h - Sines and cosines as instructions ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions sin.approx and cos.approx without a call, so that loops over
// threads with CUDA's __sinf, __cosf and __tanf are vectorized.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_ARITHMETIC_FLOATSINE_H
#define GRIDSPAN_PASSES_CPU_ARITHMETIC_FLOATSINE_H

#include "llvm/IR/IRBuilder.h"

namespace gridspan {

/// Returns the sine, or cosine, of the float X. The error is below 2^-24 if X
/// is below 2^26, and grows with X from there. The result is a number between
/// -1 and 1 of all that are finite.
llvm::Value *emitSine(llvm::Value *X, bool IsCosine, llvm::IRBuilder<> &B);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_ARITHMETIC_FLOATSINE_H
