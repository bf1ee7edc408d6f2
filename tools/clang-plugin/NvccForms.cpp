//===- NvccForms.cpp - Source text that only nvcc takes -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan over tokens, without a preprocessor: so it works in macros' bodies as
// well. What it looks for is an error to clang wherever it stands in code. Two
// kinds of valid programs are changed all the same: a macro can make a string
// of such text, and A.B<4>(C) can be the comparison of a comparison, which is
// taken for a call.
//
// Sizes stay the same because clang knows the size of a file before it can be
// told of other contents. A character that is added takes the place of a blank:
// of its line's indentation, before it, or of the indentation of a line before.
//
// Source: Inline PTX Assembly in CUDA; clang's GCCAsmStmt::AnalyzeAsmString for
// what may stand behind %.
//
//===----------------------------------------------------------------------===//

#include "tools/clang-plugin/NvccForms.h"
#include "tools/clang-plugin/SourceTokens.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace gridspan;

namespace {

class Rewriter : SourceTokens {
public:
  explicit Rewriter(StringRef Text) : SourceTokens(Text), Out(Text.str()) {}

  std::optional<std::string> run();

private:
  void readAsm();
  void escapeNames(const Token &Literal);
  void insert(size_t At, char C);
  void insertWord(size_t At, StringRef Word);
  bool isSpare(size_t Where, char C) const;
  void readShared(size_t From, const Token &Shared);
  void readLaunch(const Token &First);
  void nameGrids(size_t From);
  void noteParameter(const Token &Keyword);
  void nameTemplate(const Token &Name);
  bool isOfTemplateParameter(size_t Qualified) const;
  bool isMember() const;
  bool hasNoArguments();
  void noteBracket(StringRef Spelling, StringRef Before);
  void readDirective(const Token &Hash);
  bool mayBeLoop(const Token &First);
  bool joins(size_t From, char C, size_t &To) const;

  std::string Out; ///< of Text's size at all times
  /// Names of types that templates have as parameters.
  StringSet<> Parameters;
  /// What is before it may have moved, so that nothing is inserted there.
  size_t LastInserted = 0;
  size_t LastEnd = 0; ///< of the token that run() read before
  /// The brackets that are open, each with whether commas in it may be between
  /// elements: arguments, initializers.
  SmallVector<std::pair<char, bool>, 16> Brackets;
  bool Changed = false;
};

} // namespace

//===--- Edits ----------------------------------------------------------===//

/// Inserts C before a place, at the cost of a blank: the last of the
/// indentation of its line, or else of a line before. So places in Indents stay
/// right: none is between the two, where the text moves.
void Rewriter::insert(size_t Where, char C) {
  if (Where < LastInserted)
    return;
  const auto *Behind = lower_bound(Indents, Where);
  const size_t Begin = StringRef(Out).take_front(Where).rfind('\n') + 1;
  size_t Blank;
  if (Behind != Indents.begin() && Behind[-1] >= Begin)
    Blank = Behind[-1];
  else if (isSpare(Where, C))
    Blank = Where - 1;
  else if (Behind != Indents.begin())
    Blank = Behind[-1];
  else
    return;
  Indents.erase(lower_bound(Indents, Blank), Behind);
  Out.erase(Blank, 1);
  Out.insert(Where - 1, 1, C);
  LastInserted = Where;
  Changed = true;
}

/// Returns true if nobody needs the blank directly before a place, where C is
/// to be: it is behind a comma, or C is one.
bool Rewriter::isSpare(size_t Where, char C) const {
  return Where >= 2 && (Out[Where - 1] == ' ' || Out[Where - 1] == '\t') &&
         (C == ',' || Out[Where - 2] == ',');
}

/// Inserts all of Word before a place, or nothing of it.
void Rewriter::insertWord(size_t Where, StringRef Word) {
  const size_t Room = lower_bound(Indents, Where) - Indents.begin();
  if (Where >= LastInserted && Room >= Word.size())
    for (const char C : Word)
      insert(Where, C);
}

/// Doubles each % of the literal that a name of two letters or more follows.
/// One letter is a modifier of an operand.
void Rewriter::escapeNames(const Token &Literal) {
  for (size_t I = Literal.From; I + 2 < Literal.To; ++I) {
    if (Text[I] != '%')
      continue;
    if (isAlpha(Text[I + 1]) && (isAlpha(Text[I + 2]) || Text[I + 2] == '_'))
      insert(I, '%');
    else if (Text[I + 1] == '%')
      ++I;
  }
}

