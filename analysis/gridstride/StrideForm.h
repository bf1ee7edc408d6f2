//===- StrideForm.h - The form of grid-stride loops -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognises the loops of GridStride.h by their form, and looks them up by loop
// and by instruction.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_GRIDSTRIDE_STRIDEFORM_H
#define GRIDSPAN_ANALYSIS_GRIDSTRIDE_STRIDEFORM_H

#include "analysis/gridstride/GridStride.h"
#include <optional>

namespace llvm {
class LoopInfo;
class ScalarEvolution;
} // namespace llvm

namespace gridspan {

class AtomTable;

/// A reason to leave a loop as it is and, if there is one, the instruction to
/// blame.
struct StrideObstacle {
  StrideRefusalKind Kind;
  const llvm::Instruction *Where = nullptr;
};
/// The obstacle, if there is one.
using StrideVerdict = std::optional<StrideObstacle>;

/// A loop with an index that moves with the size of the grid. Loop is complete
/// if nothing of the form is missing.
struct StrideMatch {
  GridStrideLoop Loop;
  StrideVerdict Missing;
};

std::optional<StrideMatch> matchGridStride(const llvm::Loop *L,
                                           AtomTable &Atoms);

/// Gives the indices of Loops atoms: one to loops whose indices go through the
/// same values.
void numberIndices(llvm::ArrayRef<GridStrideLoop> Loops,
                   llvm::ScalarEvolution &SE, AtomTable &Atoms);

/// Returns the one that is L, or null.
const GridStrideLoop *findStrideLoop(llvm::ArrayRef<GridStrideLoop> Loops,
                                     const llvm::Loop *L);
/// Returns the outermost of them around I, or null.
const llvm::Loop *outermostStrideLoop(llvm::ArrayRef<GridStrideLoop> Loops,
                                      const llvm::LoopInfo &LI,
                                      const llvm::Instruction &I);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_GRIDSTRIDE_STRIDEFORM_H
