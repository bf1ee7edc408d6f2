//===- GlobalArguments.h - Arguments point to global memory -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers that a kernel of CUDA is given lead to global memory. The NVPTX back
// end says so in the IR before it joins accesses (NVPTXLowerArgs), which lets
// stores to shared memory pass loads from there.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_GLOBALARGUMENTS_H
#define GRIDSPAN_ANALYSIS_NVPTX_GLOBALARGUMENTS_H

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Passes pointer arguments, and pointers that are loaded from arguments passed
/// by value, through the address space of global memory.
void markArgumentsGlobal(llvm::Function &Kernel);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_GLOBALARGUMENTS_H
