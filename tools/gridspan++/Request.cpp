//===- Request.cpp - What is asked of a request ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions about the inputs of a request, and where its outputs go.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace gridspan;

std::vector<size_t> Request::sources() const {
  std::vector<size_t> Sources;
  for (size_t I = 0; I < Args.size(); ++I) {
    const Argument &A = Args[I];
    if (A.Kind == Argument::Source && A.Text == "-x")
      ++I; // its value
    else if (A.Kind == Argument::Source || A.Kind == Argument::CSource)
      Sources.push_back(I);
  }
  return Sources;
}

bool Request::hasSources() const {
  return any_of(Args, [](const Argument &A) {
    return A.Kind == Argument::Source || A.Kind == Argument::CSource;
  });
}

bool Request::hasCudaSources() const {
  StringRef Language;
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Text = Args[I].Text;
    if (Args[I].Kind != Argument::Source)
      continue;
    if (Text == "-x" && I + 1 < Args.size())
      Language = Args[++I].Text;
    else if (Language == "cuda" || ((Language.empty() || Language == "none") &&
                                    sys::path::extension(Text) == ".cu"))
      return true;
  }
  return false;
}

std::string Request::inOutputFolder(StringRef Name) const {
  SmallString<128> Path(OutputFolder);
  sys::path::append(Path, Name);
  return Path.str().str();
}

std::string Request::inOutputFolder(StringRef Input,
                                    StringRef Extension) const {
  SmallString<128> Name = sys::path::filename(Input);
  sys::path::replace_extension(Name, Extension);
  return inOutputFolder(Name);
}

bool Request::hasInputs() const {
  return any_of(Args,
                [](const Argument &A) { return A.Kind != Argument::Option; });
}
