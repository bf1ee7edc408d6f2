//===- FatbinJob.cpp - Commands of -fatbin --------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang makes a cubin for each architecture, and PTX where it was asked for;
// fatbinary packs them. clang itself makes one file for several architectures
// only within an object.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/FatbinJob.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace gridspan;

/// Adds the command that compiles Source for A. Kind is -c or -S.
static void compile(const Request &R, const Setting &S, const Architecture &A,
                    StringRef Source, StringRef Kind, StringRef Output,
                    Job &J) {
  Setting One = S;
  One.Architectures = {A};
  CommandLine Command = {S.Gridspan.Clang};
  append_range(Command, compileFlags(R, One));
  for (const Argument &Given : R.Args)
    if (Given.Kind == Argument::Option)
      Command.push_back(Given.Text);
  append_range(Command, CommandLine{Kind.str(), "-x", "cuda", Source.str(),
                                    "-o", Output.str()});
  J.Commands.push_back(std::move(Command));
}

/// Adds the commands that make a fat binary of Source.
static Error addFatbin(const Request &R, const Setting &S, StringRef Source,
                       StringRef Output, Job &J) {
  const StringRef Stem = sys::path::stem(Source);
  CommandLine Pack = {S.Overlay + "/bin/fatbinary", "-64", "--create",
                      Output.str()};
  for (const Architecture &A : S.Architectures) {
    Expected<std::string> Cubin = J.Files.add(Stem, "cubin");
    if (!Cubin)
      return Cubin.takeError();
    compile(R, S, A, Source, "-c", *Cubin, J);
    Pack.push_back(A.cubinImage(*Cubin));
    if (!A.Ptx)
      continue;
    Expected<std::string> Ptx = J.Files.add(Stem, "ptx");
    if (!Ptx)
      return Ptx.takeError();
    compile(R, S, A, Source, "-S", *Ptx, J);
    Pack.push_back(A.ptxImage(*Ptx));
  }
  J.Commands.push_back(std::move(Pack));
  return Error::success();
}

Expected<Job> gridspan::planFatbin(const Request &R, const Setting &S) {
  Job J;
  unsigned Sources = 0;
  for (size_t I = 0; I < R.Args.size(); ++I) {
    const Argument &A = R.Args[I];
    if (A.Kind != Argument::Source && A.Kind != Argument::CSource)
      continue;
    if (A.Text == "-x") {
      ++I; // its value
      continue;
    }
    if (R.Output && Sources++)
      return createStringError(inconvertibleErrorCode(),
                               "-o: several sources cannot have one output");
    SmallString<128> Name = sys::path::filename(A.Text);
    sys::path::replace_extension(Name, "fatbin");
    if (Error E =
            addFatbin(R, S, A.Text, R.Output.value_or(Name.str().str()), J))
      return std::move(E);
  }
  return J;
}
