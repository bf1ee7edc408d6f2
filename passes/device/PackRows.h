//===- PackRows.h - Kernels that read packed rows ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes kernels that read the rows of a matrix from where the runtime has
// packed the pieces that a tile needs.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_PACKROWS_H
#define GRIDSPAN_PASSES_DEVICE_PACKROWS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// The part of the packed clone's name before the suffix of clones.
inline constexpr char PackedKind[] = "__packed";

/// Returns an internal copy of Body that reads through the pointer parameters
/// Params where their GridspanPacking says. One more parameter: `ptr byval([N x
/// [5 x i64]]) align 8`, with one for each, in order. Precondition:
/// onlyLoadsOf() of each is not empty. FAM holds nothing of the copy
/// afterwards.
llvm::Function *packRows(llvm::Function &Body, llvm::ArrayRef<unsigned> Params,
                         llvm::FunctionAnalysisManager &FAM);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_PACKROWS_H
