//===- Polynomial.h - Polynomials as instructions ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What functions of floats are computed with, in double precision.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_ARITHMETIC_POLYNOMIAL_H
#define GRIDSPAN_PASSES_CPU_ARITHMETIC_POLYNOMIAL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"

namespace gridspan {

/// Returns the polynomial of the double X with these coefficients, at least
/// two, the constant first.
llvm::Value *emitPolynomial(llvm::Value *X, llvm::ArrayRef<double> Coefficients,
                            llvm::IRBuilder<> &B);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_ARITHMETIC_POLYNOMIAL_H
