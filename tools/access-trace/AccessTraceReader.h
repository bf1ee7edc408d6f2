//===- AccessTraceReader.h - Reads access trace files -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what a run with GRIDSPAN_TRACE_ACCESS wrote, in the format of
// AccessTraceFormat.h and docs/design/access-trace.md.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_ACCESS_TRACE_ACCESSTRACEREADER_H
#define GRIDSPAN_TOOLS_ACCESS_TRACE_ACCESSTRACEREADER_H

#include "gridspan/AccessTraceFormat.h"
#include <fstream>
#include <variant>

namespace gridspan {

/// Reads the records of a file one after the other. Not thread-safe.
class AccessTraceReader {
public:
  explicit AccessTraceReader(const std::string &Path);

  /// The next record; std::monostate at the end, or when something is wrong,
  /// which error() then describes. Unknown kinds of records are skipped.
  std::variant<std::monostate, TracedLaunch, TracedRequest> next();

  /// Returns the error of the file, or an empty string.
  const std::string &error() const { return Error; }

private:
  std::variant<std::monostate, TracedLaunch, TracedRequest>
  fail(std::string Text);

  std::ifstream File;
  std::string Contents; ///< of the present record
  std::string Error;
};

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_ACCESS_TRACE_ACCESSTRACEREADER_H
