//===- PrecompiledHeaders.h - What every source begins with -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before a CUDA source clang reads its own headers for CUDA, the toolkit's and
// gridspan_nvcc_compat.h, once for each compilation of the source. In most
// sources that is most of the compile time. Sources that are compiled with the
// same options share it: a folder in the cache holds what clang made of these
// headers, in a file for the host and one for each architecture.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_PRECOMPILEDHEADERS_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_PRECOMPILEDHEADERS_H

#include "tools/gridspan++/Commands.h"

namespace gridspan {

/// Returns the options of clang that decide what the headers become, or nothing
/// if R's sources cannot share them. Pure.
std::optional<CommandLine> headerOptions(const Request &R, const Setting &S);

/// Lets the commands of J that compile R's sources use precompiled headers, if
/// there are some. Makes them the second time that the same options are used;
/// what is compiled once only does not pay for them. Several processes may do
/// this at once: one makes them, the others go without.
void usePrecompiledHeaders(const Request &R, const Setting &S, Job &J);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_PRECOMPILEDHEADERS_H
