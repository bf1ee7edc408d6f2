//===- Temporaries.cpp - Files that go with a command ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's handlers of signals remove what they were told of, but no folders: an
// empty one stays.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/Temporaries.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
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

Expected<std::string> Temporaries::addAlone(StringRef Stem,
                                            StringRef Extension) {
  SmallString<128> Folder;
  if (std::error_code Code = sys::fs::createUniqueDirectory(Stem, Folder))
    return createStringError(Code, "cannot create a temporary folder");
  SmallString<128> Path = Folder;
  sys::path::append(Path, Stem + "." + Extension);
  int Descriptor;
  std::error_code Code = sys::fs::setPermissions(Folder, sys::fs::owner_all);
  if (!Code)
    Code = sys::fs::openFileForWrite(Path, Descriptor);
  if (Code) {
    sys::fs::remove(Folder);
    return createStringError(Code, "cannot create a temporary file");
  }
  sys::Process::SafelyCloseFileDescriptor(Descriptor);
  Paths.push_back(Path.str().str());
  Paths.push_back(Folder.str().str());
  sys::RemoveFileOnSignal(Path);
  return Path.str().str();
}

void Temporaries::take(Temporaries &Other) {
  llvm::append_range(Paths, Other.Paths);
  Other.Paths.clear();
}
