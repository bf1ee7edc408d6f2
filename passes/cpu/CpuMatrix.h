//===- CpuMatrix.h - Products of matrices on the CPU ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers the instructions of tensor cores that CUDA's nvcuda::wmma becomes, and
// emits what mma.sync in inline assembly shares with them (CpuAsmMatrix.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUMATRIX_H
#define GRIDSPAN_PASSES_CPU_CPUMATRIX_H

#include "gridspan/MatrixProduct.h"
#include "passes/cpu/CpuContext.h"

namespace gridspan {

/// Lowers llvm.nvvm.wmma.*; Name comes without "llvm.nvvm.".
Lowered lowerMatrix(llvm::CallInst &Call, llvm::StringRef Name, CpuContext &C);

/// Returns the type of that name in PTX; nothing if matrices have no such.
std::optional<MatrixElement> matrixElement(llvm::StringRef Name);

/// Parses m<M>n<N>k<K>. Returns false if these are no sizes of matrices here.
bool parseMatrixShape(llvm::StringRef Name, MatrixProduct &Out);

/// Returns registers, which are of one type, as a vector of integers.
llvm::Value *joinMatrixRegisters(llvm::ArrayRef<llvm::Value *> Registers,
                                 llvm::IRBuilder<> &B);

/// Emits a product by the warp. Fragments are the lane's, of A, B and C.
/// Returns its fragment of D, as a value of type Result.
llvm::Value *emitMatrixProduct(const MatrixProduct &P,
                               llvm::ArrayRef<llvm::Value *> Fragments,
                               llvm::Type *Result, CpuContext &C);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUMATRIX_H
