//===- Options.h - Options of the plugin ------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Command line options that several passes read.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_COMMON_OPTIONS_H
#define GRIDSPAN_PASSES_COMMON_OPTIONS_H

#include "llvm/Support/CommandLine.h"

namespace gridspan {

/// -gridspan-split: clone kernels so that their grids can be split.
extern llvm::cl::opt<bool> SplitOption;
/// -gridspan-noalias: clone kernels for launches whose arguments do not
/// overlap.
extern llvm::cl::opt<bool> NoAliasOption;
/// -gridspan-cpu: carry the kernels for the CPU device as well.
extern llvm::cl::opt<bool> CpuOption;
/// -gridspan-cpu-noalias: with the clones for distinct arguments, in place of
/// which it runs the ordinary code otherwise.
extern llvm::cl::opt<bool> CpuNoAliasOption;
/// -gridspan-cpu-trace: with a variant that records every access.
extern llvm::cl::opt<bool> CpuTraceOption;
/// -gridspan-cpu-avx512: with code for processors that have it, too.
extern llvm::cl::opt<bool> CpuAvx512Option;
/// -gridspan-cpu-limit: instructions of the kernels of a file that are
/// optimized for CPU devices.
extern llvm::cl::opt<unsigned> CpuLimitOption;
/// -gridspan-cpu-wide-limit: instructions up to which all code that calculates
/// with floating point is there for wider vectors too.
extern llvm::cl::opt<unsigned> CpuWideLimitOption;

/// What is done with arrays of records.
enum class LayoutUse {
  Keep,  ///< nothing
  Apply, ///< they are kept in another form wherever kernels gain
  Auto,  ///< the same, where launches save what it takes
};

/// -gridspan-layout: what becomes of arrays of records.
extern llvm::cl::opt<LayoutUse> LayoutOption;

} // namespace gridspan

#endif // GRIDSPAN_PASSES_COMMON_OPTIONS_H
