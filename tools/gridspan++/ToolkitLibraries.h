//===- ToolkitLibraries.h - The toolkit's libraries, seen anew --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the folder of libraries in the overlay. A build system that takes
// gridspan++ for nvcc looks there for the CUDA runtime, and may have another
// compiler link with it. It finds Gridspan's runtime in that place, with CUDA's
// names for its functions, so that objects of all compilers reach it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_TOOLKITLIBRARIES_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_TOOLKITLIBRARIES_H

#include "tools/gridspan++/Installation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace gridspan {

/// Fills the new folder Folder, which will be renamed to FinalPlace, with links
/// to what is in Libraries, and with the CUDA runtime's replacements.
llvm::Error makeToolkitLibraries(llvm::StringRef Libraries,
                                 const Installation &Gridspan,
                                 llvm::StringRef Folder,
                                 llvm::StringRef FinalPlace);

/// Returns true for the file names of the CUDA runtime, which gridspan++ links
/// itself.
bool isCudaRuntime(llvm::StringRef Path);

/// Returns true if Folder has such libraries, of this Gridspan or of another
/// one.
bool hasToolkitLibraries(llvm::StringRef Folder);

/// Returns the names of the functions that Gridspan takes over, as one text.
llvm::StringRef takenOverNames();

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_TOOLKITLIBRARIES_H
