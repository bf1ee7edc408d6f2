//===- Installation.h - Where Gridspan's own files are ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is found relative to the running executable, so that a build tree
// and an installed, possibly moved, tree work alike:
//   bin/gridspan++, bin/gridspan-fatbinary, bin/gridspan-ptxas
//   lib/libGridspan.so, lib/libgridspan.a, lib/libgridspan.so,
//   lib/libgridspan_ranges.a
//   lib/libgridspan_renamed.a, lib/libgridspan_cuda_names.a
//   lib/gridspan/include   headers that gridspan++ adds
//   lib/gridspan/libboost_context.a
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_INSTALLATION_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_INSTALLATION_H

#include "llvm/Support/Error.h"
#include <string>

namespace gridspan {

struct Installation {
  std::string Plugin;
  std::string ClangPlugin; ///< for the front end: tools/clang-plugin
  std::string Runtime;
  std::string SharedRuntime;
  std::string Ranges; ///< what the runtime and range functions compute with
  std::string Headers;
  std::string Fatbinary;
  std::string Ptxas;
  std::string Clang;     ///< clang++
  std::string Driver;    ///< gridspan++
  std::string Renamed;   ///< the runtime, for ToolkitLibraries.h
  std::string CudaNames; ///< CUDA's names, for the same
  std::string Fibers;    ///< the archive of Boost that the runtime needs
};

/// Argv0 and MainAddress as sys::fs::getMainExecutable wants them.
llvm::Expected<Installation> findInstallation(const char *Argv0,
                                              void *MainAddress);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_INSTALLATION_H
