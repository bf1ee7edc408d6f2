//===- Quotients.h - Indices that are divided -------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that finds its row and column by `i / n` and `i % n` has the same
// row in most tiles of threads. Where that is asked first, the quotient is the
// same for all threads of the tile, and the remainder grows by 1.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_TILES_QUOTIENTS_H
#define GRIDSPAN_PASSES_CPU_TILES_QUOTIENTS_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace gridspan {

/// A quotient of whole numbers, computed as doubles (CpuDivision.h): of an
/// index that grows by 1 with the thread's number, and a number that does not.
struct Quotient {
  llvm::Instruction *Result;
  llvm::Value *Index;
  /// What replaces a divisor that traps for some index, if anything does.
  llvm::Instruction *Divisor;
  bool IsSigned;
};

/// Finds those of a kernel with thread parameters that can be computed in front
/// of it. Changes nothing.
llvm::SmallVector<Quotient> findQuotients(llvm::Function &Row);

/// Emits whether each quotient is the same for the threads from 0 to Last.
/// Parameters has the values of Row's but of threadIdx.x.
llvm::Value *emitAreSame(llvm::ArrayRef<Quotient> Quotients,
                         llvm::Function &Row,
                         const llvm::ValueToValueMapTy &Parameters,
                         unsigned Last, llvm::IRBuilder<> &B);

/// Makes all threads compute thread 0's quotients, and their divisors.
void shareQuotients(llvm::ArrayRef<Quotient> Quotients, llvm::Function &Row);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_TILES_QUOTIENTS_H
