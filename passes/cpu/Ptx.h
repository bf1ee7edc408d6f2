//===- Ptx.h - Statements of inline assembly --------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits the PTX text of an asm statement into instructions and operands. Knows
// the grammar (PTX ISA, "Syntax"), not the instructions.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_PTX_H
#define GRIDSPAN_PASSES_CPU_PTX_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gridspan {

struct PtxOperand {
  enum class Kind {
    Register, ///< a name declared in the text, or $N, an operand of the asm
    Special,  ///< %name, a special register; Name is without the %
    Integer,
    Float,   ///< Value has the bits of a double (0d...) or a float (0f...)
    Address, ///< [base + offset]
    Vector,  ///< {a, b}
  };
  Kind K = Kind::Register;
  std::string Name;
  uint64_t Value = 0;               ///< of a number; the offset of an address
  bool Negated = false;             ///< !p
  std::vector<PtxOperand> Elements; ///< base of an address, parts of a vector,
                                    ///< second destination (p of d|p)
};

struct PtxStatement {
  std::optional<PtxOperand> Guard; ///< @p, @!p
  std::string Opcode;
  std::vector<std::string> Modifiers; ///< without the dots
  std::vector<PtxOperand> Operands;

  bool has(llvm::StringRef Modifier) const;
  /// The last modifier, which is mostly the type.
  llvm::StringRef type() const;
};

/// Statements in order, declarations of registers left out. Scopes are ignored:
/// a name that is declared again is used only after it is written again.
/// std::nullopt for labels, directives other than .reg, and what is no PTX.
std::optional<std::vector<PtxStatement>> parsePtx(llvm::StringRef Text);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_PTX_H
