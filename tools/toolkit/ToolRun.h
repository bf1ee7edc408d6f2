//===- ToolRun.h - Files and programs of stand-ins --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What programs share that stand for a tool of the CUDA Toolkit in an overlay
// of it. The overlay has a link to the tool itself beside them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_TOOLKIT_TOOLRUN_H
#define GRIDSPAN_TOOLS_TOOLKIT_TOOLRUN_H

#include <ios>
#include <string>
#include <string_view>
#include <vector>

namespace gridspan {

/// Returns the path of the tool that the program of this name stands for.
std::string toolFor(const char *Argv0);

/// Returns the contents of a file; nothing if it cannot be read.
std::string readFile(const std::string &Path);

/// Writes a file; returns false, after a message on stderr, if that fails.
bool writeFile(const std::string &Path, std::string_view Bytes,
               std::ios::openmode How);

/// Runs the program Args[0], and returns its exit status; 1, and a message on
/// stderr, if it cannot be started.
int runTool(const std::vector<std::string> &Args);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_TOOLKIT_TOOLRUN_H
