//===- Options.h - Command lines of nvcc and clang, as data -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the arguments of gridspan++ into a Request: what clang shall be told,
// in order, and the few things that are decided elsewhere (architectures, what
// to link). Options of nvcc come from NvccOptions.def; every other option is
// clang's and passes through. Pure: touches no file and starts nothing.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_OPTIONS_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_OPTIONS_H

#include "tools/gridspan++/Architecture.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace gridspan {

/// One argument of the command line, translated.
struct Argument {
  enum ArgumentKind {
    Option,    ///< for every command
    Source,    ///< a source for clang++
    CSource,   ///< a source that nvcc would compile as C
    LinkInput, ///< an object, an archive, or an option of the linker
    OwnObject, ///< an object that a command of the job makes
  };
  std::string Text;
  ArgumentKind Kind = Option;
};

enum class RequestedAction {
  Compile,
  PrintFlags,
  PrintLinkFlags,
  PrintCompileInputs,
  PrintToolkit,
  ListArchitectures,
  WrapAssembly,
  Help,
  Version,
};

enum class CudartKind { Static, Shared, None };

enum class RuntimeKind { Static, Shared };

struct Request {
  RequestedAction Action = RequestedAction::Compile;
  std::vector<Argument> Args;        ///< without -o and without inputs' -o
  std::optional<std::string> Output; ///< -o
  ArchitectureSet Architectures;
  CudartKind Cudart = CudartKind::Static;
  /// -gridspan-runtime; without, as the CUDA runtime.
  std::optional<RuntimeKind> AskedRuntime;
  std::string OutputFolder; ///< -odir, or empty: for outputs without -o
  std::string KeepFolder;   ///< --keep-dir, or empty
  std::vector<std::string> RunArguments; ///< --run-args
  std::string ToolkitPath;               ///< --cuda-path, or empty
  std::string Assembly;                  ///< --wrap-assembly
  bool StopsBeforeLink = false;          ///< -c, -S, -E, -M, ...
  bool ObjectsOnly = false;              ///< -c, -dc
  bool Relocatable = false;              ///< -rdc=true, -dc, -dlink
  bool DeviceLink = false;               ///< -dlink
  bool Library = false;                  ///< -lib
  bool OptimizationGiven = false;
  bool DeviceOptimized = true;    ///< false: -O0 or -G
  bool HostDebug = false;         ///< -g
  bool DeviceOnly = false;        ///< -ptx, -cubin, -fatbin
  bool Fatbin = false;            ///< -fatbin
  bool Intermediate = false;      ///< -cuda
  bool PrintsText = false;        ///< -E, -M, -MM
  bool Shared = false;            ///< -shared
  bool Plugin = true;             ///< false: -fno-gridspan
  bool PrecompiledHeaders = true; ///< false: -fno-gridspan-pch
  bool Primitives = true;         ///< false: -fno-gridspan-primitives
  bool Run = false;               ///< -run
  bool ListCodes = false;         ///< --list-gpu-code
  bool ListArchitectures = false; ///< --list-gpu-arch
  bool DryRun = false;
  bool Verbose = false; ///< -v
  /// Said once each, in order.
  std::vector<std::string> Notes;
  /// Not empty: the command line cannot be done; nothing else holds.
  std::string Error;

  RuntimeKind runtime() const {
    return AskedRuntime.value_or(Cudart == CudartKind::Shared
                                     ? RuntimeKind::Shared
                                     : RuntimeKind::Static);
  }
  /// Returns the path of an output that is given no other.
  std::string inOutputFolder(llvm::StringRef Name) const;
  /// The same for one that is named after an input.
  std::string inOutputFolder(llvm::StringRef Input,
                             llvm::StringRef Extension) const;
  /// Returns the places of the sources among Args.
  std::vector<size_t> sources() const;
  bool hasSources() const;
  bool hasCudaSources() const;
  bool hasInputs() const;
};

/// Args without the program's name, response files already expanded.
Request parseOptions(llvm::ArrayRef<llvm::StringRef> Args);

/// The text of --help.
llvm::StringRef helpText();

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_OPTIONS_H
