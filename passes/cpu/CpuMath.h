//===- CpuMath.h - Arithmetic of devices on the CPU -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that intrinsics and inline assembly have in common.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUMATH_H
#define GRIDSPAN_PASSES_CPU_CPUMATH_H

#include "gridspan/CpuCodes.h"
#include "passes/cpu/CpuContext.h"

namespace gridspan {

/// Returns the rounding of rn, rz, rm, rp, and of the same with an i for
/// rounding to an integer.
std::optional<Rounding> parseRounding(llvm::StringRef Name);

/// Returns V, or zero of its sign when it is a subnormal float.
llvm::Value *flushSubnormal(llvm::Value *V, CpuContext &C);

/// Emits add, sub, mul, div, rcp, sqrt or fma with a rounding; null for others.
llvm::Value *emitRounded(llvm::StringRef Operation, Rounding Mode,
                         llvm::ArrayRef<llvm::Value *> Args, CpuContext &C);

/// Emits sin, cos, ex2, lg2, sqrt, rsqrt, rcp or tanh; null for others.
llvm::Value *emitApproximation(llvm::StringRef Operation, llvm::Value *V,
                               CpuContext &C);

/// Returns V clamped to [0, 1]; 0 for NaN.
llvm::Value *emitSaturated(llvm::Value *V, CpuContext &C);

/// Returns V, or zero where V is negative, or the NaN that devices make.
llvm::Value *emitRelu(llvm::Value *V, CpuContext &C);

/// Returns V, of 16 bits, or the largest finite number of its sign where it is
/// infinite, or the NaN that devices make.
llvm::Value *emitFinite(llvm::Value *V, CpuContext &C);

llvm::Value *emitMinMax(bool IsMin, bool PropagateNan, bool XorSign,
                        llvm::Value *L, llvm::Value *R, CpuContext &C);

/// Returns the upper half of the product.
llvm::Value *emitMulHigh(llvm::Value *L, llvm::Value *R, bool Signed,
                         CpuContext &C);

/// Returns |L - R| + Addend.
llvm::Value *emitAbsDifference(llvm::Value *L, llvm::Value *R,
                               llvm::Value *Addend, bool Signed, CpuContext &C);

/// Returns the sum of Sum and the products of 4 bytes of L and R, or of 2
/// halves of L and the 2 low or high bytes of R.
llvm::Value *emitDotProduct(unsigned Terms, bool SignedL, bool SignedR,
                            bool High, llvm::Value *L, llvm::Value *R,
                            llvm::Value *Sum, CpuContext &C);

/// Converts floating point to an integer: saturating, NaN to 0.
llvm::Value *emitToInteger(llvm::Value *V, Rounding Mode, bool Signed,
                           llvm::Type *To, CpuContext &C);

/// Converts an integer to floating point.
llvm::Value *emitFromInteger(llvm::Value *V, Rounding Mode, bool Signed,
                             llvm::Type *To, CpuContext &C);

/// Converts a floating point number to a narrower one.
llvm::Value *emitNarrow(llvm::Value *V, Rounding Mode, llvm::Type *To,
                        CpuContext &C);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUMATH_H
