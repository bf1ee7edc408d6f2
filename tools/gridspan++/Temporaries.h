//===- Temporaries.h - Files that go with a command -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owns temporary files. They are removed when their owner ends, and when a
// signal ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_TEMPORARIES_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_TEMPORARIES_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace gridspan {

/// Not thread-safe.
class Temporaries {
public:
  Temporaries() = default;
  Temporaries(Temporaries &&) = default;
  Temporaries &operator=(Temporaries &&) = delete;
  ~Temporaries();

  /// Makes an empty file named STEM-*.EXTENSION and returns its path.
  llvm::Expected<std::string> add(llvm::StringRef Stem,
                                  llvm::StringRef Extension);
  /// The same in a folder of its own, where nothing else is.
  llvm::Expected<std::string> addAlone(llvm::StringRef Stem,
                                       llvm::StringRef Extension);
  /// Removes Other's files later with its own.
  void take(Temporaries &Other);
  bool empty() const { return Paths.empty(); }

private:
  std::vector<std::string> Paths; ///< a folder behind what is in it
};

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_TEMPORARIES_H
