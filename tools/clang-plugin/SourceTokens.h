//===- SourceTokens.h - Tokens of C++ source text ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads text from its beginning to its end, without a preprocessor: directives
// are tokens like others. Comments and what literals hold are none.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_CLANG_PLUGIN_SOURCETOKENS_H
#define GRIDSPAN_TOOLS_CLANG_PLUGIN_SOURCETOKENS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace gridspan {

struct Token {
  enum Kind { Name, String, Other, End } K;
  size_t From, To;
};

class SourceTokens {
public:
  explicit SourceTokens(llvm::StringRef Text) : Text(Text) {}

  Token next();
  llvm::StringRef textOf(const Token &T) const {
    return Text.slice(T.From, T.To);
  }

protected:
  llvm::StringRef Text;
  size_t At = 0; ///< behind the last token; may be set back
  /// Blanks that indent lines and may be left out, in ascending order. What
  /// literals and comments hold is not among them.
  llvm::SmallVector<size_t, 0> Indents;

private:
  void skipIndent();
  void skipBlanks();
  void skipLiteral(char Quote);
  void skipRawString();

  size_t Indented = 0; ///< up to here all are noted
};

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_CLANG_PLUGIN_SOURCETOKENS_H
