//===- RowValues.h - Values of the threads of a row -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be said in front of a row of threads about a value that they
// compute: whether it can be computed there, and how it grows along the row.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_REGIONS_ROWVALUES_H
#define GRIDSPAN_PASSES_CPU_REGIONS_ROWVALUES_H

namespace llvm {
class Argument;
class Value;
} // namespace llvm

namespace gridspan {

/// Returns true if V can be computed outside of the kernel: from its
/// parameters, without memory that the kernel may change.
bool isComputableOutside(const llvm::Value *V);

/// Returns true if V, which can be computed outside, is computed from Thread.
bool dependsOn(const llvm::Value *V, const llvm::Argument *Thread);

/// Returns true if V is Thread, which is never negative, plus something that is
/// the same in the row. MayBeFrozen: also if that is frozen.
bool isIndex(const llvm::Value *V, const llvm::Argument *Thread,
             bool MayBeFrozen = false);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_ROWVALUES_H
