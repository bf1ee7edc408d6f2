//===- ArchiveSearch.h - The archives that -l means -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Searches the folders of -L as the linker does, with shared libraries before
// archives. The linker's own folders are left out: what is there belongs to the
// system.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_ARCHIVESEARCH_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_ARCHIVESEARCH_H

#include "tools/gridspan++/Options.h"

namespace gridspan {

class ArchiveSearch {
public:
  /// Takes the folders from the arguments of a link.
  explicit ArchiveSearch(llvm::ArrayRef<Argument> Args);

  /// Returns the path of the archive that -l with this name means. Empty if it
  /// means a shared library, or is found in none of the folders.
  std::string find(llvm::StringRef Name) const;

private:
  std::vector<std::string> Folders;
};

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_ARCHIVESEARCH_H
