//===- CpuWideCode.h - Code for processors with AVX2 ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's host code twice: for the processors that the program is built for,
// and for those of x86-64-v3, with vectors of 256 bits and an instruction for
// llvm.fma, which is a call of the C library elsewhere. Which one runs is
// decided when it does. Both compute the same, bit by bit.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUWIDECODE_H
#define GRIDSPAN_PASSES_CPU_CPUWIDECODE_H

#include "llvm/IR/Module.h"

namespace gridspan {

/// Returns true if Host is for x86-64 and says that its processors need not
/// have such vectors.
bool mayHaveWideCode(const llvm::Module &Host);

/// Returns true if F calculates with floating point.
bool profitsFromWideCode(const llvm::Function &F);

/// Takes away what lets the two codes round differently.
void forbidContraction(llvm::Module &M);

/// Returns a function of the type and name of Run that calls either it or a
/// copy of it, which is a definition in the same module.
llvm::Function *chooseByProcessor(llvm::Function &Run);

/// Gives the copies that chooseByProcessor() has made their processor.
void targetWideCode(llvm::Module &M);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUWIDECODE_H
