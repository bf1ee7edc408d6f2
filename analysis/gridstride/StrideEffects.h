//===- StrideEffects.h - Effects of an iteration ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells which effects an iteration of a grid-stride loop may have if other
// threads are to run it (GridStride.cpp, obligation 4).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_GRIDSTRIDE_STRIDEEFFECTS_H
#define GRIDSPAN_ANALYSIS_GRIDSTRIDE_STRIDEEFFECTS_H

#include "analysis/gridstride/GridStride.h"
#include "llvm/IR/Instructions.h"
#include <optional>

namespace gridspan {

/// Returns the operation of an atomic that gives the same memory in any order
/// and whose result nobody sees, or nothing.
std::optional<llvm::AtomicRMWInst::BinOp>
commutativeOperation(const llvm::Instruction &I);

/// Returns why an iteration may not contain I, whatever its operands are.
std::optional<StrideRefusalKind> effectObstacle(const llvm::Instruction &I);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_GRIDSTRIDE_STRIDEEFFECTS_H
