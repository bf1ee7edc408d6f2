//===- StrideDependence.h - The dependences of an iteration -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves that a grid-stride loop is entered by all threads of its axis, and
// that its iterations are functions of their index alone (GridStride.cpp,
// obligations 2 to 4).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_GRIDSTRIDE_STRIDEDEPENDENCE_H
#define GRIDSPAN_ANALYSIS_GRIDSTRIDE_STRIDEDEPENDENCE_H

#include "analysis/gridstride/StrideForm.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace gridspan {

/// Knows which values differ between the threads along the axis of one loop.
class StrideDependence {
public:
  /// Loops are all those whose iterations may move, For is one of them; their
  /// indices have atoms in Atoms. All are held by reference.
  StrideDependence(const llvm::Function &F, const KernelAnalyses &A,
                   llvm::ArrayRef<GridStrideLoop> Loops,
                   const GridStrideLoop &For, AtomTable &Atoms);

  /// Obligation 2.
  StrideVerdict checkEntry();
  /// Obligations 3 and 4.
  StrideVerdict checkIteration() const;

private:
  bool isIndex(const llvm::Instruction &I) const;
  void findDependent();
  bool isOwnTest(const llvm::Value *Condition, bool Holds);
  bool isImplied(llvm::CmpInst::Predicate Pred, const llvm::Value *X,
                 const llvm::Value *Y);
  llvm::SmallVector<const llvm::BasicBlock *, 8>
  decidersOf(const llvm::BasicBlock *BB) const;

  const llvm::Function &F;
  const KernelAnalyses &A;
  llvm::ArrayRef<GridStrideLoop> Loops;
  const GridStrideLoop &G;
  AtomTable &Atoms;
  /// Values that differ between threads along the axis.
  llvm::SmallPtrSet<const llvm::Value *, 32> Dependent;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_GRIDSTRIDE_STRIDEDEPENDENCE_H
