//===- Kernels.h - The kernels of a device module ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the kernels of a device module, the functions that they reach, and
// where the user wrote an instruction. Everything is in a fixed order, so that
// what is made from it is too.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_KERNELS_H
#define GRIDSPAN_ANALYSIS_NVPTX_KERNELS_H

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace llvm {
class DILocation;
class Function;
class Instruction;
class Module;
} // namespace llvm

namespace gridspan {

/// True if F is a kernel: by calling convention or by nvvm.annotations.
bool isKernel(const llvm::Function &F);

/// Returns the kernels that M defines, in module order.
llvm::SmallVector<llvm::Function *, 8> kernelsOf(llvm::Module &M);

/// Returns Kernel and all functions with a body that it reaches by direct
/// calls, in a fixed order, callers first.
llvm::SetVector<const llvm::Function *>
reachableFunctions(const llvm::Function &Kernel);

/// Returns true if the intrinsic of that number reads how many threads a block
/// has, or how many blocks there are, along an axis.
bool readsLaunchSize(unsigned ID);

/// Returns the architecture that F is compiled for ("sm_90"), or "" if it does
/// not say.
llvm::StringRef architectureOf(const llvm::Function &F);

/// Returns the location of I in the function that it was inlined into last,
/// which the user wrote, rather than in a header; null without debug
/// information.
const llvm::DILocation *userLocation(const llvm::Instruction &I);

/// Returns userLocation as "file:line:col", or "".
std::string sourceLocation(const llvm::Instruction &I);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_KERNELS_H
