//===- PassOptions.h - The options of Gridspan's passes ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives options of the passes (-mllvm -gridspan-...) to what loads the plugin.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_PASSOPTIONS_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_PASSOPTIONS_H

#include "tools/gridspan++/Options.h"
#include <string>
#include <vector>

namespace gridspan {

/// Has clang's front end alone take the passes' options among R's arguments,
/// and takes them out where no pass runs. Returns those.
std::vector<std::string> givePassOptions(Request &R);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_PASSOPTIONS_H
