//===- CpuAsm.h - Inline assembly on the CPU --------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the rules for PTX instructions share: the values of registers while the
// statements of one asm are translated one after the other. A register holds
// bits; instructions give them types.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUASM_H
#define GRIDSPAN_PASSES_CPU_CPUASM_H

#include "passes/cpu/CpuContext.h"
#include "passes/cpu/Ptx.h"
#include "llvm/ADT/MapVector.h"

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

std::optional<PtxType> parsePtxType(llvm::StringRef Name);

class AsmState {
public:
  AsmState(llvm::CallInst &Call, CpuContext &C);

  /// The operand's value as the type; null when it has none.
  llvm::Value *read(const PtxOperand &O, PtxType Type);
  /// Stores a value of any type that is a number of bits; false if O cannot be
  /// written.
  bool write(const PtxOperand &O, llvm::Value *V);
  /// The pointer of an address operand.
  llvm::Value *address(const PtxOperand &O);
  /// What the asm returns; null when an output was not written.
  llvm::Value *result();

  llvm::MapVector<llvm::StringRef, llvm::Value *> &registers() {
    return Registers;
  }

  CpuContext &C;
  llvm::Value *Carry = nullptr; ///< CC.CF

private:
  llvm::Value *bits(const PtxOperand &O, unsigned Width);

  llvm::CallInst &Call;
  unsigned NumOutputs = 0;
  llvm::MapVector<llvm::StringRef, llvm::Value *> Registers;
  llvm::StringMap<char> Names; ///< owns the keys of Registers
};

/// Each returns false if the statement is none of its instructions, or one that
/// it cannot translate; nothing is emitted then that matters.
bool translateData(const PtxStatement &S, AsmState &State);
bool translateInteger(const PtxStatement &S, AsmState &State);
bool translateFloat(const PtxStatement &S, AsmState &State);
bool translateMemory(const PtxStatement &S, AsmState &State);
bool translateSync(const PtxStatement &S, AsmState &State);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUASM_H
