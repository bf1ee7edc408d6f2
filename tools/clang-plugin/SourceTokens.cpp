//===- SourceTokens.cpp - Tokens of C++ source text -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operator of several characters is as many tokens, and a line that is
// continued one line.
//
//===----------------------------------------------------------------------===//

#include "tools/clang-plugin/SourceTokens.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace gridspan;

static bool isNamePart(char C) { return isAlnum(C) || C == '_' || C == '$'; }

/// Notes the blanks at At, if they indent a line. Of those that continue a line
/// the first stays, which keeps two tokens apart.
void SourceTokens::skipIndent() {
  const size_t End = std::min(Text.find_first_not_of(" \t", At), Text.size());
  if (At == 0 || Text[At - 1] == '\n') {
    const StringRef Before = Text.take_front(At).drop_back(At ? 1 : 0);
    const bool Continues = Before.rtrim(" \t\r").ends_with("\\");
    // What is read a second time is noted already, or has been used.
    for (size_t I = std::max(At + Continues, Indented); I < End; ++I)
      Indents.push_back(I);
    Indented = std::max(Indented, End);
  }
  At = End;
}

void SourceTokens::skipBlanks() {
  while (At < Text.size()) {
    StringRef Rest = Text.substr(At);
    if (Rest[0] == ' ' || Rest[0] == '\t')
      skipIndent();
    else if (isSpace(Rest[0]))
      ++At;
    else if (Rest.starts_with("\\\n"))
      At += 2;
    else if (Rest.starts_with("//"))
      At = std::min(Text.find('\n', At), Text.size());
    else if (Rest.starts_with("/*")) {
      const size_t End = Text.find("*/", At + 2);
      At = End == StringRef::npos ? Text.size() : End + 2;
    } else
      return;
  }
}

/// Goes behind a literal, whose first quote is at At. It ends with its line,
/// unless that is continued.
void SourceTokens::skipLiteral(char Quote) {
  for (++At; At < Text.size() && Text[At] != Quote && Text[At] != '\n'; ++At)
    if (Text[At] == '\\') {
      const size_t Next = Text.find_first_not_of(" \t\r", At + 1);
      At = Next < Text.size() && Text[Next] == '\n' ? Next : At + 1;
    }
  At = std::min(At + 1, Text.size());
}

void SourceTokens::skipRawString() {
  const size_t Open = Text.find('(', At);
  if (Open == StringRef::npos) {
    At = Text.size();
    return;
  }
  const std::string Close = (")" + Text.slice(At + 1, Open) + "\"").str();
  const size_t End = Text.find(Close, Open);
  At = End == StringRef::npos ? Text.size() : End + Close.size();
}

Token SourceTokens::next() {
  skipBlanks();
  Token T = {Token::Other, At, At};
  if (At == Text.size()) {
    T.K = Token::End;
    return T;
  }
  const char C = Text[At];
  if (isAlpha(C) || C == '_') {
    T.K = Token::Name;
    while (At < Text.size() && isNamePart(Text[At]))
      ++At;
    const StringRef Name = Text.slice(T.From, At);
    if (At < Text.size() && Text[At] == '"' &&
        is_contained({"R", "LR", "uR", "UR", "u8R"}, Name)) {
      T.K = Token::String;
      skipRawString();
    }
  } else if (isDigit(C)) {
    // With the digits' separators, which are no quotes.
    while (At < Text.size() && (isNamePart(Text[At]) || Text[At] == '.' ||
                                (Text[At] == '\'' && At + 1 < Text.size() &&
                                 isNamePart(Text[At + 1]))))
      ++At;
  } else if (C == '"') {
    T.K = Token::String;
    skipLiteral('"');
  } else if (C == '\'') {
    skipLiteral('\'');
  } else {
    ++At;
  }
  T.To = At;
  return T;
}
