//===- PtxJoin.h - Instructions that ptxas joins ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PtxOpcodes.def gives the machine instructions of each PTX instruction alone.
// Here those go that ptxas does without, as it knows more than one instruction:
//
//   - halves of 64-bit values that are known to be zero are not computed: those
//     of an unsigned 32-bit index that was extended, and of values made of it;
//   - a product or shift that is only added to something is one IMAD, LEA or
//     IMAD.WIDE with the sum, and an extension of sign is part of that sum;
//   - addresses that are computed in uniform registers are moved;
//   - sums of three are one IADD3, logic of three one LOP3, and a comparison
//     takes a second predicate along.
//
// Source: disassemblies of ptxas 13.0 for sm_90. All rules look at operands and
// users only.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_MACHINE_PTXJOIN_H
#define GRIDSPAN_ANALYSIS_MACHINE_PTXJOIN_H

#include "analysis/machine/PtxCode.h"

namespace gridspan {

/// Reduces the counts and steps of instructions in Kernel, whose registers are
/// numbered below NumRegisters.
void joinInstructions(PtxKernel &Kernel, unsigned NumRegisters);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_MACHINE_PTXJOIN_H
