//===- CacheFile.h - What later processes may use ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small JSON files below GRIDSPAN_CACHE_DIR, else in gridspan/ below the user's
// cache directory. Each has a key, which names everything that its contents
// depend on; a file of another key, of another format or that is broken is like
// none. A directory that cannot be written is no error.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_CACHEFILE_H
#define GRIDSPAN_RUNTIME_SUPPORT_CACHEFILE_H

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gridspan {

/// Returns the directory of the cache; empty when the environment names none.
std::filesystem::path cacheDirectory();

/// A file of the cache.
struct CacheFile {
  std::filesystem::path Directory; ///< empty: there is no file
  std::string Kind;                ///< the first part of the file's name
  std::string Key;
  int Format = 1; ///< of the contents; to be raised when their meaning changes

  std::filesystem::path path() const;
  /// Returns the contents; null if there are none. Throws nothing.
  nlohmann::json load() const;
  /// Writes Contents, an object. Another process sees all of it or nothing.
  void store(nlohmann::json Contents) const;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_CACHEFILE_H
