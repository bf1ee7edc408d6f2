//===- StandardInput.h - A source from standard input -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CUDA source is compiled several times, and standard input can be read once.
// So a CUDA source "-" becomes a temporary file, as nvcc does it: an output
// without -o is named after it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_STANDARDINPUT_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_STANDARDINPUT_H

#include "tools/gridspan++/Options.h"
#include "tools/gridspan++/Temporaries.h"

namespace gridspan {

/// Replaces a CUDA source "-" of R by a file among Files with its text.
llvm::Error saveStandardInput(Request &R, Temporaries &Files);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_STANDARDINPUT_H
