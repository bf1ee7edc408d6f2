//===- GridStrideRewrite.h - Contiguous tiles of strided loops --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives each tile of a grid contiguous iterations of the loops that stride over
// the grid, so that its memory is contiguous, too.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_GRIDSTRIDEREWRITE_H
#define GRIDSPAN_PASSES_DEVICE_GRIDSTRIDEREWRITE_H

#include "analysis/gridstride/GridStride.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Rewrites the loops of Found.Loops in Kernel, whose analyses are those that
/// it was found with; they are invalidated. The kernel then reads what tile it
/// is through the functions of TilePosition.h.
void repartition(llvm::Function &Kernel, const GridStrideResult &Found,
                 llvm::FunctionAnalysisManager &FAM);

/// Implements gridspan-repartition, which rewrites the loops of every kernel in
/// place. For tests: the device pass does it to the body of the clone only.
class GridStrideRewritePass
    : public llvm::PassInfoMixin<GridStrideRewritePass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_GRIDSTRIDEREWRITE_H
