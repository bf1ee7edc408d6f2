//===- CpuMatrix.h - Products of matrices on the CPU ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers the instructions of tensor cores that CUDA's nvcuda::wmma becomes.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUMATRIX_H
#define GRIDSPAN_PASSES_CPU_CPUMATRIX_H

#include "passes/cpu/CpuContext.h"

namespace gridspan {

/// Lowers llvm.nvvm.wmma.*; Name comes without "llvm.nvvm.".
Lowered lowerMatrix(llvm::CallInst &Call, llvm::StringRef Name, CpuContext &C);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUMATRIX_H
