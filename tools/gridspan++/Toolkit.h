//===- Toolkit.h - The CUDA Toolkit, made fit for clang ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang 19 does not accept CUDA 13 as it is installed. An overlay is a folder
// of links to the toolkit that clang takes for one, with what must differ: a
// fatbinary program that understands clang's options (see gridspan-fatbinary),
// gridspan++ as nvcc, and the CUDA runtime for programs that another driver
// links, build systems among them (see ToolkitLibraries.h). So makefiles that
// take a toolkit's folder can be given an overlay.
// The one header that clang looks for and CUDA 13 no longer has,
// texture_fetch_functions.h, is in Gridspan's own header folder.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_TOOLKIT_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_TOOLKIT_H

#include "tools/gridspan++/Installation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace gridspan {

struct Toolkit {
  std::string Root;     ///< real path
  unsigned Version = 0; ///< CUDA_VERSION, 13000 for 13.0

  std::string library() const { return Root + "/lib64"; }
};

/// Returns the toolkit in Asked, if it is given, or in CUDA_PATH, or in
/// CUDA_HOME. Else takes the first that exists of the one Gridspan was built
/// with and /usr/local/cuda. It must be usable. An overlay stands for the
/// toolkit that it is of.
llvm::Expected<Toolkit> findToolkit(llvm::StringRef Asked);

/// The overlay's folder, made if it is not there yet. Several processes may do
/// this at once: each builds its own and renames it into place, the first wins.
llvm::Expected<std::string> toolkitOverlay(const Toolkit &T,
                                           const Installation &Gridspan);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_TOOLKIT_H
