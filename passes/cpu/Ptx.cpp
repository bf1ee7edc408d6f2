//===- Ptx.cpp - Statements of inline assembly ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recursive descent over the characters. In LLVM's asm strings $$ is a dollar
// and $N the N-th operand; ${N:x} does not occur for NVPTX.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/Ptx.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace gridspan;

bool PtxStatement::has(StringRef Modifier) const {
  return is_contained(Modifiers, Modifier);
}

StringRef PtxStatement::type() const {
  return Modifiers.empty() ? StringRef() : StringRef(Modifiers.back());
}

namespace {

class Parser {
public:
  explicit Parser(StringRef Text) : Rest(Text) {}

  std::optional<std::vector<PtxStatement>> parse() {
    std::vector<PtxStatement> Statements;
    for (;;) {
      skipSpace();
      if (Rest.empty())
        return Statements;
      if (take('{') || take('}') || take(';'))
        continue;
      std::optional<PtxStatement> S = parseStatement();
      if (!S)
        return std::nullopt;
      if (S->Opcode != ".reg")
        Statements.push_back(std::move(*S));
    }
  }

private:
  void skipSpace() {
    for (;;) {
      Rest = Rest.ltrim();
      if (Rest.starts_with("//"))
        Rest = Rest.drop_until([](char C) { return C == '\n'; });
      else if (Rest.starts_with("/*"))
        Rest = Rest.drop_front(std::min(Rest.find("*/"), Rest.size() - 2) + 2);
      else
        return;
    }
  }

  bool take(char C) {
    skipSpace();
    return Rest.consume_front(StringRef(&C, 1));
  }

  static bool isNameCharacter(char C) {
    return isAlnum(C) || C == '_' || C == '$' || C == '%';
  }

  std::string takeName() {
    skipSpace();
    StringRef Name = Rest.take_while(isNameCharacter);
    Rest = Rest.drop_front(Name.size());
    return Name.str();
  }

  std::optional<PtxStatement> parseStatement() {
    PtxStatement S;
    if (take('@')) {
      bool Negated = take('!');
      S.Guard = parseOperand();
      if (!S.Guard)
        return std::nullopt;
      S.Guard->Negated = Negated;
    }
    skipSpace();
    StringRef Mnemonic = Rest.take_while(
        [](char C) { return isNameCharacter(C) || C == '.' || C == ':'; });
    Rest = Rest.drop_front(Mnemonic.size());
    if (Mnemonic.starts_with(".reg")) {
      S.Opcode = ".reg";
      Rest = Rest.drop_until([](char C) { return C == ';'; });
      return take(';') ? std::optional(S) : std::nullopt;
    }
    SmallVector<StringRef> Parts;
    Mnemonic.split(Parts, '.', -1, /*KeepEmpty=*/false);
    if (Parts.empty() || Mnemonic.front() == '.' ||
        (Mnemonic.ends_with(":") && !Mnemonic.ends_with("::")))
      return std::nullopt;
    S.Opcode = Parts[0].str();
    for (StringRef Part : drop_begin(Parts))
      S.Modifiers.push_back(Part.str());
    return parseOperands(S) ? std::optional(S) : std::nullopt;
  }

  bool parseOperands(PtxStatement &S) {
    skipSpace();
    // The last ';' may be missing.
    while (!Rest.empty() && !take(';')) {
      std::optional<PtxOperand> Operand = parseOperand();
      if (!Operand)
        return false;
      if (take('|')) {
        std::optional<PtxOperand> Second = parseOperand();
        if (!Second)
          return false;
        Operand->Elements.push_back(*Second);
      }
      S.Operands.push_back(*Operand);
      skipSpace();
      if (!take(',') && !Rest.empty() && Rest.front() != ';' &&
          Rest.front() != '}')
        return false;
      if (Rest.starts_with("}"))
        break;
    }
    return true;
  }

  std::optional<PtxOperand> parseOperand() {
    if (take('['))
      return parseAddress();
    if (take('{'))
      return parseVector();
    PtxOperand O;
    O.Negated = take('!');
    bool Minus = take('-');
    std::string Name = takeName();
    // Special registers have parts: %tid.x.
    if (StringRef(Name).starts_with("%"))
      while (Rest.consume_front("."))
        Name += "." + takeName();
    if (Name.empty())
      return std::nullopt;
    if (isDigit(Name[0]))
      return parseNumber(Name, Minus);
    if (Minus)
      return std::nullopt;
    O.K = PtxOperand::Kind::Register;
    O.Name = Name;
    StringRef Special = Name;
    if (Special.consume_front("%") || Name == "WARP_SZ") {
      O.K = PtxOperand::Kind::Special;
      O.Name = Special.str();
    }
    return O;
  }

  std::optional<PtxOperand> parseNumber(StringRef Text, bool Minus) {
    PtxOperand O;
    O.K = PtxOperand::Kind::Integer;
    bool IsFloat = Text.starts_with_insensitive("0f") ||
                   Text.starts_with_insensitive("0d");
    if (IsFloat && Text.size() > 2) {
      O.K = PtxOperand::Kind::Float;
      if (Text.drop_front(2).getAsInteger(16, O.Value))
        return std::nullopt;
      return O;
    }
    if (Rest.starts_with("."))
      return std::nullopt; // a decimal fraction
    if (!Text.consume_back("U"))
      Text.consume_back("u");
    bool Hex = Text.consume_front("0x") || Text.consume_front("0X");
    if (Text.getAsInteger(Hex ? 16 : 10, O.Value))
      return std::nullopt;
    if (Minus)
      O.Value = -O.Value;
    return O;
  }

  std::optional<PtxOperand> parseAddress() {
    std::optional<PtxOperand> Base = parseOperand();
    if (!Base)
      return std::nullopt;
    PtxOperand O;
    O.K = PtxOperand::Kind::Address;
    O.Elements.push_back(*Base);
    bool Minus = false;
    if (take('+') || (Minus = take('-'))) {
      Minus |= take('-');
      std::optional<PtxOperand> Offset = parseOperand();
      if (!Offset || Offset->K != PtxOperand::Kind::Integer)
        return std::nullopt;
      O.Value = Minus ? -Offset->Value : Offset->Value;
    }
    return take(']') ? std::optional(O) : std::nullopt;
  }

  std::optional<PtxOperand> parseVector() {
    PtxOperand O;
    O.K = PtxOperand::Kind::Vector;
    do {
      std::optional<PtxOperand> Element = parseOperand();
      if (!Element)
        return std::nullopt;
      O.Elements.push_back(*Element);
    } while (take(','));
    return take('}') ? std::optional(O) : std::nullopt;
  }

  StringRef Rest;
};

} // namespace

std::optional<std::vector<PtxStatement>> gridspan::parsePtx(StringRef Text) {
  std::string Plain;
  for (size_t I = 0; I < Text.size(); ++I) {
    Plain += Text[I];
    if (Text.substr(I, 2) == "$$")
      ++I;
  }
  return Parser(Plain).parse();
}
