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

/// Reads a special register by its PTX name without the %, such as "tid.x";
/// null when the CPU device has no such register. CpuRegisters.cpp.
llvm::Value *readRegister(llvm::StringRef Register, CpuContext &C);

/// Returns the mask of the lanes that are at the same point of the code now.
/// Points are told apart by a number and by the address of the call, which must
/// not be merged with another.
llvm::Value *emitActiveMask(CpuContext &C);

/// Lowers barriers, warp operations, waiting, ending a thread. CpuSync.cpp.
Lowered lowerSync(llvm::CallInst &Call, llvm::StringRef Name, CpuContext &C);

/// Lowers loads through caches, questions about address spaces, atomics, fences
/// and asynchronous copies. CpuMemory.cpp.
Lowered lowerMemory(llvm::CallInst &Call, llvm::StringRef Name, CpuContext &C);

/// Lowers arithmetic with a rounding mode, minima, approximations and integer
/// operations. CpuMath.cpp.
Lowered lowerMath(llvm::CallInst &Call, llvm::StringRef Name, CpuContext &C);

/// Lowers conversions between numbers. CpuConvert.cpp.
Lowered lowerConversion(llvm::CallInst &Call, llvm::StringRef Name,
                        CpuContext &C);

/// Lowers functions that are outside the device module: vprintf, malloc,
/// assertions. CpuLibrary.cpp.
Lowered lowerLibrary(llvm::CallInst &Call, llvm::StringRef Name, CpuContext &C);

/// Lowers inline assembly. CpuAsm.cpp.
Lowered lowerAsm(llvm::CallInst &Call, CpuContext &C);

/// Lowers instructions that mean something else on the host: conversions that
/// saturate, divisions that do not trap, scopes. CpuInstructions.cpp. Returns
/// true if I was replaced and erased.
bool lowerInstruction(llvm::Instruction &I, CpuContext &C);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPURULES_H