/// Reads an asm statement from its parenthesis.
void Rewriter::readAsm() {
  SmallVector<Token, 8> Code;
  SmallVector<size_t, 8> Commas;
  bool HasOperands = false, AfterParenthesis = false;
  unsigned Depth = 1;
  while (Depth) {
    const Token T = next();
    if (T.K == Token::End)
      return;
    const StringRef Spelling = textOf(T);
    if (T.K == Token::String) {
      if (!HasOperands)
        Code.push_back(T);
      else if (Depth == 1 && AfterParenthesis)
        Commas.push_back(T.From);
    } else if (T.K == Token::Other) {
      Depth += Spelling == "(";
      Depth -= Spelling == ")";
      HasOperands |= Spelling == ":" && Depth == 1;
    }
    AfterParenthesis = Spelling == ")";
  }
  // Without operands % is itself.
  if (HasOperands)
    for (const Token &T : Code)
      escapeNames(T);
  for (const size_t Comma : Commas)
    insert(Comma, ',');
}

/// Moves an alignas behind Shared before the specifiers, which begin at From.
void Rewriter::readShared(size_t From, const Token &Shared) {
  const size_t Before = At;
  const Token Alignas = next();
  if (Alignas.K != Token::Name || textOf(Alignas) != "alignas" ||
      textOf(next()) != "(") {
    At = Before;
    return;
  }
  unsigned Depth = 1;
  Token T = {};
  while (Depth) {
    T = next();
    if (T.K == Token::End)
      return;
    Depth += T.K == Token::Other && textOf(T) == "(";
    Depth -= T.K == Token::Other && textOf(T) == ")";
  }
  // Lines stay where they are.
  if (Text.slice(From, T.To).contains('\n'))
    return;
  const StringRef Specifiers = Text.slice(From, Shared.To);
  const StringRef Between = Text.slice(Shared.To, Alignas.From);
  const StringRef Alignment = Text.slice(Alignas.From, T.To);
  Out.replace(From, T.To - From, (Alignment + Between + Specifiers).str());
  Changed = true;
}

/// Returns true if three times C begins at From, with blanks in between. Sets
/// To to the place behind.
bool Rewriter::joins(size_t From, char C, size_t &To) const {
  unsigned Count = 0;
  for (To = From; To < Text.size() && Count < 3; ++To) {
    if (Text[To] == C)
      ++Count;
    else if (Text[To] != ' ' && Text[To] != '\t')
      return false;
  }
  return Count == 3 && To - From > 3 && To < Text.size() && Text[To] != C &&
         Text[To] != '=';
}

/// Joins the brackets of a launch whose first is First. Three < are no C++;
/// three > are, so that they have to be the end of a launch.
void Rewriter::readLaunch(const Token &First) {
  size_t OpenEnd = 0, CloseEnd = 0;
  if (!joins(First.From, '<', OpenEnd))
    return;
  const size_t Behind = At;
  At = OpenEnd;
  unsigned Depth = 0;
  for (Token T = next(); T.K != Token::End; T = next()) {
    const StringRef Spelling = textOf(T);
    if (Spelling == ";" || Spelling == "{")
      break;
    Depth += Spelling == "(";
    if (Spelling == ")" && Depth-- == 0)
      break;
    const bool IsJoined = Text.substr(T.From).starts_with(">>>");
    if (Depth || !(IsJoined || joins(T.From, '>', CloseEnd)))
      continue;
    At = IsJoined ? T.From + 3 : CloseEnd;
    const size_t End = At;
    const bool IsLaunch = textOf(next()) == "(";
    At = End;
    if (!IsLaunch)
      break;
    const auto Join = [&](size_t From, size_t To, char C) {
      Out.replace(From, To - From,
                  std::string(To - From - 3, ' ') + std::string(3, C));
    };
    Join(First.From, OpenEnd, '<');
    Join(T.From, End, '>');
    Changed = true;
    return;
  }
  At = Behind;
}

/// Writes dim3 before the braces that the first two arguments of a launch begin
/// with, whose brackets open before From.
void Rewriter::nameGrids(size_t From) {
  const size_t Behind = At;
  At = From;
  unsigned Depth = 0, Argument = 0;
  bool IsFirst = true;
  for (Token T = next(); T.K != Token::End && Argument < 2; T = next()) {
    const StringRef Spelling = textOf(T);
    if (Spelling == ";" || (!Depth && Text.substr(T.From).starts_with(">>>")))
      break;
    if (Spelling == "{" && IsFirst)
      insertWord(T.From, "dim3");
    Depth += Spelling == "(" || Spelling == "{" || Spelling == "[";
    if ((Spelling == ")" || Spelling == "}" || Spelling == "]") && Depth-- == 0)
      break;
    IsFirst = Spelling == "," && !Depth;
    Argument += IsFirst;
  }
  At = Behind;
}

