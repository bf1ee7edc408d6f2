//===- ProgramParts.h - What a program is linked from -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lets the runtime take for granted that it sees all work that a program gives
// to GPUs. Without that, it must assume work of which it is not told.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_PROGRAMPARTS_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_PROGRAMPARTS_H

#include "tools/gridspan++/Options.h"

namespace gridspan {

/// True if nothing that R links gives work to a GPU but through the runtime.
/// Sources are compiled with the plugin, which looks at their calls itself.
/// Objects and archives, which this reads, may use no function of CUDA that
/// gives work (UntrackedCudaCalls.h). Shared libraries are looked at when the
/// program runs.
bool knowsAllParts(const Request &R);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_PROGRAMPARTS_H
