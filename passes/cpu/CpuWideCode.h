//===- CpuWideCode.h - Code for wider vectors -------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's host code several times: for the processors that the program is
// built for; for those of x86-64-v3, with vectors of 256 bits and an
// instruction for llvm.fma, which is a call of the C library elsewhere; and, if
// wanted, for those of x86-64-v4, with masks, twice the registers, and vectors
// of 512 bits. Which one runs is decided when it does. All compute the same,
// bit by bit.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUWIDECODE_H
#define GRIDSPAN_PASSES_CPU_CPUWIDECODE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace gridspan {

enum class VectorLevel : uint32_t; // CpuCodes.h

/// Returns the levels up to Most that processors of Host need not have, in
/// ascending order; none if Host is not for x86-64, or does not say.
llvm::SmallVector<VectorLevel, 2> wideLevels(const llvm::Module &Host,
                                             VectorLevel Most);

/// Takes away what lets the codes round differently.
void forbidContraction(llvm::Module &M);

/// Asks CpuWideCodePass for code of Run, which runs a kernel, for Levels.
void requestWideCode(llvm::Function &Run, llvm::ArrayRef<VectorLevel> Levels);

/// Makes what was asked for. Between simplification, which is the same for all
/// processors and so done once, and the vectorizer.
class CpuWideCodePass : public llvm::PassInfoMixin<CpuWideCodePass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static bool isRequired() { return true; }
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUWIDECODE_H
