//===- SteppedIndex.h - Indices that all lanes step alike -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognises indices whose values are not known but whose distances between the
// lanes of a warp are: those of hash tables that probe onwards, for example.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_SYMBOLIC_STEPPEDINDEX_H
#define GRIDSPAN_ANALYSIS_SYMBOLIC_STEPPEDINDEX_H

namespace llvm {
class LoopInfo;
class Value;
} // namespace llvm

namespace gridspan {

/// Returns the value with which Index begins, if a loop carries Index on by
/// steps that are the same in all threads of a block. A condition may add one.
/// Null if not.
const llvm::Value *startOfSteppedIndex(const llvm::Value *Index,
                                       const llvm::LoopInfo &LI);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_SYMBOLIC_STEPPEDINDEX_H
