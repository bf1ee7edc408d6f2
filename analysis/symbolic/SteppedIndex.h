//===- SteppedIndex.h - Indices that all lanes step alike -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_SYMBOLIC_STEPPEDINDEX_H
#define GRIDSPAN_ANALYSIS_SYMBOLIC_STEPPEDINDEX_H

namespace llvm {
class LoopInfo;
class Value;
} // namespace llvm

namespace gridspan {

/// The value with which Index begins, if it is what a loop carries on by steps
/// that are the same in all threads of a block, but for a condition that adds
/// one. Null if not.
const llvm::Value *startOfSteppedIndex(const llvm::Value *Index,
                                       const llvm::LoopInfo &LI);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_SYMBOLIC_STEPPEDINDEX_H
