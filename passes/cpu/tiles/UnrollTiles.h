//===- UnrollTiles.h - Loops over the threads of a tile ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over the threads of a tile must stay a loop until LLVM's vectorizer
// has seen it, although its few turns are known. Then it is unrolled, vectors
// or not: what threads keep is found at constant places of arrays then, and
// goes into registers.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_TILES_UNROLLTILES_H
#define GRIDSPAN_PASSES_CPU_TILES_UNROLLTILES_H

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class MDNode;
} // namespace llvm

namespace gridspan {

/// Returns the metadata of a loop over the threads of a tile. Accesses of the
/// group, if it is not null, are parallel.
llvm::MDNode *tileLoopId(llvm::LLVMContext &Context, llvm::MDNode *Group);

/// Asks for the unrolling of such loops; to be run in front of the vectorizer.
class UnrollTilesPass : public llvm::PassInfoMixin<UnrollTilesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
  static bool isRequired() { return true; }
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_TILES_UNROLLTILES_H
