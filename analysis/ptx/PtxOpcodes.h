//===- PtxOpcodes.h - Effects and costs of PTX opcodes ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// View of PtxOpcodes.def for the analyses. The CPU device takes its column from
// there by itself (passes/cpu/asm/CpuAsm.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_PTX_PTXOPCODES_H
#define GRIDSPAN_ANALYSIS_PTX_PTXOPCODES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>

namespace gridspan {

/// The effect of an instruction besides writing its results.
enum class PtxEffect {
  Register,  ///< none, or one within the warp; operands decide the result
  Lane,      ///< none; lanes with the same operands have different results
  Jump,      ///< goes to a label
  Leave,     ///< ends the function or the thread
  Barrier,   ///< waits for threads of the block
  Fence,     ///< orders memory
  Load,      ///< reads memory
  Store,     ///< writes memory
  Atomic,    ///< reads and writes memory, and returns the old value
  Reduction, ///< reads and writes memory
  AsyncCopy, ///< starts copies between memories
  Texture,   ///< accesses a texture or a surface
  Cluster,   ///< addresses other blocks of a cluster
  Unknown,   ///< not known to be the same in a tile of the grid
};

/// The units of a multiprocessor that instructions are issued to.
enum class Pipe { Fp32, Fp64, Int, Imad, Sfu, Control, Memory, Shuffle };
constexpr unsigned NumPipes = 8;
/// Returns "fp32", ...
llvm::StringRef pipeName(Pipe P);

/// Machine instructions by pipe.
using PipeCounts = std::array<double, NumPipes>;

/// Decides how long a result takes.
enum class LatencyClass { Int, Fp32, Fp64, Sfu, Shuffle, Constant, Memory };

/// One opcode of the table.
struct PtxOpcode {
  llvm::StringLiteral Name;
  PtxEffect Effect;
};

/// The machine instructions of an instruction of PTX.
struct PtxCost {
  PipeCounts Count = {};
  LatencyClass Latency = LatencyClass::Int;
  double Steps = 0; ///< dependent ones, of the class of the latency
};

/// Returns all opcodes in the order of the table.
llvm::ArrayRef<PtxOpcode> ptxOpcodes();

/// Returns the effect of instructions with Opcode, which is the first part of a
/// mnemonic. Unknown if the table does not have it.
PtxEffect ptxEffectOf(llvm::StringRef Opcode);

/// Returns the cost of instructions with Mnemonic, such as "add.rn.f32".
PtxCost ptxCostOf(llvm::StringRef Mnemonic);

/// True if an access with Mnemonic is to parameters or constants, which are in
/// the constant bank of a kernel.
bool isConstantBankAccess(llvm::StringRef Mnemonic);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_PTX_PTXOPCODES_H
