//===- PtxCode.h - Instructions of a kernel in PTX --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX is the last form before ptxas that keeps the blocks of the IR. Its
// instructions are counted as the machine instructions that ptxas makes of them
// (PtxOpcodes.def), by pipe, with the registers that they read and write.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_MACHINE_PTXCODE_H
#define GRIDSPAN_ANALYSIS_MACHINE_PTXCODE_H

#include "analysis/ptx/PtxOpcodes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace gridspan {

/// One instruction of PTX, counted in machine instructions.
struct PtxInstruction {
  enum KindType { Plain, Load, Store, Atomic, Barrier } Kind = Plain;
  enum SpaceType { None, Global, Shared, Local } Space = None;
  PipeCounts Count = {};
  LatencyClass Latency = LatencyClass::Int;
  double Steps = 0;
  double Flops32 = 0, Flops64 = 0; ///< of a thread
  bool IsReadOnly = false;         ///< a load that no store can change
  bool IsJoined = false;           ///< with another one (PtxJoin)
  bool IsOfThread = false; ///< differs between threads whatever the operands
  std::string Opcode;
  std::optional<int64_t> Immediate; ///< the last operand, if an integer
  llvm::SmallVector<unsigned, 4> Defs, Uses; ///< registers

  bool isWrite() const { return Kind == Store || Kind == Atomic; }
  /// Returns true for a load that does not pass a write that may change what it
  /// loads.
  bool isOrderedLoad() const {
    return Kind == Load && !IsReadOnly && Space != Local;
  }
};

/// A block of PTX: of the IR block that it was made from.
struct PtxBlock {
  std::string Name;  ///< of the IR block, or empty
  std::string Label; ///< in PTX, or empty
  std::vector<PtxInstruction> Instructions;
  llvm::SmallVector<unsigned, 2> Successors; ///< block indices
  bool IsOwnSuccessor = false;
  /// The block before, if ptxas makes a few predicated instructions of this one
  /// instead of a branch around it: they are issued whenever that one is.
  int PredicatedIn = -1;
  bool IsUnrollingForbidden = false; ///< by a pragma
  unsigned UnrolledBy = 1;           ///< iterations that ptxas joins
};

struct PtxKernel {
  std::vector<PtxBlock> Blocks; ///< in layout order
  /// The number of 32-bit registers, by live ranges. ptxas uses a few more or
  /// less.
  unsigned Registers = 0;
  uint64_t LocalBytes = 0; ///< of a thread, in arrays that are in local memory
};

/// Parses the kernel out of what the NVPTX back end writes with comments on
/// (they name the IR blocks). Empty if it is not there.
PtxKernel parsePtx(llvm::StringRef Text, llvm::StringRef Kernel);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_MACHINE_PTXCODE_H
