//===- StandardInput.cpp - A source from standard input -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages have the name that clang has for standard input, by a line marker,
// which no option of the program's is to warn of. Headers in quotes are looked
// for in the current folder, as with standard input: the temporary file's has
// none.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/StandardInput.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gridspan;

/// Returns the CUDA source that stands for standard input, or nothing.
static Argument *standardInput(Request &R) {
  StringRef Language;
  for (size_t I = 0; I < R.Args.size(); ++I) {
    Argument &A = R.Args[I];
    if (A.Kind != Argument::Source)
      continue;
    if (A.Text == "-x" && I + 1 < R.Args.size())
      Language = R.Args[++I].Text;
    else if (A.Text == "-" && Language == "cuda")
      return &A;
  }
  return nullptr;
}

Error gridspan::saveStandardInput(Request &R, Temporaries &Files) {
  Argument *Source = standardInput(R);
  if (!Source)
    return Error::success();
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text = MemoryBuffer::getSTDIN();
  if (!Text)
    return createStringError(Text.getError(), "cannot read standard input");
  Expected<std::string> Path = Files.addAlone("stdin", "cu");
  if (!Path)
    return Path.takeError();
  std::error_code Code;
  raw_fd_ostream Out(*Path, Code);
  Out << "# 1 \"<stdin>\"\n" << (*Text)->getBuffer();
  Out.close();
  if (Code || Out.has_error())
    return createStringError(Code ? Code : Out.error(),
                             "cannot write '" + *Path + "'");
  Source->Text = *Path;
  R.Args.insert(R.Args.begin(), {"-iquote.", Argument::Option});
  R.Args.push_back({"-Wno-gnu-line-marker", Argument::Option});
  return Error::success();
}
