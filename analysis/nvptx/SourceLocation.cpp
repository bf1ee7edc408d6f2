//===- SourceLocation.cpp - Where the user wrote it -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A system's file is told by its path. If a user's file is taken for one, as in
// a folder that is called cuda, what is shown is the line that calls it.
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/SourceLocation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gridspan {

/// Returns true for the name of a folder that a toolkit is installed in: cuda,
/// cuda-13.0.
static bool isToolkitFolder(StringRef Name) {
  return Name.consume_front("cuda") &&
         (Name.empty() ||
          (Name.consume_front("-") && !Name.empty() && isDigit(Name.front())));
}

bool isSystemFile(StringRef Path) {
  if (!sys::path::is_absolute(Path))
    return false;
  if (Path.contains("/lib/clang/") || Path.contains("/lib/gridspan/include/"))
    return true;
  bool IsInstalled = Path.starts_with("/usr/") || Path.starts_with("/opt/");
  for (StringRef Name :
       make_range(sys::path::begin(Path), sys::path::end(Path))) {
    if (IsInstalled && Name == "include")
      return true;
    IsInstalled |= isToolkitFolder(Name);
  }
  return false;
}

const DILocation *userLocation(const Instruction &I) {
  const DILocation *Outermost = nullptr;
  for (const DILocation *Loc = I.getDebugLoc().get(); Loc;
       Loc = Loc->getInlinedAt()) {
    // Line 0: merged from several lines.
    if (Loc->getLine() != 0 && !isSystemFile(Loc->getFilename()))
      return Loc;
    if (!Outermost || Loc->getLine() != 0)
      Outermost = Loc;
  }
  return Outermost;
}

std::string sourceLocation(const Instruction &I) {
  const DILocation *Loc = userLocation(I);
  if (!Loc || Loc->getLine() == 0)
    return "";
  return formatv("{0}:{1}:{2}", Loc->getFilename(), Loc->getLine(),
                 Loc->getColumn());
}

} // namespace gridspan
