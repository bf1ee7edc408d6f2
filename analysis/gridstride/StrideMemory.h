//===- StrideMemory.h - Memory of iterations --------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells which memory the iterations of grid-stride loops access, and whether
// two of them meet there (GridStride.cpp, obligation 5).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_GRIDSTRIDE_STRIDEMEMORY_H
#define GRIDSPAN_ANALYSIS_GRIDSTRIDE_STRIDEMEMORY_H

#include "analysis/gridstride/StrideForm.h"
#include "analysis/nvptx/MemoryOps.h"
#include "analysis/symbolic/ExprBuilder.h"
#include "analysis/symbolic/IndexPolynomial.h"
#include <map>

namespace gridspan {

/// The accesses of a kernel through its parameters.
class StrideMemory {
public:
  /// A pointer of the parameters: parameter and byte offset in it.
  using Base = std::pair<unsigned, unsigned>;

  /// Atoms is held by reference; the functions below see the loops' indices as
  /// it numbers them then.
  StrideMemory(const llvm::Function &F, const KernelAnalyses &A,
               AtomTable &Atoms);

  /// Collects the accesses. Returns an obstacle if one of them is not through a
  /// known pointer. The other functions may be called if it has returned none.
  StrideVerdict collect();
  /// Returns the obstacle of each loop that accesses memory which iterations of
  /// Loops write and others access.
  std::map<const llvm::Loop *, StrideObstacle>
  conflicts(llvm::ArrayRef<GridStrideLoop> Loops);
  /// Pointers through which iterations access the same place of their buffers
  /// as one that is written.
  std::vector<Base> ownElements(llvm::ArrayRef<GridStrideLoop> Loops);

private:
  /// An access through a pointer of the parameters.
  struct Access {
    const llvm::Instruction *I;
    MemoryOp Op;
    StrideMemory::Base Base;
    const llvm::Value *Address;
  };

  StrideVerdict checkBase(llvm::ArrayRef<const Access *> Through);
  std::optional<int64_t> elementSize(const Access &X);
  bool isBelow(const llvm::PHINode &Index, Polynomial &Bound);
  Polynomial placeOf(const Access &X);

  const llvm::Function &F;
  const KernelAnalyses &A;
  AtomTable &Atoms;
  ExprGraph Graph;
  ExprBuilder Builder;
  std::vector<Access> Accesses;
  std::map<Base, std::vector<const Access *>> ByBase;
  bool IsComplete = false; ///< collect() has found no obstacle
  /// Loops whose iterations may move.
  llvm::ArrayRef<GridStrideLoop> Loops;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_GRIDSTRIDE_STRIDEMEMORY_H
