//===- ProgramParts.h - What a program is linked from -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_PROGRAMPARTS_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_PROGRAMPARTS_H

#include "tools/gridspan++/Options.h"

namespace gridspan {

/// Whether nothing that R links gives work to a GPU but through the runtime:
/// sources are compiled with the plugin, which looks at their calls itself;
/// objects and archives use no function of CUDA that may
/// (UntrackedCudaCalls.h); shared libraries are looked at when the program
/// runs. What is not understood is no. Reads the objects and archives.
bool knowsAllParts(const Request &R);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_PROGRAMPARTS_H
