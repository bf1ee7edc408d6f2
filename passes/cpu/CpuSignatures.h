//===- CpuSignatures.h - Thread parameters for device code ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives every function of a device module the parameters of CpuContext.h and a
// name of its own, and hands them on in every call between such functions.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUSIGNATURES_H
#define GRIDSPAN_PASSES_CPU_CPUSIGNATURES_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallInst;
class Function;
class Module;
class Value;
} // namespace llvm

namespace gridspan {

/// Replaces all function definitions of M; returns the replacements of Kernels,
/// in their order. Attributes that are true of device code only are dropped.
llvm::SmallVector<llvm::Function *>
addThreadParameters(llvm::Module &M, llvm::ArrayRef<llvm::Function *> Kernels);

/// Returns a call of Callee, a function with thread parameters, that replaces
/// Call and hands on the caller's own.
llvm::CallInst *callWithThread(llvm::CallInst &Call, llvm::Value *Callee);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUSIGNATURES_H
