//===- IrOpcodes.h - PTX opcodes of IR instructions -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The back end and ptxas say exactly what a kernel is made of, and are too slow
// to be asked in every compilation. This names the PTX opcodes that the back
// end will choose, for the same table of machine instructions (PtxOpcodes.def).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_MACHINE_IROPCODES_H
#define GRIDSPAN_ANALYSIS_MACHINE_IROPCODES_H

#include "analysis/ptx/PtxOpcodes.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace llvm {
class Instruction;
} // namespace llvm

namespace gridspan {

/// Returns the opcodes of I, those of vectors once for each element. None for
/// instructions that join others; for addresses, which depend on their context;
/// and for accesses of global and shared memory.
llvm::SmallVector<std::string, 2> opcodesOf(const llvm::Instruction &I);

/// Returns the machine instructions of the opcodes of I.
PipeCounts pipeCountsOf(const llvm::Instruction &I);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_MACHINE_IROPCODES_H
