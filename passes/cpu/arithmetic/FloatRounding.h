//===- FloatRounding.h - Products and sums rounded otherwise ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounds down, up or toward zero without the host's rounding mode, so that
// loops over threads with such operations are vectorized. CUDA's expf has one.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_ARITHMETIC_FLOATROUNDING_H
#define GRIDSPAN_PASSES_CPU_ARITHMETIC_FLOATROUNDING_H

#include "gridspan/CpuCodes.h"
#include "llvm/IR/IRBuilder.h"

namespace gridspan {

/// Returns A * B + C of floats, rounded once by Mode, which is not to nearest.
llvm::Value *emitRoundedFma(Rounding Mode, llvm::Value *A, llvm::Value *B,
                            llvm::Value *C, llvm::IRBuilder<> &Builder);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_ARITHMETIC_FLOATROUNDING_H
