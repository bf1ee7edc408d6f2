//===- CacheFile.cpp - What later processes may use -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is named by the hash of its key (FNV-1a, 64 bits) and holds the key
// itself, so that a collision is seen.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/CacheFile.h"
#include "runtime/support/Fnv.h"
#include "runtime/support/WholeFile.h"
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace gridspan {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path cacheDirectory() {
  if (const char *Own = std::getenv("GRIDSPAN_CACHE_DIR"); Own && *Own)
    return Own;
  if (const char *Xdg = std::getenv("XDG_CACHE_HOME"); Xdg && *Xdg)
    return fs::path(Xdg) / "gridspan";
  if (const char *Home = std::getenv("HOME"); Home && *Home)
    return fs::path(Home) / ".cache" / "gridspan";
  return {};
}

fs::path CacheFile::path() const {
  Fnv Name;
  Name.add(Key);
  return Directory / fmt::format("{}-{:016x}.json", Kind, Name.hash());
}

json CacheFile::load() const {
  if (Directory.empty())
    return nullptr;
  std::ifstream In(path());
  if (!In)
    return nullptr;
  json Out = json::parse(In, nullptr, /*allow_exceptions=*/false);
  if (!Out.is_object() || !Out.contains("format") || !Out.contains("key") ||
      Out["format"] != Format || Out["key"] != Key)
    return nullptr;
  return Out;
}

void CacheFile::store(json Contents) const {
  if (Directory.empty())
    return;
  Contents["format"] = Format;
  Contents["key"] = Key;
  std::error_code Ignored;
  fs::create_directories(Directory, Ignored);
  const fs::path File = path();
  // What is not UTF-8 in a key is replaced, and found again by nobody.
  (void)writeWhole(
      File,
      Contents.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

} // namespace gridspan
