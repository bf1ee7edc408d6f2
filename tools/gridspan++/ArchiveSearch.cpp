//===- ArchiveSearch.cpp - The archives that -l means ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An archive that is not found here is linked all the same, by the linker. What
// is lost is only that gridspan++ looks into it.
//
// Source: GNU ld's manual, on -l and -L.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/ArchiveSearch.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace gridspan;

ArchiveSearch::ArchiveSearch(ArrayRef<Argument> Args) {
  for (const Argument &A : Args)
    if (StringRef(A.Text).starts_with("-L") && A.Kind == Argument::LinkInput)
      Folders.push_back(A.Text.substr(2));
}

std::string ArchiveSearch::find(StringRef Name) const {
  for (const std::string &Folder : Folders) {
    if (Name.starts_with(":")) {
      std::string Path = Folder + "/" + Name.drop_front().str();
      if (sys::fs::exists(Path))
        return Path;
      continue;
    }
    const std::string Stem = Folder + "/lib" + Name.str();
    if (sys::fs::exists(Stem + ".so"))
      return "";
    if (sys::fs::exists(Stem + ".a"))
      return Stem + ".a";
  }
  return "";
}