/// Notes the name behind class or typename, if it is a template's parameter.
void Rewriter::noteParameter(const Token &Keyword) {
  const size_t Behind = At;
  const Token Name = next();
  if (Name.K == Token::Name) {
    const StringRef Next = textOf(next());
    if (Next == "," || Next == ">" || Next == "=")
      Parameters.insert(textOf(Name));
  }
  At = Behind;
}

/// Returns true if Before ends with the > of template arguments: their < is
/// directly behind a name, and what is between has no operator of lower rank.
static bool endsWithArguments(StringRef Before) {
  unsigned Angles = 0, Others = 0;
  for (size_t I = Before.size(); I-- > 1;) {
    const char C = Before[I];
    if (C == ')' || C == ']')
      ++Others;
    else if ((C == '(' || C == '[') && Others-- == 0)
      return false;
    if (StringRef(";{}?|=\"").contains(C) ||
        (C == '&' && !StringRef("&>,").contains(Before[I + 1])))
      return false;
    if (Others)
      continue;
    Angles += C == '>';
    if (C == '<' && --Angles == 0)
      return isAlnum(Before[I - 1]) || Before[I - 1] == '_';
  }
  return false;
}

/// Returns true if what stands before :: depends on template parameters, as far
/// as tokens show: it ends with template arguments, or is a parameter.
bool Rewriter::isOfTemplateParameter(size_t Qualified) const {
  const StringRef Before = Text.take_front(Qualified);
  if (Before.ends_with(">"))
    return endsWithArguments(Before);
  const size_t Begin =
      Before.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                              "UVWXYZ0123456789_$") +
      1;
  return Parameters.contains(Before.substr(Begin)) &&
         !Before.take_front(Begin).ends_with(":");
}

/// Returns true if what run() reads now is named through a type or an object.
/// A comment may be in between.
bool Rewriter::isMember() const {
  const StringRef Before = Text.take_front(LastEnd);
  return Before.ends_with("::") || Before.ends_with("->") ||
         (Before.ends_with(".") && !Before.ends_with(".."));
}

/// Writes template before Name, where it is the member of an unknown type and
/// template arguments of values follow, directly and up to a parenthesis. As a
/// comparison of a comparison nobody writes it so. With several arguments it
/// may be two arguments of a call, f(A.X<B, C>(D)), or initializers, except
/// before (), which is no value.
void Rewriter::nameTemplate(const Token &Name) {
  const bool OfType = Text.take_front(LastEnd).ends_with("::");
  if (OfType ? !isOfTemplateParameter(LastEnd - 2) : !isMember())
    return;
  const size_t Behind = At;
  ++At;
  unsigned Depth = 0;
  bool HasSeveral = false;
  for (Token T = next(); T.K != Token::End; T = next()) {
    const StringRef Spelling = textOf(T);
    if (Spelling == ">" && !Depth) {
      const bool IsCall =
          At < Text.size() && Text[At] == '(' && T.From > Behind + 1;
      const bool InList = Brackets.empty() || Brackets.back().second;
      if (IsCall && (!HasSeveral || !InList || hasNoArguments()))
        insertWord(Name.From, "template ");
      break;
    }
    Depth += Spelling == "(";
    if (Spelling == ")" && Depth-- == 0)
      break;
    // The colon of ?: ends an operand. The value of a member is none that is
    // known when templates are instantiated.
    const bool IsQualifier =
        Spelling == ":" && Text.slice(T.From - 1, T.To + 1).contains("::");
    const bool IsValue = T.K == Token::Name || isDigit(Spelling[0]) ||
                         StringRef("()+-*/,").contains(Spelling) || IsQualifier;
    if (!IsValue)
      break;
    HasSeveral |= Spelling == "," && !Depth;
  }
  At = Behind;
}

/// Returns true if () follows.
bool Rewriter::hasNoArguments() {
  return textOf(next()) == "(" && textOf(next()) == ")";
}

/// Notes that a bracket opens, behind the token Before, or closes. One that is
/// missing, in a branch of the preprocessor, is not missed beyond its block.
void Rewriter::noteBracket(StringRef Spelling, StringRef Before) {
  const char C = Spelling.front();
  const bool IsName = isAlnum(Before.back()) || Before.back() == '_';
  if (C == '(' || C == '[') {
    const bool IsOperand = IsName || StringRef("<>)]").contains(Before);
    Brackets.push_back({C, IsOperand && !is_contained({"if", "while", "switch",
                                                       "for", "return"},
                                                      Before)});
  } else if (C == '{') {
    const bool IsBlock =
        is_contained({")", ";", "}", "else", "do", "try", "const", "mutable",
                      "noexcept", "override"},
                     Before) ||
        (Before == "{" && !Brackets.empty() && !Brackets.back().second);
    Brackets.push_back({C, !IsBlock});
  } else if (C == ')' || C == ']') {
    if (!Brackets.empty() && Brackets.back().first != '{')
      Brackets.pop_back();
  } else if (C == '}') {
    while (!Brackets.empty() && Brackets.pop_back_val().first != '{') {
    }
  }
}

