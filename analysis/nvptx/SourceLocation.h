//===- SourceLocation.h - Where the user wrote it ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The line of the program's sources that an instruction comes from: where it is
// written itself, or, if that is in a header of the compiler, of the toolkit or
// of this project, where such a header was called from.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_SOURCELOCATION_H
#define GRIDSPAN_ANALYSIS_NVPTX_SOURCELOCATION_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class DILocation;
class Instruction;
} // namespace llvm

namespace gridspan {

/// Returns true if the file at that path, as debug information names it, comes
/// with the system, the compiler, the toolkit or this project. Debug
/// information does not say so itself.
bool isSystemFile(llvm::StringRef Path);

/// Returns the innermost location of I, which calls may have been inlined
/// around, in a file of the user's; the outermost one where there is none, as
/// in kernels of libraries; null without debug information.
const llvm::DILocation *userLocation(const llvm::Instruction &I);

/// Returns userLocation as "file:line:col", or "".
std::string sourceLocation(const llvm::Instruction &I);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_SOURCELOCATION_H
