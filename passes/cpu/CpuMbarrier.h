//===- CpuMbarrier.h - Barriers in shared memory ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits calls of the runtime for the operations on mbarriers, which come as
// intrinsics and as inline assembly. Barrier is the address of the word.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUMBARRIER_H
#define GRIDSPAN_PASSES_CPU_CPUMBARRIER_H

#include "passes/cpu/CpuContext.h"

namespace gridspan {

/// Makes the word a barrier for Count arrivals in each phase.
void emitMbarrierInit(llvm::Value *Barrier, llvm::Value *Count, CpuContext &C);

/// Arrives Count times, having added Bytes to those that the phase waits for;
/// if Drops, the next phases expect Count arrivals fewer. Returns the word as
/// it was before.
llvm::Value *emitMbarrierArrive(llvm::Value *Barrier, llvm::Value *Count,
                                llvm::Value *Bytes, bool Drops, CpuContext &C);

/// Arrives when the thread's copies are complete, which they are. The phase
/// counts this arrival already if IsExpected; else it makes no difference.
void emitMbarrierArriveOfCopies(llvm::Value *Barrier, bool IsExpected,
                                CpuContext &C);

/// Adds Bytes, which may be negative, to those that the phase waits for.
void emitMbarrierTransfer(llvm::Value *Barrier, llvm::Value *Bytes,
                          CpuContext &C);

/// Returns true if the phase is complete that Phase names: by its parity, or as
/// the word that an arrival in it returned. Lets other threads go on before it
/// returns false.
llvm::Value *emitMbarrierTest(llvm::Value *Barrier, llvm::Value *Phase,
                              bool ByParity, CpuContext &C);

/// Returns the arrivals that were missing when an arrival returned Word.
llvm::Value *emitMbarrierPending(llvm::Value *Word, CpuContext &C);

/// Lowers llvm.nvvm.mbarrier.* and cp.async.mbarrier.*; Name comes without
/// "llvm.nvvm.".
Lowered lowerMbarrier(llvm::CallInst &Call, llvm::StringRef Name,
                      CpuContext &C);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUMBARRIER_H