/// Returns false if a statement that begins with First surely is no loop. It
/// may be one by a macro's name.
bool Rewriter::mayBeLoop(const Token &First) {
  const StringRef Name = textOf(First);
  if (First.K == Token::Other)
    return Name == "#" || Name == "[" || Name == "\\";
  if (First.K != Token::Name)
    return false;
  if (is_contained({"if",       "else",      "return",    "switch",  "break",
                    "continue", "goto",      "case",      "default", "int",
                    "float",    "double",    "char",      "bool",    "unsigned",
                    "signed",   "long",      "short",     "const",   "auto",
                    "static",   "volatile",  "constexpr", "using",   "typedef",
                    "register", "__shared__"},
                   Name))
    return false;
  if (is_contained({"for", "while", "do", "_Pragma", "__pragma",
                    "__attribute__", "__extension__"},
                   Name))
    return true;
  const Token Second = next();
  if (Second.K == Token::Name)
    return mayBeLoop(Second);
  // LOOP(I, N) ..., FOREVER { ..., LABEL: for ...
  const StringRef Spelling = textOf(Second);
  return Second.K == Token::End || Spelling == "(" || Spelling == "{" ||
         Spelling == "#" || Spelling == "\\" ||
         (Spelling == ":" && !Text.substr(Second.From).starts_with("::"));
}

/// Makes a comment of #pragma unroll, where no loop follows. The text behind
/// the directive is read again.
void Rewriter::readDirective(const Token &Hash) {
  const size_t Behind = At;
  if (textOf(next()) != "pragma" || textOf(next()) != "unroll") {
    At = Behind;
    return;
  }
  const size_t LineEnd = std::min(Text.find('\n', Hash.From), Text.size());
  const StringRef Line = Text.slice(Hash.From, LineEnd);
  if (!Line.rtrim().ends_with("\\") && !Line.contains("/*")) {
    At = LineEnd;
    if (!mayBeLoop(next())) {
      Out.replace(Hash.From, 2, "//");
      Changed = true;
    }
  }
  At = LineEnd;
}

std::optional<std::string> Rewriter::run() {
  // The first of the specifiers that the last tokens were.
  std::optional<size_t> Specifiers;
  // A declaration names a template's member without the keyword: template <>
  // int X<int>::f<2>(int).
  bool InDeclaration = false;
  StringRef Before = ";";
  for (Token T = next(); T.K != Token::End; LastEnd = T.To, T = next()) {
    const StringRef Spelling = textOf(T);
    if (T.K == Token::Other)
      noteBracket(Spelling, Before);
    Before = Spelling;
    if (T.K == Token::Name &&
        (Spelling == "static" || Spelling == "extern" ||
         Spelling == "volatile" || Spelling == "inline")) {
      Specifiers = Specifiers.value_or(T.From);
      continue;
    }
    if (T.K == Token::Name && Spelling == "__shared__")
      readShared(Specifiers.value_or(T.From), T);
    else if (T.K == Token::Name &&
             (Spelling == "class" || Spelling == "typename"))
      noteParameter(T);
    else if (Spelling == "friend" || (Spelling == "template" && !isMember()))
      InDeclaration = true;
    else if (T.K == Token::Name && !InDeclaration && At < Text.size() &&
             Text[At] == '<')
      nameTemplate(T);
    else if (Spelling == ";" || Spelling == "{" || Spelling == "}")
      InDeclaration = false;
    Specifiers.reset();
    if (Spelling == "#")
      readDirective(T);
    if (Spelling == "<") {
      readLaunch(T);
      if (Text.substr(T.From).starts_with("<<<") && At == T.From + 1)
        nameGrids(T.From + 3);
    }
    if (T.K != Token::Name ||
        (Spelling != "asm" && Spelling != "__asm__" && Spelling != "__asm"))
      continue;
    Token Next = next();
    while (Next.K == Token::Name)
      Next = next(); // volatile
    if (textOf(Next) == "(")
      readAsm();
  }
  if (!Changed)
    return std::nullopt;
  return std::move(Out);
}

std::optional<std::string> gridspan::rewriteNvccForms(StringRef Text) {
  // Most files have none of it.
  if (!Text.contains("asm") && !Text.contains("alignas") &&
      !Text.contains("<< <") && !Text.contains("< <<") &&
      !Text.contains("< < <") && !Text.contains("<<<") &&
      !Text.contains("unroll") && !Text.contains("template"))
    return std::nullopt;
  return Rewriter(Text).run();
}
