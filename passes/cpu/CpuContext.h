//===- CpuContext.h - State of lowering an instruction ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the CPU every device function has four more parameters in front: the
// GridspanCpuBlock and the thread's index in it. So a thread needs no storage
// of its own, a loop over threads is a loop over these numbers, and calls
// through function pointers work because every callee agrees.
//
// A lowering rule is a function from a call to the value that replaces it. It
// returns std::nullopt for calls that it does not cover and null for a call
// without a result.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUCONTEXT_H
#define GRIDSPAN_PASSES_CPU_CPUCONTEXT_H

#include "passes/common/CpuNames.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <optional>

namespace gridspan {

using Lowered = std::optional<llvm::Value *>;

/// The point where code is emitted, and the thread that runs it.
class CpuContext {
public:
  explicit CpuContext(llvm::Function &F) : F(F), B(F.getContext()) {}

  llvm::Value *block() const { return F.getArg(0); }
  llvm::Value *tid(unsigned Axis) const { return F.getArg(1 + Axis); }
  /// Returns the index of the thread in its block, x fastest.
  llvm::Value *linearThread();
  /// Loads the field of GridspanCpuBlock at an offset; it is a pointer or a
  /// 32-bit number in [Lo, Hi), and never changes while a thread runs.
  llvm::Value *pointerField(uint64_t Offset);
  llvm::Value *numberField(uint64_t Offset, uint64_t Lo = 0, uint64_t Hi = 0);
  /// Calls __gridspan_cpu_<Name>.
  llvm::CallInst *call(const llvm::Twine &Name, llvm::Type *Result,
                       llvm::ArrayRef<llvm::Value *> Args);
  /// Calls it with the block as first argument.
  llvm::CallInst *callWithBlock(const llvm::Twine &Name, llvm::Type *Result,
                                llvm::ArrayRef<llvm::Value *> Args);

  llvm::Type *i32() { return B.getInt32Ty(); }
  llvm::Type *i64() { return B.getInt64Ty(); }
  llvm::Module &module() { return *F.getParent(); }

  llvm::Function &F;
  llvm::IRBuilder<> B;
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUCONTEXT_H
