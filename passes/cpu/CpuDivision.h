//===- CpuDivision.h - Integer division on the CPU --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Division never traps on devices. Where the host's could, numbers of up to 32
// bits are divided as doubles, and others by a call of a function that replaces
// the divisors in question.
//
// Not an integer division in place: the loop over the threads of a row is
// vectorized, and LLVM 19's vectorizer computes the address of a store that is
// the same for all lanes from lane 0. A division under a condition is not
// computed for a lane 0 that fails it, so that the store goes astray. A
// division of doubles, and a call that may be speculated, are moved out of the
// loop where they are the same for all. Where not, processors have instructions
// that divide vectors of doubles, but none for integers.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUDIVISION_H
#define GRIDSPAN_PASSES_CPU_CPUDIVISION_H

#include "passes/cpu/CpuContext.h"

namespace gridspan {

/// Returns L divided by R; Operation is UDiv, SDiv, URem or SRem. A divisor of
/// 0 gives some number; the least number divided by -1 is itself, with
/// remainder 0.
llvm::Value *emitDivision(llvm::Instruction::BinaryOps Operation,
                          llvm::Value *L, llvm::Value *R, CpuContext &C);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUDIVISION_H
