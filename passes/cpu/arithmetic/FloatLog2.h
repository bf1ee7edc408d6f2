//===- FloatLog2.h - Binary logarithms as instructions ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instruction lg2.approx without a call, so that loops over threads with it
// are vectorized: it is the heart of CUDA's __logf, __log2f and __powf.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_ARITHMETIC_FLOATLOG2_H
#define GRIDSPAN_PASSES_CPU_ARITHMETIC_FLOATLOG2_H

#include "llvm/IR/IRBuilder.h"

namespace gridspan {

/// Returns the binary logarithm of the float X, within 0.52 units in the last
/// place; exactly for powers of two.
llvm::Value *emitLog2(llvm::Value *X, llvm::IRBuilder<> &B);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_ARITHMETIC_FLOATLOG2_H
