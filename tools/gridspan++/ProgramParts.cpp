//===- ProgramParts.cpp - What a program is linked from -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at the undefined symbols of each object and archive member, against the
// table of untracked CUDA calls. The answer is sound because it errs on one
// side: a file that cannot be read, an unknown library, or an unknown linker
// option means that not all parts are known.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/ProgramParts.h"
#include "passes/common/UntrackedCudaCalls.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace gridspan;

/// Libraries of the system, which know nothing of CUDA.
static bool isSystemLibrary(StringRef Name) {
  static constexpr StringLiteral Names[] = {"c",    "dl",     "gcc", "gcc_s",
                                            "gomp", "m",      "omp", "pthread",
                                            "rt",   "stdc++", "z"};
  return is_contained(Names, Name);
}

static bool isHarmless(const object::Binary &File) {
  if (const auto *Object = dyn_cast<object::ObjectFile>(&File)) {
    for (const object::SymbolRef &Symbol : Object->symbols()) {
      Expected<uint32_t> Flags = Symbol.getFlags();
      Expected<StringRef> Name = Symbol.getName();
      if (!Flags || !Name) {
        consumeError(Flags.takeError());
        consumeError(Name.takeError());
        return false;
      }
      if ((*Flags & object::SymbolRef::SF_Undefined) &&
          mayGiveUntrackedWork(*Name))
        return false;
    }
    return true;
  }
  const auto *Archive = dyn_cast<object::Archive>(&File);
  if (!Archive)
    return false;
  Error E = Error::success();
  bool Harmless = true;
  for (const object::Archive::Child &Child : Archive->children(E)) {
    Expected<std::unique_ptr<object::Binary>> Member = Child.getAsBinary();
    if (!Member) {
      consumeError(Member.takeError());
      Harmless = false;
      continue;
    }
    Harmless &= isHarmless(**Member);
  }
  if (E) {
    consumeError(std::move(E));
    return false;
  }
  return Harmless;
}

static bool isHarmlessFile(StringRef Path) {
  Expected<object::OwningBinary<object::Binary>> File =
      object::createBinary(Path);
  if (File)
    return isHarmless(*File->getBinary());
  consumeError(File.takeError());
  return false;
}

bool gridspan::knowsAllParts(const Request &R) {
  if (!R.Plugin || R.Shared || R.Cudart != CudartKind::Static)
    return false;
  for (size_t I = 0; I < R.Args.size(); ++I) {
    const Argument &A = R.Args[I];
    StringRef Text = A.Text;
    switch (A.Kind) {
    case Argument::Source:
    case Argument::CSource:
    case Argument::OwnObject:
      continue;
    case Argument::Option:
      if (Text == "-fplugin" || Text.starts_with("-Wl,"))
        return false;
      continue;
    case Argument::LinkInput:
      break;
    }
    if (Text == "-x") {
      ++I; // a language, of what was compiled before
    } else if (Text.consume_front("-l")) {
      if (!isSystemLibrary(Text))
        return false;
    } else if (Text.starts_with("-")) {
      if (!Text.starts_with("-L"))
        return false;
    } else if (!Text.ends_with(".so") && !Text.contains(".so.") &&
               !isHarmlessFile(Text)) {
      return false;
    }
  }
  return true;
}
