//===- Environment.h - Mistakes in the environment --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is wrong with the variables beside their values (Config.h): names that
// mean nothing, and files that cannot be written. A program says so when it
// starts, and not after hours.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_ENVIRONMENT_H
#define GRIDSPAN_RUNTIME_ENVIRONMENT_H

#include <string>
#include <string_view>
#include <vector>

namespace gridspan {

/// Returns true for the name of a variable that the runtime reads.
bool isKnownVariable(std::string_view Name);

/// Returns a message for each variable whose name begins with GRIDSPAN_ and is
/// not known, with the nearest known name. Variables are texts "NAME=value",
/// and end with a null.
std::vector<std::string> unknownVariables(const char *const *Variables);

/// Returns the reason why the file cannot be written, or an empty text. Creates
/// and changes nothing.
std::string whyNotWritable(const std::string &Path);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_ENVIRONMENT_H
