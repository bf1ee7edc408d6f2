//===- OptionSyntax.cpp - How arguments are read --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables that are not nvcc's: clang's options with a value of their own,
// and the suffixes of sources.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/OptionSyntax.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

std::vector<std::string> gridspan::splitList(StringRef List) {
  std::vector<std::string> Parts(1);
  bool Quoted = false;
  for (size_t I = 0; I < List.size(); ++I) {
    char C = List[I];
    Quoted ^= C == '"';
    if (C == '\\' && I + 1 < List.size() && List[I + 1] == ',')
      Parts.back() += List[++I];
    else if ((C == ',' && !Quoted) || isSpace(C))
      Parts.emplace_back();
    else if (C != '"' && C != '\'')
      Parts.back() += C;
  }
  llvm::erase(Parts, "");
  return Parts;
}

std::vector<std::string> gridspan::splitValues(StringRef List) {
  std::vector<std::string> Parts(1);
  const auto Opens = [](char C) { return C == '(' || C == '[' || C == '{'; };
  const auto Closes = [](char C) { return C == ')' || C == ']' || C == '}'; };
  const bool Protects = count_if(List, Opens) == count_if(List, Closes);
  bool Quoted = false;
  unsigned Depth = 0;
  for (size_t I = 0; I < List.size(); ++I) {
    const char C = List[I];
    if (C == '\\' && I + 1 < List.size() &&
        StringRef(",\"\\").contains(List[I + 1])) {
      Parts.back() += List[++I];
      continue;
    }
    Quoted ^= C == '"';
    Depth += Opens(C);
    Depth -= Closes(C) && Depth;
    if (C == ',' && !Quoted && !(Protects && Depth))
      Parts.emplace_back();
    else
      Parts.back() += C;
  }
  llvm::erase(Parts, "");
  return Parts;
}

/// Returns true if a definition of a macro begins so, as -D takes it.
static bool namesMacro(StringRef Text) {
  const StringRef Name =
      Text.take_while([](char C) { return isAlnum(C) || C == '_'; });
  const StringRef Rest = Text.substr(Name.size());
  return !Name.empty() && !isDigit(Name[0]) &&
         (Rest.empty() || Rest[0] == '=' || Rest[0] == '(');
}

std::vector<std::string> gridspan::splitMacros(StringRef List) {
  std::vector<std::string> Macros;
  for (std::string &Part : splitValues(List))
    if (Macros.empty() || namesMacro(Part))
      Macros.push_back(std::move(Part));
    else
      Macros.back() += "," + Part;
  return Macros;
}

bool gridspan::takesNextArgument(StringRef Option) {
  static const StringSet<> Names = {"-o",
                                    "-I",
                                    "-D",
                                    "-U",
                                    "-L",
                                    "-l",
                                    "-include",
                                    "-isystem",
                                    "-iquote",
                                    "-idirafter",
                                    "-imacros",
                                    "-isysroot",
                                    "-iprefix",
                                    "-MF",
                                    "-MT",
                                    "-MQ",
                                    "-Xclang",
                                    "-mllvm",
                                    "-Xassembler",
                                    "-Xpreprocessor",
                                    "-T",
                                    "-u",
                                    "-z",
                                    "-e",
                                    "-target",
                                    "--param",
                                    "-Xarch_host",
                                    "-Xarch_device",
                                    "-framework",
                                    "-Xcuda-ptxas",
                                    "-Xcuda-fatbinary",
                                    "-aux-info",
                                    "-include-pch",
                                    "-rpath",
                                    "--sysroot",
                                    "-dumpdir"};
  return Names.contains(Option);
}

bool gridspan::isPreprocessorOption(StringRef Option) {
  for (StringRef Prefix : {"-D", "-U", "-I", "-isystem", "-iquote",
                           "-idirafter", "-include", "-imacros"})
    if (Option.starts_with(Prefix))
      return true;
  return false;
}

bool gridspan::isSourceExtension(StringRef Extension) {
  return StringSwitch<bool>(Extension)
      .Cases(".cu", ".cc", ".cpp", ".cxx", ".C", ".c++", ".cp", true)
      .Cases(".ii", ".cui", ".s", ".S", ".ll", ".bc", true)
      .Default(false);
}
