//===- IntermediateJob.cpp - Commands of -cuda ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler of the host code writes assembly in place of an object, without
// what only clang's assembler knows and without line numbers, which would be
// mixed with those of the host compiler. This program, run again, puts it into
// the C++ file.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/IntermediateJob.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gridspan;

/// Adds the commands that make the file Output of Source.
static Error addIntermediate(const Request &R, const Setting &S,
                             StringRef Source, StringRef Output, Job &J) {
  Expected<std::string> Assembly = J.Files.add(sys::path::stem(Source), "s");
  if (!Assembly)
    return Assembly.takeError();
  CommandLine Compile = {S.Gridspan.Clang};
  append_range(Compile, compileFlags(R, S));
  for (const Argument &Given : R.Args)
    if (Given.Kind == Argument::Option)
      Compile.push_back(Given.Text);
  append_range(Compile, CommandLine{"-Xarch_host", "-g0", "-fno-addrsig", "-c",
                                    "-Xclang", "-S", "-x", "cuda", Source.str(),
                                    "-o", *Assembly});
  J.Commands.push_back(std::move(Compile));
  J.Commands.push_back(
      {S.Gridspan.Driver, "--wrap-assembly=" + *Assembly, "-o", Output.str()});
  return Error::success();
}

Expected<Job> gridspan::planIntermediate(const Request &R, const Setting &S) {
  if (R.Relocatable)
    return createStringError(inconvertibleErrorCode(),
                             "-cuda: relocatable device code is compiled to "
                             "objects only");
  Job J;
  unsigned Sources = 0;
  for (size_t I = 0; I < R.Args.size(); ++I) {
    const Argument &A = R.Args[I];
    if (A.Kind != Argument::Source)
      continue;
    if (A.Text == "-x") {
      ++I; // its value
      continue;
    }
    if (R.Output && Sources++)
      return createStringError(inconvertibleErrorCode(),
                               "-o: several sources cannot have one output");
    const std::string Name = sys::path::filename(A.Text).str() + ".cpp.ii";
    if (Error E = addIntermediate(R, S, A.Text, R.Output.value_or(Name), J))
      return std::move(E);
  }
  return J;
}

Error gridspan::wrapAssembly(StringRef From, StringRef To) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text = MemoryBuffer::getFile(From);
  if (std::error_code EC = Text.getError())
    return createStringError(EC, "cannot read '" + From + "'");
  std::error_code EC;
  raw_fd_ostream OS(To, EC);
  if (EC)
    return createStringError(EC, "cannot write '" + To + "'");
  OS << "asm(R\"gridspan(" << (*Text)->getBuffer() << ")gridspan\");\n";
  OS.close();
  if (OS.has_error()) {
    EC = OS.error();
    OS.clear_error();
    return createStringError(EC, "cannot write '" + To + "'");
  }
  return Error::success();
}
