//===- Temporaries.cpp - Files that go with a command ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's handlers of signals remove what they were told of.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/Temporaries.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

using namespace llvm;
using namespace gridspan;

Temporaries::~Temporaries() {
  for (const std::string &Path : Paths) {
    sys::fs::remove(Path);
    sys::DontRemoveFileOnSignal(Path);
  }
}

Expected<std::string> Temporaries::add(StringRef Stem, StringRef Extension) {
  SmallString<128> Path;
  if (std::error_code Code =
          sys::fs::createTemporaryFile(Stem, Extension, Path))
    return createStringError(Code, "cannot create a temporary file");
  Paths.push_back(Path.str().str());
  sys::RemoveFileOnSignal(Path);
  return Paths.back();
}

void Temporaries::take(Temporaries &Other) {
  llvm::append_range(Paths, Other.Paths);
  Other.Paths.clear();
}
