//===- Demangle.h - Names of kernels as in the source -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns mangled names into the names that the program has in its source.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_DEMANGLE_H
#define GRIDSPAN_RUNTIME_SUPPORT_DEMANGLE_H

#include <string>

namespace gridspan {

/// "saxpy(int, float*)"; the name itself when it is not mangled.
std::string demangled(const char *Name);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_DEMANGLE_H
