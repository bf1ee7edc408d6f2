//===- CpuGlobals.h - Device variables on the CPU ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every CPU device has its own copy of a module's variables, and every block
// its own copy of the shared ones. So a variable becomes an offset from an
// address that the block knows.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUGLOBALS_H
#define GRIDSPAN_PASSES_CPU_CPUGLOBALS_H

#include "passes/cpu/CpuLowering.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// The functions that a kernel can reach, itself included.
using ReachedFunctions = llvm::SetVector<llvm::Function *>;

/// Replaces the uses of shared variables in functions with thread parameters by
/// addresses in the block's memory. Returns the number of bytes that each
/// kernel needs there: for the variables that it reaches, directly or through
/// functions. A variable has one place in all kernels; those that no kernel
/// reaches both of may overlap.
llvm::MapVector<llvm::Function *, uint64_t> lowerSharedVariables(
    llvm::Module &M,
    const llvm::MapVector<llvm::Function *, ReachedFunctions> &Reached);

/// Moves all variables that a device can change, or that hold addresses of such
/// variables, into one image, and replaces their uses. Constants stay as they
/// are.
void lowerDeviceVariables(llvm::Module &M, CpuModuleCode &Code);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUGLOBALS_H
