//===- StridedLoop.h - Loops in steps of a block of threads -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop such as `for (i = threadIdx.x; i < n; i += blockDim.x)`: threads may
// take different numbers of turns, so that no barrier may be in it. This makes
// it a loop in which all threads take the same turns.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_REGIONS_STRIDEDLOOP_H
#define GRIDSPAN_PASSES_CPU_REGIONS_STRIDEDLOOP_H

#include "llvm/IR/InstrTypes.h"
#include <optional>

namespace llvm {
class Argument;
class Loop;
class PHINode;
} // namespace llvm

namespace gridspan {

class Uniformity;

/// A loop with a preheader and one exit that begins if, and goes on while,
/// `Index Predicate Limit`. Index begins at threadIdx.x plus something that is
/// the same for the block, and grows by Step; Step and Limit are the same, too.
class StridedLoop {
public:
  /// Returns L as such a loop if it is one. Changes nothing.
  static std::optional<StridedLoop> find(llvm::Loop &L, Uniformity &Uniform,
                                         llvm::Argument &TidX);

  /// Makes it loops that all threads pass together, with a barrier in each
  /// turn. Analyses of the function are no longer valid then.
  void passTogether();

  /// A step from the first index to threadIdx.x: an extension, or something
  /// that is the same for the block and is added.
  struct WayStep {
    llvm::CastInst *Cast;
    llvm::Value *Uniform;
  };

private:
  friend class StridedLoopRewriter;

  llvm::SmallVector<llvm::BasicBlock *> Blocks; ///< the header first
  /// What the preheader can compute only if the loop has a turn.
  llvm::SmallVector<llvm::Instruction *> Late;
  llvm::BasicBlock *Guard = nullptr; ///< in front of the preheader
  llvm::BasicBlock *Preheader = nullptr, *Latch = nullptr, *Exit = nullptr;
  llvm::PHINode *Index = nullptr;
  llvm::Value *Start = nullptr, *Step = nullptr, *Limit = nullptr;
  llvm::CmpInst::Predicate Predicate = llvm::CmpInst::BAD_ICMP_PREDICATE;
  llvm::SmallVector<WayStep, 4> Way; ///< from Start on
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_STRIDEDLOOP_H
