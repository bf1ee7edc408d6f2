//===- CpuAsm.h - Inline assembly on the CPU --------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state that the rules for PTX instructions (CpuAsmRules.h) share: the
// values of registers while the statements of one asm are translated one after
// the other. A register holds bits; instructions give them types.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUASM_H
#define GRIDSPAN_PASSES_CPU_CPUASM_H

#include "analysis/ptx/PtxSyntax.h"
#include "passes/cpu/CpuContext.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace gridspan {

/// A PTX type such as u32, f16x2 or pred.
struct PtxType {
  char Class = 0;    ///< u, s, b, f, h (bf16) or p (predicate)
  unsigned Bits = 0; ///< of an element
  unsigned Count = 1;

  bool isFloat() const { return Class == 'f' || Class == 'h'; }
  bool isSigned() const { return Class == 's'; }
  llvm::Type *get(llvm::LLVMContext &Context) const;
};

/// Returns the type of that name; nothing if there is none.
std::optional<PtxType> parsePtxType(llvm::StringRef Name);

/// Values of the registers of one asm, at the statement that is translated.
class AsmState {
public:
  AsmState(llvm::CallInst &Call, CpuContext &C);

  /// Returns the operand's value as the type; null when it has none.
  llvm::Value *read(const PtxOperand &O, PtxType Type);
  /// The same as an integer.
  llvm::Value *readBits(const PtxOperand &O, PtxType Type);
  /// Returns true if the operand is a register that holds a predicate.
  bool isPredicate(const PtxOperand &O) const;
  /// Stores a value of any type that is a number of bits, extended to the
  /// width of the register by zeros, or by the sign; false if O cannot be
  /// written.
  bool write(const PtxOperand &O, llvm::Value *V, bool IsSigned = false);
  /// Returns the pointer of an address operand; null for other operands.
  llvm::Value *address(const PtxOperand &O);
  /// Returns the result of the asm; null when an output was not written.
  llvm::Value *result();
  unsigned numOutputs() const { return NumOutputs; }
  llvm::Type *outputType(unsigned I) const;

  llvm::MapVector<llvm::StringRef, llvm::Value *> &registers() {
    return Registers;
  }

  CpuContext &C;
  llvm::Value *Carry = nullptr; ///< CC.CF; null until a statement writes it

private:
  llvm::Value *bits(const PtxOperand &O, unsigned Width);

  llvm::CallInst &Call;
  unsigned NumOutputs = 0;
  llvm::MapVector<llvm::StringRef, llvm::Value *> Registers;
  /// Owns the names of operands; other keys of Registers are in the asm's text.
  llvm::StringSet<> Names;
};

/// Translates an instruction, under its guard if it has one. Returns false if
/// that cannot be done.
bool translateStatement(const PtxStatement &S, AsmState &State);

/// Lowers an asm with labels: each part up to the next one, or to a branch,
/// becomes a basic block.
Lowered lowerBranchingAsm(llvm::CallInst &Call, const PtxCode &Code,
                          CpuContext &C);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUASM_H
