//===- RedirectObjects.h - Objects compiled without the plugin --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects that another compiler made call the CUDA runtime directly. Gridspan
// has to see their allocations and copies as well, so their calls are
// redirected when they are linked.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_REDIRECTOBJECTS_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_REDIRECTOBJECTS_H

#include "tools/gridspan++/Options.h"
#include "tools/gridspan++/Temporaries.h"
#include "llvm/Support/Error.h"

namespace gridspan {

/// Replaces objects and archives among the inputs that call the CUDA runtime
/// API by copies whose calls go to Gridspan, as those of modules compiled with
/// the plugin do. Files owns the copies. NVIDIA's own archives,
/// files that cannot be read, and functions that an input defines itself are
/// left as they are.
void redirectObjects(std::vector<Argument> &Args, Temporaries &Files);

/// Writes a copy of the CUDA runtime's archive in which the functions that
/// Gridspan takes over have other names: __gridspan_real_<name>.
llvm::Error writeRealNames(llvm::StringRef Archive, llvm::StringRef Output);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_REDIRECTOBJECTS_H
