//===- ParameterCopies.h - By-value parameters of threads -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A by-value parameter is the same memory for all threads of a loop over them,
// but each of them has one of its own that it may change.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_REGIONS_PARAMETERCOPIES_H
#define GRIDSPAN_PASSES_CPU_REGIONS_PARAMETERCOPIES_H

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Gives the thread that runs F a copy of each by-value parameter that it may
/// change. Parameters that are only read stay as they are.
void copyChangedParameters(llvm::Function &F);

/// Makes by-value parameters pointers that all threads share.
/// Precondition: copyChangedParameters(F).
void shareParameters(llvm::Function &F);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_PARAMETERCOPIES_H
