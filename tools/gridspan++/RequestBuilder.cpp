//===- RequestBuilder.cpp - What options add to a request -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an option means for one compilation is said to clang by -Xarch_device or
// -Xarch_host. What it means for the job as a whole is a member of the request.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/RequestBuilder.h"
#include "tools/gridspan++/OptionSyntax.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace gridspan;

void RequestBuilder::option(const Twine &Text) {
  R.Args.push_back({Text.str(), Argument::Option});
}

void RequestBuilder::deviceOption(const Twine &Text) {
  option("-Xarch_device");
  option(Text);
}

void RequestBuilder::hostOption(const Twine &Text) {
  option("-Xarch_host");
  option(Text);
}

void RequestBuilder::clangOption(StringRef Text) {
  if (Text.starts_with("-O") && Text.size() > 1) {
    R.OptimizationGiven = true;
    R.DeviceOptimized = !DeviceDebug && Text != "-O0";
  }
  if (Text.starts_with("-g") && Text != "-g0")
    R.HostDebug = true;
  if (Text == "-c" || Text == "-S" || Text == "-E" || Text == "-M" ||
      Text == "-MM" || Text == "-fsyntax-only" || Text == "-emit-llvm")
    R.StopsBeforeLink = true;
  if (Text == "-E" || Text == "-M" || Text == "-MM")
    R.PrintsText = true;
  if (Text == "-c")
    R.ObjectsOnly = true;
  if (Text == "-v")
    R.Verbose = true;
  if (Text == "-shared")
    R.Shared = true;
  if (Text.starts_with("-Wl,") || Text.starts_with("-L"))
    return linkInput(Text);
  option(Text);
}

void RequestBuilder::renamed(StringRef To, StringRef V, bool HasValue) {
  if (To == "-o")
    R.Output = V.str();
  else if (HasValue && (To.size() == 2 || To.ends_with("=")))
    // -D, -I, -L, ...
    clangOption((To + V).str());
  else {
    clangOption(To);
    if (HasValue)
      option(V);
  }
}

void RequestBuilder::listed(StringRef To, StringRef List) {
  if (List.empty())
    return fail("expects a value");
  for (const std::string &V :
       To == "-D" ? splitMacros(List) : splitValues(List))
    if (To == "-l")
      library(V);
    else if (To == "-L")
      linkInput("-L" + V);
    else if (To.size() == 2)
      option(To + V);
    else {
      option(To);
      option(V);
    }
}

void RequestBuilder::input(StringRef Path) {
  StringRef Extension = sys::path::extension(Path);
  if (Language.empty() || Language == "none") {
    if (Extension == ".c")
      R.Args.push_back({Path.str(), Argument::CSource});
    else
      R.Args.push_back({Path.str(), isSourceExtension(Extension) || Path == "-"
                                        ? Argument::Source
                                        : Argument::LinkInput});
    return;
  }
  // Objects stay objects under nvcc's -x cu.
  if (Extension == ".o" || Extension == ".a" || Extension == ".so") {
    for (StringRef Text :
         {StringRef("-x"), StringRef("none"), Path, StringRef("-x"), Language})
      linkInput(Text);
    return;
  }
  R.Args.push_back({Path.str(), Argument::Source});
}

void RequestBuilder::linkInput(const Twine &Text) {
  R.Args.push_back({Text.str(), Argument::LinkInput});
}

void RequestBuilder::library(StringRef Name) {
  // gridspan++ links the CUDA runtime itself, after the program.
  if (Name == "cudart")
    NamedCudart = CudartKind::Shared;
  else if (Name == "cudart_static")
    NamedCudart = CudartKind::Static;
  else if (Name != "cudadevrt")
    linkInput("-l" + Name);
}

void RequestBuilder::fail(const Twine &Why) {
  R.Error = (Spelling + ": " + Why).str();
}

void RequestBuilder::note(const Twine &Text) {
  std::string Line = Text.str();
  if (!is_contained(R.Notes, Line))
    R.Notes.push_back(std::move(Line));
}

bool RequestBuilder::flagValue(StringRef Text) {
  if (Text == "true" || Text == "1")
    return true;
  if (Text != "false" && Text != "0")
    fail("expected true or false, not '" + Text + "'");
  return false;
}

void RequestBuilder::finish() {
  const bool Prints = R.Action == RequestedAction::PrintFlags;
  Spelling = R.DeviceLink ? "-dlink" : R.Library ? "-lib" : "-rdc=true";
  if (R.Relocatable && Prints)
    return fail("takes several commands, not flags for one");
  if ((R.DeviceLink || R.Library) && R.StopsBeforeLink)
    return fail("does not go together with -c, -dc and their kin");
  if (R.DeviceLink && R.Library)
    return fail("does not go together with -lib");
  // Then it is the program's to name, and still not to be linked before it.
  if (R.Cudart == CudartKind::None && NamedCudart)
    R.Cudart = *NamedCudart;
  if (R.DeviceLink && !R.Plugin)
    return fail("does not go together with -fno-gridspan");
  const bool Links = !R.StopsBeforeLink && !R.Library && !R.DeviceLink;
  if (R.Run && !Links) {
    Spelling = "-run";
    return fail("there is no program to run");
  }
  if (R.DeviceLink)
    for (const Argument &A : R.Args)
      if (is_contained({".ptx", ".cubin", ".fatbin"},
                       sys::path::extension(A.Text)))
        return fail(A.Text + ": only device code of objects is linked");
  if (R.Library && !R.Output)
    R.Output = R.inOutputFolder("a.a"); // nvcc's names
  if (R.DeviceLink && !R.Output)
    R.Output = R.inOutputFolder("a_dlink.o");
  if (Links && !R.Output && !R.OutputFolder.empty())
    R.Output = R.inOutputFolder("a.out");
  // What clang would write is half of an object.
  if (R.Relocatable && R.StopsBeforeLink && !R.ObjectsOnly && !R.DeviceOnly &&
      any_of(R.Args, [](const Argument &A) {
        return A.Kind == Argument::Option &&
               (A.Text == "-S" || A.Text == "-emit-llvm");
      }))
    return fail("only objects are made of relocatable device code, not "
                "assembly");
}
