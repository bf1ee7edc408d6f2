//===- CpuQuickCode.h - Code that is compiled quickly -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that are not optimized still take LLVM's code generator longer than
// their size tells, if they are unlike what front ends make at -O0.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUQUICKCODE_H
#define GRIDSPAN_PASSES_CPU_CPUQUICKCODE_H

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Keeps optimizers away from F, and F out of its callers.
void leaveUnoptimized(llvm::Function &F);

/// Gives F, which is not optimized, a form that is compiled in linear time. It
/// does the same as before.
void makeQuickToCompile(llvm::Function &F);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUQUICKCODE_H
