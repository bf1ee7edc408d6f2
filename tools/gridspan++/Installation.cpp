//===- Installation.cpp - Where Gridspan's own files are ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All files are looked up from the folder of the running program. A missing one
// is an error here, with its path, instead of a failure of clang later. clang++
// must have the major version that the plugin was built for.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/Installation.h"
#include "tools/gridspan++/Config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace gridspan;

static Expected<std::string> findClang() {
  auto Asked = sys::Process::GetEnv("GRIDSPAN_CLANG");
  // The plugin fits only the LLVM it was built with, so a clang++ without a
  // version in its name is no candidate.
  for (const std::string &Name :
       {Asked.value_or(""), std::string(GRIDSPAN_CLANG_PATH),
        std::string("clang++-" GRIDSPAN_LLVM_MAJOR)}) {
    if (Name.empty())
      continue;
    if (ErrorOr<std::string> Path = sys::findProgramByName(Name))
      return *Path;
    if (Asked)
      break;
  }
  return createStringError(inconvertibleErrorCode(),
                           "clang++ " GRIDSPAN_LLVM_MAJOR
                           " not found; name it with GRIDSPAN_CLANG");
}

Expected<Installation> gridspan::findInstallation(const char *Argv0,
                                                  void *MainAddress) {
  SmallString<256> Root(sys::fs::getMainExecutable(Argv0, MainAddress));
  const std::string Driver = Root.str().str();
  sys::path::remove_filename(Root); // bin
  std::string Bin = Root.str().str();
  sys::path::remove_filename(Root);
  SmallString<256> Lib = Root;
  sys::path::append(Lib, GRIDSPAN_LIBRARY_FOLDER);
  // A build tree always uses lib.
  if (!sys::fs::exists(Lib + "/libGridspan.so")) {
    Lib = Root;
    sys::path::append(Lib, "lib");
  }

  Installation Found;
  Found.Plugin = (Lib + "/libGridspan.so").str();
  Found.ClangPlugin = (Lib + "/libGridspanClang.so").str();
  Found.Runtime = (Lib + "/libgridspan.a").str();
  Found.SharedRuntime = (Lib + "/libgridspan.so").str();
  Found.Ranges = (Lib + "/libgridspan_ranges.a").str();
  Found.Renamed = (Lib + "/libgridspan_renamed.a").str();
  Found.CudaNames = (Lib + "/libgridspan_cuda_names.a").str();
  Found.Headers = (Lib + "/gridspan/include").str();
  Found.Fibers = (Lib + "/gridspan/libboost_context.a").str();
  Found.Fatbinary = Bin + "/gridspan-fatbinary";
  Found.Ptxas = Bin + "/gridspan-ptxas";
  for (const std::string &Path :
       {Found.Plugin, Found.ClangPlugin, Found.Runtime, Found.SharedRuntime,
        Found.Ranges, Found.Renamed, Found.CudaNames, Found.Headers,
        Found.Fibers, Found.Fatbinary, Found.Ptxas})
    if (!sys::fs::exists(Path))
      return createStringError(inconvertibleErrorCode(),
                               "incomplete installation: '" + Path +
                                   "' is missing");
  Expected<std::string> Clang = findClang();
  if (!Clang)
    return Clang.takeError();
  Found.Clang = *Clang;
  Found.Driver = Driver;
  return Found;
}
