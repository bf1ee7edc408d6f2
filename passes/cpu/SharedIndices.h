//===- SharedIndices.h - Indices into shared memory that wrap ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device's addresses of shared memory have 32 bits, and nvcc computes them in
// 32 bits. So `end[~i]` with an unsigned i is the element that is i + 1 before
// the end, although the index is about 2^32. On the host, whose addresses have
// 64 bits, it would be 16 GiB behind.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_SHAREDINDICES_H
#define GRIDSPAN_PASSES_CPU_SHAREDINDICES_H

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Makes those unsigned indices into shared memory signed that are computed by
/// subtraction and the like, and so may stand for a negative number. To be
/// called while shared variables are still variables.
void signSharedIndices(llvm::Function &F);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_SHAREDINDICES_H
