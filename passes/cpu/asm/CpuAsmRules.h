//===- CpuAsmRules.h - Lowering rules of PTX instructions -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The column Rule of PtxOpcodes.def: functions that emit the host's code for
// one PTX instruction each. A rule for numbers gets its operands read, and
// returns the value of the result; the others do both on their own. All fail
// for forms of the instruction that they cannot translate. Nothing that they
// emitted before matters then.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUASMRULES_H
#define GRIDSPAN_PASSES_CPU_CPUASMRULES_H

#include "gridspan/CpuCodes.h"
#include "passes/cpu/asm/CpuAsm.h"

namespace gridspan {

/// An instruction on floating point numbers, with its operands read.
struct FloatOp {
  const PtxStatement &S;
  AsmState &State;
  llvm::SmallVector<llvm::Value *, 4> Args;
  Rounding Mode = Rounding::Nearest;
};

/// An instruction on integers or bits, with its operands read.
struct IntegerOp {
  const PtxStatement &S;
  AsmState &State;
  PtxType Type;
  llvm::SmallVector<llvm::Value *, 4> Args;

  llvm::IRBuilder<> &B() { return State.C.B; }
  llvm::Type *type() { return Type.get(B().getContext()); }
};

using StatementRule = bool (*)(const PtxStatement &, AsmState &);
using FloatRule = llvm::Value *(*)(FloatOp &);
using IntegerRule = llvm::Value *(*)(IntegerOp &);

/// The translation of one opcode: by Statement, or by the type of its operands.
struct AsmRule {
  constexpr AsmRule() = default;
  constexpr AsmRule(StatementRule Statement) : Statement(Statement) {}

