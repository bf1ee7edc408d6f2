//===- CpuRules.h - Lowering rules of device operations ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule emits code at C's insertion point for operations of one family, one
// source file each. Names of intrinsics come without "llvm.nvvm.".
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPURULES_H
#define GRIDSPAN_PASSES_CPU_CPURULES_H

#include "passes/cpu/CpuContext.h"

namespace gridspan {

/// A special register by its PTX name without the %, such as "tid.x"; null
/// when the CPU device has no such register. CpuRegisters.cpp.
llvm::Value *readRegister(llvm::StringRef Register, CpuContext &C);

/// The lanes that are at the same place now. Places are told apart by a number
/// and by the address of the call, which must not be merged with another.
llvm::Value *emitActiveMask(CpuContext &C);

/// Barriers, warp operations, waiting, ending a thread. CpuSync.cpp.
Lowered lowerSync(llvm::CallInst &Call, llvm::StringRef Name, CpuContext &C);

/// Loads through caches, address spaces, atomics, fences, asynchronous copies.
/// CpuMemory.cpp.
Lowered lowerMemory(llvm::CallInst &Call, llvm::StringRef Name, CpuContext &C);

/// Arithmetic with a rounding mode, minima, approximations, integer operations.
/// CpuMath.cpp.
Lowered lowerMath(llvm::CallInst &Call, llvm::StringRef Name, CpuContext &C);

/// Conversions between numbers. CpuConvert.cpp.
Lowered lowerConversion(llvm::CallInst &Call, llvm::StringRef Name,
                        CpuContext &C);

/// Functions that are outside the device module: vprintf, malloc, assertions.
/// CpuLibrary.cpp.
Lowered lowerLibrary(llvm::CallInst &Call, llvm::StringRef Name, CpuContext &C);

/// Inline assembly. CpuAsm.cpp.
Lowered lowerAsm(llvm::CallInst &Call, CpuContext &C);

/// Instructions that mean something else on the host: conversions that
/// saturate, divisions that do not trap, scopes. CpuInstructions.cpp. Returns
/// whether I was replaced and erased.
bool lowerInstruction(llvm::Instruction &I, CpuContext &C);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPURULES_H
