//===- FloatExp2.h - Powers of two as instructions --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instruction ex2.approx without a call, so that loops over threads with it
// are vectorized: it is the heart of CUDA's expf, powf and tanhf.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_ARITHMETIC_FLOATEXP2_H
#define GRIDSPAN_PASSES_CPU_ARITHMETIC_FLOATEXP2_H

#include "llvm/IR/IRBuilder.h"

namespace gridspan {

/// Returns two to the power of the float X, within 0.55 units in the last
/// place; exactly for integers. FlushesSubnormals: a subnormal result is 0.
llvm::Value *emitExp2(llvm::Value *X, bool FlushesSubnormals,
                      llvm::IRBuilder<> &B);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_ARITHMETIC_FLOATEXP2_H