  StatementRule Statement = nullptr;
  FloatRule Float = nullptr;
  IntegerRule Integer = nullptr;
  unsigned MinOperands = 0; ///< besides the result
  unsigned MaxOperands = 0; ///< of floating point instructions
};

/// Returns the rule of an opcode; null if the CPU device has none.
const AsmRule *findAsmRule(llvm::StringRef Opcode);

/// Translates S by its rule. Returns false if that cannot be done.
bool translateNumber(const AsmRule &Rule, const PtxStatement &S,
                     AsmState &State);

namespace asmrules {

constexpr AsmRule None;

/// Returns the rule of an opcode for floating point numbers and integers.
constexpr AsmRule number(unsigned Operands, FloatRule Float,
                         IntegerRule Integer, unsigned MaxOperands = 0) {
  AsmRule Rule;
  Rule.Float = Float;
  Rule.Integer = Integer;
  Rule.MinOperands = Operands;
  Rule.MaxOperands = MaxOperands ? MaxOperands : Operands;
  return Rule;
}
constexpr AsmRule floating(unsigned Operands, FloatRule Float) {
  return number(Operands, Float, nullptr);
}
constexpr AsmRule integer(unsigned Operands, IntegerRule Integer) {
  return number(Operands, nullptr, Integer);
}

// Floating point numbers. CpuAsmFloat.cpp.
llvm::Value *absoluteFloat(FloatOp &F);
llvm::Value *copySign(FloatOp &F);
llvm::Value *extremum(FloatOp &F);
llvm::Value *negateFloat(FloatOp &F);
/// The operation that has the opcode's name in CpuMath.h.
llvm::Value *rounded(FloatOp &F);
bool lowerTestProperty(const PtxStatement &S, AsmState &State);

// Arithmetic of integers. CpuAsmInteger.cpp.
llvm::Value *absolute(IntegerOp &I);
llvm::Value *absoluteDifference(IntegerOp &I);
llvm::Value *maximum(IntegerOp &I);
llvm::Value *minimum(IntegerOp &I);
llvm::Value *negate(IntegerOp &I);
llvm::Value *product(IntegerOp &I);
/// mul24 and mad24: bits 0 to 31, or 16 to 47, of a product of 24 bits each.
llvm::Value *product24(IntegerOp &I);
llvm::Value *quotient(IntegerOp &I);
llvm::Value *sum(IntegerOp &I);
llvm::Value *sumWithCarry(IntegerOp &I);
bool lowerDotProduct(const PtxStatement &S, AsmState &State);

// Logic, shifts and bits. CpuAsmBits.cpp.
llvm::Value *bitAnd(IntegerOp &I);
llvm::Value *bitMask(IntegerOp &I);
llvm::Value *bitNot(IntegerOp &I);
llvm::Value *bitOr(IntegerOp &I);
llvm::Value *bitXor(IntegerOp &I);
llvm::Value *countOnes(IntegerOp &I);
llvm::Value *countZeros(IntegerOp &I);
llvm::Value *extendBits(IntegerOp &I);
llvm::Value *extractBits(IntegerOp &I);
llvm::Value *findBit(IntegerOp &I);
llvm::Value *findSetBit(IntegerOp &I);
llvm::Value *funnelShift(IntegerOp &I);
llvm::Value *insertBits(IntegerOp &I);
llvm::Value *logicTable(IntegerOp &I);
llvm::Value *logicalNot(IntegerOp &I);
llvm::Value *permuteBytes(IntegerOp &I);
llvm::Value *reverseBits(IntegerOp &I);
llvm::Value *shift(IntegerOp &I);

// Conversions. CpuAsmConvert.cpp.
bool lowerConversion(const PtxStatement &S, AsmState &State);

// Moves and comparisons. CpuAsmData.cpp.
/// mapa: each block is a cluster of its own, so the address is the result.
bool lowerClusterAddress(const PtxStatement &S, AsmState &State);
bool lowerClusterRank(const PtxStatement &S, AsmState &State);
bool lowerMove(const PtxStatement &S, AsmState &State);
/// createpolicy: a number that means nothing on the host.
bool lowerPolicy(const PtxStatement &S, AsmState &State);
bool lowerSelect(const PtxStatement &S, AsmState &State);
bool lowerSet(const PtxStatement &S, AsmState &State);
bool lowerSetPredicate(const PtxStatement &S, AsmState &State);
bool lowerSpaceQuery(const PtxStatement &S, AsmState &State);

// Asynchronous copies and mbarriers. CpuAsmAsync.cpp.
bool lowerAsyncCopy(const PtxStatement &S, AsmState &State);
bool lowerMbarrier(const PtxStatement &S, AsmState &State);

// Matrices. CpuAsmMatrix.cpp.
bool lowerMatrixLoad(const PtxStatement &S, AsmState &State);
bool lowerMatrixProduct(const PtxStatement &S, AsmState &State);
bool lowerMatrixStore(const PtxStatement &S, AsmState &State);
bool lowerMatrixTranspose(const PtxStatement &S, AsmState &State);

// Memory. CpuAsmMemory.cpp.
bool lowerAtomic(const PtxStatement &S, AsmState &State);
bool lowerFence(const PtxStatement &S, AsmState &State);
bool lowerLoad(const PtxStatement &S, AsmState &State);
/// A hint, which the host ignores.
bool lowerNothing(const PtxStatement &S, AsmState &State);
bool lowerStore(const PtxStatement &S, AsmState &State);

// Synchronization and ends of threads. CpuAsmSync.cpp.
bool lowerActiveMask(const PtxStatement &S, AsmState &State);
bool lowerBarrier(const PtxStatement &S, AsmState &State);
/// elect.sync: the first lane of the mask.
bool lowerElection(const PtxStatement &S, AsmState &State);
bool lowerExit(const PtxStatement &S, AsmState &State);
bool lowerMatch(const PtxStatement &S, AsmState &State);
bool lowerReduction(const PtxStatement &S, AsmState &State);
bool lowerShuffle(const PtxStatement &S, AsmState &State);
bool lowerTrap(const PtxStatement &S, AsmState &State);
bool lowerVote(const PtxStatement &S, AsmState &State);
bool lowerYield(const PtxStatement &S, AsmState &State);

// Textures and surfaces. CpuAsmTexture.cpp.
bool lowerSurfaceLoad(const PtxStatement &S, AsmState &State);
bool lowerSurfaceStore(const PtxStatement &S, AsmState &State);
bool lowerTexture(const PtxStatement &S, AsmState &State);
bool lowerTextureQuery(const PtxStatement &S, AsmState &State);

// Video instructions. CpuAsmVideo.cpp.
bool lowerVideo(const PtxStatement &S, AsmState &State);
bool lowerVideoProduct(const PtxStatement &S, AsmState &State);

} // namespace asmrules
} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUASMRULES_H
