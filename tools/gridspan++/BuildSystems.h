//===- BuildSystems.h - What build systems ask nvcc -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers what CMake asks a CUDA compiler before it uses it, in the form in
// which nvcc does: who it is, which toolkit it belongs to, what it links.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_BUILDSYSTEMS_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_BUILDSYSTEMS_H

#include "tools/gridspan++/Commands.h"

namespace gridspan {

/// The text of --version.
std::string versionText(const Setting &S);

/// Returns the lines that nvcc begins with under -v and --dryrun: the toolkit,
/// where headers and libraries are, the architectures, and how programs are
/// linked.
std::string environmentText(const Request &R, const Setting &S);

/// Returns true for the link by which CMake learns what programs with CUDA code
/// need when another driver links them: it reads the linker's command line.
bool isLinkProbe(const Request &R);

/// Returns what such a program is linked with: the overlay's libraries.
CommandLine probedLinkFlags(const Setting &S);

/// Returns macros of nvcc for the source by which CMake asks who compiles it.
/// No other source sees them, as they promise a compiler that this is not.
CommandLine identificationFlags(const Request &R, const Setting &S);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_BUILDSYSTEMS_H
