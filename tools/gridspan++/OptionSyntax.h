//===- OptionSyntax.h - How arguments are read ------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells values from inputs, and sources from objects.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_OPTIONSYNTAX_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_OPTIONSYNTAX_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace gridspan {

/// Splits the value of -Xcompiler and its kin: at commas that no backslash and
/// no quotes protect, and at blanks, because nvcc pastes the value into a shell
/// line.
std::vector<std::string> splitList(llvm::StringRef List);

/// Splits the value of -I and its kin: at commas that no backslash, no quotes
/// and no brackets protect, as far as these are balanced. Quotes and blanks are
/// part of a value.
std::vector<std::string> splitValues(llvm::StringRef List);

/// Splits the value of -D, only where a macro's name follows: for nvcc any
/// other part is an error, as 2> is in X=A<1,2>.
std::vector<std::string> splitMacros(llvm::StringRef List);

/// Returns true for options of clang whose value is the next argument, so that
/// the value is not taken for an input.
bool takesNextArgument(llvm::StringRef Option);

/// Returns true for options of the preprocessor, with their value joined or
/// not.
bool isPreprocessorOption(llvm::StringRef Option);

/// Returns true for suffixes of sources, ".c" excluded.
bool isSourceExtension(llvm::StringRef Extension);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_OPTIONSYNTAX_H
