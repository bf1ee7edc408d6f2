//===- Commands.h - Command lines of clang for a request --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts a request, the installation and the toolkit together: the flags that
// stand for Gridspan, and the commands that do the whole job.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_COMMANDS_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_COMMANDS_H

#include "tools/gridspan++/Installation.h"
#include "tools/gridspan++/Options.h"
#include "tools/gridspan++/Temporaries.h"
#include "tools/gridspan++/Toolkit.h"
#include <optional>
#include <string>
#include <vector>

namespace gridspan {

using CommandLine = std::vector<std::string>;

/// All that command lines are made from.
struct Setting {
  Installation Gridspan;
  Toolkit Cuda;
  std::string Overlay;
  std::vector<Architecture> Architectures;
  std::string ArchitectureList; ///< of all of them: __CUDA_ARCH_LIST__
};

/// Returns what `clang++ -x cuda` needs to compile a CUDA source with Gridspan.
CommandLine compileFlags(const Request &R, const Setting &S);

/// Returns what is added at the end of a link with clang++.
CommandLine linkFlags(const Request &R, const Setting &S);

/// Commands that are run one after the other, and the files that they share.
struct Job {
  std::vector<CommandLine> Commands;
  /// Where the last command's standard output goes, if it is a file.
  std::optional<std::string> Output;
  Temporaries Files;
};

/// Sources that nvcc would take for C are compiled first, each on its own;
/// clang does the rest in one command.
llvm::Expected<Job> planJob(const Request &R, const Setting &S);

/// Returns the files that an object depends on beside what its source includes:
/// the compiler, the plugin and the tools that they run.
std::vector<std::string> compileInputs(const Setting &S);

/// One line, quoted for a shell.
std::string printable(const CommandLine &Command);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_COMMANDS_H
