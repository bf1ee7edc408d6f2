//===- FormedClone.h - Kernels for records in other forms -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the variant of a kernel that finds arrays of records as an array for
// each field.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_CLONES_FORMEDCLONE_H
#define GRIDSPAN_PASSES_DEVICE_CLONES_FORMEDCLONE_H

#include "analysis/summary/KernelSummary.h"
#include "passes/device/clones/KernelDeclarer.h"
#include "llvm/IR/PassManager.h"

namespace gridspan {

/// Returns a clone of Kernel that accesses what is behind each of its pointers
/// with a form (PointerSummary::Form) where that says. It has one more
/// parameter: `ptr byval` of an array of GridspanFormed, one for each of these
/// pointers, in order. Its launch properties are the original's. Precondition:
/// chooseForms() chose the forms, for Kernel as it is.
llvm::Function &cloneForForms(llvm::Function &Kernel,
                              llvm::ArrayRef<PointerSummary> Pointers,
                              KernelDeclarer &Declarer,
                              llvm::FunctionAnalysisManager &FAM);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_CLONES_FORMEDCLONE_H
