//===- WholeFile.cpp - Files that are there whole or not at all -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents go to another file of the same folder, which is then renamed.
// That has the process in its name, so that processes do not write to one.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/WholeFile.h"
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace gridspan {

namespace fs = std::filesystem;

bool writeWhole(const fs::path &File, std::string_view Contents) {
  fs::path Temporary = File;
  Temporary += fmt::format(".{}", getpid());
  std::error_code Error;
  {
    std::ofstream Out(Temporary, std::ios::binary);
    Out << Contents;
    if (!Out.flush()) {
      fs::remove(Temporary, Error);
      return false;
    }
  }
  fs::rename(Temporary, File, Error);
  if (!Error)
    return true;
  std::error_code Ignored;
  fs::remove(Temporary, Ignored);
  return false;
}

} // namespace gridspan
