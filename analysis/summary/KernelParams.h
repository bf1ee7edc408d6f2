//===- KernelParams.h - The parameters of a kernel --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts about a kernel that need no analysis: its name, the layout of its
// parameter buffer, its launch bounds and the pointers that it receives.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_SUMMARY_KERNELPARAMS_H
#define GRIDSPAN_ANALYSIS_SUMMARY_KERNELPARAMS_H

#include "analysis/summary/KernelSummary.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace llvm {
class Function;
class Use;
class Value;
} // namespace llvm

namespace gridspan {

/// Returns a summary with name, parameters and launch bounds only.
KernelSummary describeKernel(const llvm::Function &Kernel);

/// Returns every pointer that Kernel receives, as a parameter or in a struct,
/// with Replicable and Redirectable, but no modes yet.
std::vector<PointerSummary> pointersOf(const llvm::Function &Kernel);

/// Returns the values of the kernel that are P: the parameter, or loads of the
/// field. Empty if the struct is used for more than loads of its fields.
std::vector<const llvm::Value *> valuesOf(const llvm::Function &Kernel,
                                          const PointerSummary &P);

/// Returns true if the kernel uses P, one of its pointers or another value of
/// 64 bits, for nothing but what Accepts accepts, however it is moved, cast and
/// chosen on the way.
bool isUsedOnlyFor(const llvm::Function &Kernel, const PointerSummary &P,
                   llvm::function_ref<bool(const llvm::Use &)> Accepts);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_SUMMARY_KERNELPARAMS_H
