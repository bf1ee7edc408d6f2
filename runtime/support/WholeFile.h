//===- WholeFile.h - Files that are there whole or not at all ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a file so that a reader, or a process that is killed, never sees a
// part of it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_WHOLEFILE_H
#define GRIDSPAN_RUNTIME_SUPPORT_WHOLEFILE_H

#include <filesystem>
#include <string_view>

namespace gridspan {

/// Replaces the file by one with the contents. Returns false, and leaves what
/// was there, if that fails.
bool writeWhole(const std::filesystem::path &File, std::string_view Contents);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_WHOLEFILE_H
