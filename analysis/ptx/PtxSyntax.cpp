//===- PtxSyntax.cpp - Statements of PTX text -----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recursive descent over the characters. A statement is
//
//   [@[!]p] opcode.modifiers operands ;      instruction
//   name :                                   label
//   .name ... ;                              directive
//
// Braces at the beginning of a statement are scopes, those among operands are
// vectors. The last semicolon of a text or of a scope may be missing. Where
// operands do not follow the grammar, the statement ends at the next semicolon
// outside of braces all the same, and keeps its opcode.
//
// In the strings of llvm::InlineAsm, $$ is a dollar, $N the N-th operand, and
// ${...} a number that differs between copies of the text. All three may be
// parts of names and stay as they are: a name is spelled alike everywhere.
//
// Source: PTX ISA 9.0, chapter "Syntax".
//
//===----------------------------------------------------------------------===//

#include "analysis/ptx/PtxSyntax.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace gridspan {

bool PtxStatement::has(StringRef Modifier) const {
  return is_contained(Modifiers, Modifier);
}

StringRef PtxStatement::type() const {
  return Modifiers.empty() ? StringRef() : Modifiers.back();
}

static bool isNameCharacter(char C) {
  return isAlnum(C) || C == '_' || C == '$' || C == '%';
}

/// The length of the name, with further characters of Also, that Text begins
/// with.
static size_t nameLength(StringRef Text, StringRef Also = "") {
  size_t I = 0;
  while (I != Text.size()) {
    if (Text.substr(I).starts_with("${")) {
      size_t End = Text.find('}', I);
      if (End == StringRef::npos)
        return I;
      I = End + 1;
    } else if (isNameCharacter(Text[I]) || Also.contains(Text[I])) {
      ++I;
    } else {
      break;
    }
  }
  return I;
}

