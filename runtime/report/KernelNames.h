//===- KernelNames.h - Short names for the table ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shortens the demangled names of kernels so that a line of the report has room
// for them and still tells them apart. Templates of libraries have names of
// hundreds of characters that differ in one argument.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_KERNELNAMES_H
#define GRIDSPAN_RUNTIME_REPORT_KERNELNAMES_H

#include <string>
#include <vector>

namespace gridspan {

/// Length up to which a name stays whole.
constexpr size_t NameWidth = 48;

/// Returns a text for each name. Equal names have equal texts, others have
/// different ones.
std::vector<std::string> shortNames(const std::vector<std::string> &Names);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_KERNELNAMES_H
