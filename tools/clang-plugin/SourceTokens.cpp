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
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace gridspan;

static bool isNamePart(char C) { return isAlnum(C) || C == '_' || C == '$'; }

void SourceTokens::skipBlanks() {
  while (At < Text.size()) {
    StringRef Rest = Text.substr(At);
    if (isSpace(Rest[0]) || Rest.starts_with("\\\n")) {
      if ((Rest[0] == ' ' || Rest[0] == '\t') && At &&
          (Text[At - 1] == '\n' ||
           (!Indents.empty() && Indents.back() == At - 1)) &&
          (Indents.empty() || Indents.back() < At))
        Indents.push_back(At);
      At += Rest[0] == '\\' ? 2 : 1;
    } else if (Rest.starts_with("//"))
      At = std::min(Text.find('\n', At), Text.size());
    else if (Rest.starts_with("/*")) {
      const size_t End = Text.find("*/", At + 2);
      At = End == StringRef::npos ? Text.size() : End + 2;
    } else
      return;
  }
}

/// Goes behind a literal, whose first quote is at At. It ends with its line.
void SourceTokens::skipLiteral(char Quote) {
  for (++At; At < Text.size() && Text[At] != Quote && Text[At] != '\n'; ++At)
    if (Text[At] == '\\')
      ++At;
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
    if (At < Text.size() && Text[At] == '"' && Name.ends_with("R") &&
        Name.size() <= 3) {
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
