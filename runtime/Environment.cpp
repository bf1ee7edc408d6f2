//===- Environment.cpp - Mistakes in the environment ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nearest name is the one with the least edit distance (Wagner and Fischer,
// "The String-to-String Correction Problem", J. ACM 21, 1974). Beyond a third
// of the name it is no help and not named.
//
//===----------------------------------------------------------------------===//

#include "runtime/Environment.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <numeric>
#include <unistd.h>

namespace gridspan {

static constexpr std::string_view Prefix = "GRIDSPAN_";

static constexpr std::string_view Known[] = {
    "GRIDSPAN_CACHE_DIR",      "GRIDSPAN_CHECK",
    "GRIDSPAN_CLANG",          "GRIDSPAN_COPY_THREADS",
    "GRIDSPAN_CPU_SPEEDS",     "GRIDSPAN_CPU_THREADS",
    "GRIDSPAN_CPU_WIDE",       "GRIDSPAN_DEVICES",
    "GRIDSPAN_DEVICE_MEMORY",  "GRIDSPAN_CHAIN",
    "GRIDSPAN_PEER",           "GRIDSPAN_KEEP_FREED",
    "GRIDSPAN_LEARN",          "GRIDSPAN_MPI",
    "GRIDSPAN_MPI_LIBRARY",    "GRIDSPAN_PRIMITIVES",
    "GRIDSPAN_PRIVATE_COPIES", "GRIDSPAN_PROFILE",
    "GRIDSPAN_PROGRESS",       "GRIDSPAN_REPORT",
    "GRIDSPAN_SCHEDULE",       "GRIDSPAN_TRACE",
    "GRIDSPAN_TRACE_ACCESS",   "GRIDSPAN_LAYOUT"};

bool isKnownVariable(std::string_view Name) {
  return std::find(std::begin(Known), std::end(Known), Name) != std::end(Known);
}

static size_t editDistance(std::string_view A, std::string_view B) {
  // Row[J] is the distance of the first I of A and the first J of B.
  std::vector<size_t> Row(B.size() + 1);
  std::iota(Row.begin(), Row.end(), size_t(0));
  for (size_t I = 1; I <= A.size(); ++I) {
    size_t Diagonal = Row[0];
    Row[0] = I;
    for (size_t J = 1; J <= B.size(); ++J) {
      const size_t Replaced = Diagonal + (A[I - 1] != B[J - 1]);
      Diagonal = Row[J];
      Row[J] = std::min({Row[J] + 1, Row[J - 1] + 1, Replaced});
    }
  }
  return Row.back();
}

static std::string messageFor(std::string_view Name) {
  std::string Out = fmt::format("{} is not a variable of Gridspan", Name);
  const auto *Nearest =
      std::min_element(std::begin(Known), std::end(Known),
                       [&](std::string_view A, std::string_view B) {
                         return editDistance(A, Name) < editDistance(B, Name);
                       });
  const size_t Distance = editDistance(*Nearest, Name);
  if (3 * Distance <= Nearest->size() - Prefix.size() + 2)
    Out += fmt::format("; did you mean {}?", *Nearest);
  return Out;
}

std::vector<std::string> unknownVariables(const char *const *Variables) {
  std::vector<std::string> Out;
  for (; Variables && *Variables; ++Variables) {
    const std::string_view Text = *Variables;
    const std::string_view Name = Text.substr(0, Text.find('='));
    if (Name.starts_with(Prefix) && !isKnownVariable(Name))
      Out.push_back(messageFor(Name));
  }
  std::sort(Out.begin(), Out.end());
  return Out;
}

std::string whyNotWritable(const std::string &Path) {
  namespace fs = std::filesystem;
  std::error_code Ignored;
  if (fs::is_directory(Path, Ignored))
    return std::strerror(EISDIR);
  // A file that does not exist yet needs a folder that it can be made in.
  std::string Asked = Path;
  if (!fs::exists(Path, Ignored)) {
    const fs::path Folder = fs::path(Path).parent_path();
    Asked = Folder.empty() ? "." : Folder.string();
  }
  const bool IsFolder = Asked != Path;
  return access(Asked.c_str(), IsFolder ? W_OK | X_OK : W_OK)
             ? std::strerror(errno)
             : "";
}

} // namespace gridspan