/// Skips spaces and comments.
void PtxReader::skipBlanks() {
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

bool PtxReader::take(char C) {
  skipBlanks();
  return Rest.consume_front(StringRef(&C, 1));
}

StringRef PtxReader::takeName() {
  skipBlanks();
  StringRef Name = Rest.take_front(nameLength(Rest));
  Rest = Rest.drop_front(Name.size());
  return Name;
}

StringRef PtxReader::takeMnemonic() {
  skipBlanks();
  StringRef Mnemonic = Rest.take_front(nameLength(Rest, ".:"));
  Rest = Rest.drop_front(Mnemonic.size());
  return Mnemonic;
}

/// Takes a comment up to the end of its line.
bool PtxReader::takeComment(PtxStatement &S) {
  if (!Rest.consume_front("//"))
    return false;
  S.Comment = Rest.take_until([](char C) { return C == '\n'; });
  Rest = Rest.drop_front(S.Comment.size());
  S.Comment = S.Comment.trim();
  return true;
}

void PtxReader::takeTrailingComment(PtxStatement &S) {
  StringRef Line = Rest.ltrim(" \t");
  if (!Line.starts_with("//"))
    return;
  Rest = Line;
  takeComment(S);
}

/// Takes a name with a colon behind it; "::" is a part of modifiers.
bool PtxReader::takeLabel(PtxStatement &S) {
  StringRef Name = Rest.take_front(nameLength(Rest));
  StringRef Behind = Rest.drop_front(Name.size()).ltrim(" \t");
  if (Name.empty() || !Behind.starts_with(":") || Behind.starts_with("::"))
    return false;
  S.K = PtxStatement::Kind::Label;
  S.Mnemonic = Name;
  Rest = Behind.drop_front();
  takeTrailingComment(S);
  return true;
}

/// Goes behind the next semicolon outside of braces, or before the brace that
/// ends the scope.
void PtxReader::skipStatement() {
  unsigned Depth = 0;
  for (skipBlanks(); !Rest.empty(); skipBlanks()) {
    if (Rest.front() == '}' && Depth == 0)
      return;
    Depth += Rest.front() == '{';
    Depth -= Rest.front() == '}';
    bool IsEnd = Rest.front() == ';' && Depth == 0;
    Rest = Rest.drop_front();
    if (IsEnd)
      return;
  }
}

void PtxReader::readDirective(PtxStatement &S) {
  S.K = PtxStatement::Kind::Directive;
  S.Mnemonic = takeMnemonic();
  const StringRef Behind = Rest;
  // Those of debug information end with their lines.
  if (S.Mnemonic == ".loc" || S.Mnemonic == ".file")
    Rest = Rest.drop_until([](char C) { return C == '\n'; });
  else
    skipStatement();
  S.Text = Behind.drop_back(Rest.size()).rtrim("; \t\n");
}

void PtxReader::readInstruction(PtxStatement &S) {
  bool IsGuardKnown = true;
  if (take('@')) {
    bool IsNegated = take('!');
    S.Guard = readOperand();
    IsGuardKnown = S.Guard.has_value();
    if (S.Guard)
      S.Guard->IsNegated = IsNegated;
  }
  S.Mnemonic = takeMnemonic();
  SmallVector<StringRef, 8> Parts;
  S.Mnemonic.split(Parts, '.', -1, /*KeepEmpty=*/false);
  if (Parts.empty() || S.Mnemonic.front() == '.' || !IsGuardKnown) {
    // At least one character, so that a stray one does not stop the reader.
    if (S.Mnemonic.empty() && !Rest.empty() && !Rest.starts_with("}"))
      Rest = Rest.drop_front();
    skipStatement();
    return;
  }
  S.K = PtxStatement::Kind::Instruction;
  S.Opcode = Parts.front();
  S.Modifiers.assign(Parts.begin() + 1, Parts.end());
  StringRef Operands = Rest;
  if (!readOperands(S)) {
    S.AreOperandsKnown = false;
    Rest = Operands;
    skipStatement();
  }
  takeTrailingComment(S);
}

bool PtxReader::readOperands(PtxStatement &S) {
  const bool IsVideo = S.Opcode.starts_with("v") && S.Opcode != "vote";
  skipBlanks();
  while (!Rest.empty() && !Rest.starts_with("}") && !take(';')) {
    std::optional<PtxOperand> Operand = readOperand(IsVideo);
    if (!Operand)
      return false;
    if (take('|')) {
      std::optional<PtxOperand> Second = readOperand();
      if (!Second)
        return false;
      Operand->Elements.push_back(*Second);
    }
    S.Operands.push_back(std::move(*Operand));
    skipBlanks();
    if (!take(',') && !Rest.empty() && Rest.front() != ';' &&
        Rest.front() != '}')
      return false;
    skipBlanks();
  }
  return true;
}

/// HasParts: parts of registers and negative ones are among the forms.
std::optional<PtxOperand> PtxReader::readOperand(bool HasParts) {
  if (take('['))
    return readAddress();
  if (take('{'))
    return readElements(PtxOperand::Kind::Vector, '}');
  if (take('('))
    return readElements(PtxOperand::Kind::List, ')');
  PtxOperand O;
  O.IsNegated = take('!');
  bool IsMinus = take('-');
  StringRef Name = takeName();
  // Special registers have components: %tid.x.
  while (Name.starts_with("%") && Rest.starts_with(".")) {
    size_t Length = 1 + nameLength(Rest.drop_front());
    Name = StringRef(Name.data(), Name.size() + Length);
    Rest = Rest.drop_front(Length);
  }
  if (Name.empty())
    return std::nullopt;
  if (isDigit(Name[0]))
    return readNumber(Name, IsMinus);
  if (IsMinus && !HasParts)
    return std::nullopt;
  O.IsMinus = IsMinus;
  O.K = Name.consume_front("%") || Name == "WARP_SZ" ? PtxOperand::Kind::Percent
                                                     : PtxOperand::Kind::Name;
  O.Name = Name;
  if (HasParts && Rest.consume_front("."))
    O.Part = takeName();
  return O;
}

std::optional<PtxOperand> PtxReader::readNumber(StringRef Text, bool IsMinus) {
  PtxOperand O;
  bool IsFloat = Text.starts_with_insensitive("0f");
  bool IsDouble = Text.starts_with_insensitive("0d");
  if ((IsFloat || IsDouble) && Text.size() > 2) {
    O.K = IsDouble ? PtxOperand::Kind::Double : PtxOperand::Kind::Float;
    if (Text.drop_front(2).getAsInteger(16, O.Value))
      return std::nullopt;
    return O;
  }
  O.K = PtxOperand::Kind::Integer;
  if (Rest.starts_with("."))
    return readFraction(Text, IsMinus);
  if (!Text.consume_back("U"))
    Text.consume_back("u");
  unsigned Base = 10;
  if (Text.consume_front_insensitive("0x"))
    Base = 16;
  else if (Text.consume_front_insensitive("0b"))
    Base = 2;
  else if (Text.starts_with("0"))
    Base = 8;
  if (Text.getAsInteger(Base, O.Value))
    return std::nullopt;
  if (IsMinus)
    O.Value = -O.Value;
  return O;
}

/// Text is what stands before the point: 1.0, 2.5e-3.
std::optional<PtxOperand> PtxReader::readFraction(StringRef Text,
                                                  bool IsMinus) {
  size_t Length = 1 + nameLength(Rest.drop_front());
  const StringRef Sign = Rest.drop_front(Length).take_front(1);
  if (toLower(Rest[Length - 1]) == 'e' && (Sign == "-" || Sign == "+"))
    Length += 1 + nameLength(Rest.drop_front(Length + 1));
  Text = StringRef(Text.data(), Text.size() + Length);
  Rest = Rest.drop_front(Length);
  double Number = 0;
  if (Text.getAsDouble(Number))
    return std::nullopt;
  PtxOperand O;
  O.K = PtxOperand::Kind::Double;
  O.Value = bit_cast<uint64_t>(IsMinus ? -Number : Number);
  return O;
}

std::optional<PtxOperand> PtxReader::readAddress() {
  std::optional<PtxOperand> Base = readOperand();
  if (!Base)
    return std::nullopt;
  PtxOperand O;
  O.K = PtxOperand::Kind::Address;
  O.Elements.push_back(std::move(*Base));
  bool IsMinus = false;
  if (take('+') || (IsMinus = take('-'))) {
    IsMinus |= take('-');
    std::optional<PtxOperand> Offset = readOperand();
    if (!Offset || Offset->K != PtxOperand::Kind::Integer)
      return std::nullopt;
    O.Value = IsMinus ? -Offset->Value : Offset->Value;
  }
  // Of textures: the coordinates.
  while (take(',')) {
    std::optional<PtxOperand> Coordinate = readOperand();
    if (!Coordinate)
      return std::nullopt;
    O.Elements.push_back(std::move(*Coordinate));
  }
  return take(']') ? std::optional(std::move(O)) : std::nullopt;
}

std::optional<PtxOperand> PtxReader::readElements(PtxOperand::Kind K,
                                                  char End) {
  PtxOperand O;
  O.K = K;
  if (K == PtxOperand::Kind::List && take(End))
    return O; // ()
  do {
    std::optional<PtxOperand> Element = readOperand();
    if (!Element)
      return std::nullopt;
    O.Elements.push_back(std::move(*Element));
  } while (take(','));
  return take(End) ? std::optional(std::move(O)) : std::nullopt;
}

std::optional<PtxStatement> PtxReader::next() {
  PtxStatement S;
  for (;;) {
    Rest = Rest.ltrim();
    if (takeComment(S)) {
      S.K = PtxStatement::Kind::Comment;
      return S;
    }
    skipBlanks();
    if (!take(';'))
      break;
  }
  if (Rest.empty())
    return std::nullopt;
  if (take('{'))
    S.K = PtxStatement::Kind::ScopeBegin;
  else if (take('}'))
    S.K = PtxStatement::Kind::ScopeEnd;
  else if (takeLabel(S))
    return S;
  else if (Rest.front() == '.')
    readDirective(S);
  else
    readInstruction(S);
  return S;
}

/// Adds what a directive such as ".reg .b32 a, b<3>" declares: a, b0, b1, b2.
/// Returns false if that hides a register of this scope or of one around it.
static bool addRegisters(const PtxStatement &S, StringMap<StringRef> &Registers,
                         unsigned Depth, StringMap<unsigned> &DepthOf) {
  StringRef Text(S.Mnemonic.data(),
                 S.Text.data() + S.Text.size() - S.Mnemonic.data());
  Text.consume_front(".reg");
  Text = Text.ltrim();
  if (!Text.consume_front("."))
    return true;
  const StringRef Type = Text.take_while(isAlnum);
  SmallVector<StringRef> Names;
  Text.drop_front(Type.size()).split(Names, ',');
  bool IsNewHere = true;
  const auto Add = [&](StringRef Name) {
    IsNewHere &= DepthOf.try_emplace(Name, Depth).second;
    auto [It, IsNew] = Registers.try_emplace(Name, Type);
    if (!IsNew && It->second != Type)
      It->second = "";
  };
  for (const StringRef Item : Names) {
    auto [Name, Count] = Item.trim().split('<');
    unsigned Number = 0;
    if (Count.empty())
      Add(Name);
    else if (!Count.rtrim("> ").getAsInteger(10, Number))
      for (unsigned I = 0; I != Number; ++I)
        Add((Name + Twine(I)).str());
  }
  return IsNewHere;
}

bool PtxCode::hasLabels() const {
  return any_of(Statements, [](const PtxStatement &S) {
    return S.K == PtxStatement::Kind::Label;
  });
}

std::optional<PtxCode> readPtxCode(StringRef Text) {
  using Kind = PtxStatement::Kind;
  PtxCode Out;
  PtxReader Reader(Text);
  unsigned Depth = 0;
  StringMap<unsigned> DepthOf; // of the scopes that the names there are in
  while (std::optional<PtxStatement> S = Reader.next()) {
    switch (S->K) {
    case Kind::Comment:
      continue;
    case Kind::ScopeBegin:
      ++Depth;
      continue;
    case Kind::ScopeEnd:
      if (Depth == 0)
        return std::nullopt;
      for (auto It = DepthOf.begin(), End = DepthOf.end(); It != End;)
        if (const auto Name = It++; Name->second == Depth)
          DepthOf.erase(Name);
      --Depth;
      continue;
    case Kind::Directive:
      if (!S->Mnemonic.starts_with(".reg"))
        return std::nullopt;
      if (!addRegisters(*S, Out.Registers, Depth, DepthOf))
        return std::nullopt;
      continue;
    case Kind::Unknown:
      return std::nullopt;
    case Kind::Instruction:
      if (!S->AreOperandsKnown)
        return std::nullopt;
      [[fallthrough]];
    case Kind::Label:
      Out.Statements.push_back(std::move(*S));
    }
  }
  return Out;
}

std::optional<std::vector<PtxStatement>> straightLinePtx(StringRef Text) {
  std::optional<PtxCode> Code = readPtxCode(Text);
  if (!Code || Code->hasLabels())
    return std::nullopt;
  return std::move(Code->Statements);
}

} // namespace gridspan
