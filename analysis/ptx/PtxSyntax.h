//===- PtxSyntax.h - Statements of PTX text ---------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits PTX into statements, opcodes and operands: the bodies of functions
// that the NVPTX back end writes, and the text of inline assembly, in which $N
// is the N-th operand of the asm. Knows the grammar (PTX ISA, "Syntax") and no
// instruction; PtxOpcodes.h knows those.
//
// Everything is a view of the text, so that a user can change an opcode in
// place. The text has to outlive the statements.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_PTX_PTXSYNTAX_H
#define GRIDSPAN_ANALYSIS_PTX_PTXSYNTAX_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace gridspan {

/// One operand of an instruction.
struct PtxOperand {
  enum class Kind {
    Name,    ///< a name declared in the text, or $N, an operand of the asm
    Percent, ///< %name: a special register, or one of the back end's
    Integer,
    Float,   ///< Value has the bits of a float (0f...)
    Double,  ///< Value has the bits of a double (0d..., 1.5)
    Address, ///< [base + offset], or [base, coordinates...]
    Vector,  ///< {a, b}
    List,    ///< (a, b), of a call
  };
  Kind K = Kind::Name;
  llvm::StringRef Name;             ///< without the % of Kind::Percent
  uint64_t Value = 0;               ///< of a number; the offset of an address
  bool IsNegated = false;           ///< !p
  bool IsMinus = false;             ///< -a, of a video instruction's register
  llvm::StringRef Part;             ///< "b0" of a.b0, in a video instruction
  std::vector<PtxOperand> Elements; ///< base of an address, elements of a
                                    ///< vector, second destination (p of d|p)
};

/// One statement, or a brace that begins or ends a scope.
struct PtxStatement {
  enum class Kind {
    Instruction,
    Label,     ///< Mnemonic is its name
    Directive, ///< Mnemonic begins with a dot; Text is what follows
    Comment,   ///< a line that has nothing else
    ScopeBegin,
    ScopeEnd,
    Unknown, ///< nothing that the grammar knows, up to the next semicolon
  };
  Kind K = Kind::Unknown;
  llvm::StringRef Mnemonic;                        ///< "add.rn.f32"
  llvm::StringRef Opcode;                          ///< "add"
  llvm::SmallVector<llvm::StringRef, 4> Modifiers; ///< without the dots
  std::optional<PtxOperand> Guard;                 ///< @p, @!p
  std::vector<PtxOperand> Operands;
  bool AreOperandsKnown = true; ///< false if they are not of this grammar
  llvm::StringRef Comment;      ///< what follows // on the same line
  llvm::StringRef Text;

  bool isInstruction() const { return K == Kind::Instruction; }
  bool has(llvm::StringRef Modifier) const;
  /// The last modifier, which mostly is the type.
  llvm::StringRef type() const;
};

/// Reads a text statement by statement.
class PtxReader {
public:
  explicit PtxReader(llvm::StringRef Text) : Rest(Text) {}

  /// The next statement; nothing at the end of the text.
  std::optional<PtxStatement> next();

private:
  void skipBlanks();
  bool take(char C);
  bool takeComment(PtxStatement &S);
  void takeTrailingComment(PtxStatement &S);
  llvm::StringRef takeName();
  llvm::StringRef takeMnemonic();
  bool takeLabel(PtxStatement &S);
  void readDirective(PtxStatement &S);
  void readInstruction(PtxStatement &S);
  bool readOperands(PtxStatement &S);
  void skipStatement();
  std::optional<PtxOperand> readOperand(bool HasParts = false);
  std::optional<PtxOperand> readNumber(llvm::StringRef Text, bool IsMinus);
  std::optional<PtxOperand> readFraction(llvm::StringRef Text, bool IsMinus);
  std::optional<PtxOperand> readAddress();
  std::optional<PtxOperand> readElements(PtxOperand::Kind K, char End);

  llvm::StringRef Rest;
};

/// Code that is more than one line.
struct PtxCode {
  std::vector<PtxStatement> Statements; ///< instructions and labels, in order
  /// The types of declared registers by name, with the %; empty where scopes
  /// declare one in several ways.
  llvm::StringMap<llvm::StringRef> Registers;

  bool hasLabels() const;
};

/// Reads code with labels. std::nullopt for directives that do not declare
/// registers, for a register that hides one of a scope around it, and for text
/// that is not PTX.
std::optional<PtxCode> readPtxCode(llvm::StringRef Text);

/// The instructions of straight-line code, in order. Declarations of registers
/// are left out, and scopes are ignored: a name that is declared again, behind
/// the scope of the first one, is used only after it is written again.
/// std::nullopt for labels, and where readPtxCode has nothing.
std::optional<std::vector<PtxStatement>> straightLinePtx(llvm::StringRef Text);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_PTX_PTXSYNTAX_H
