//===- SystemCache.h - Measurements on disk ---------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Saves measurements of a machine in the cache (CacheFile.h), so that only the
// first run measures. The key names everything that they depend on.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_SYSTEMCACHE_H
#define GRIDSPAN_RUNTIME_BACKEND_SYSTEMCACHE_H

#include "runtime/backend/SystemInfo.h"
#include <filesystem>
#include <optional>
#include <string>

namespace gridspan {

/// Copies the measured fields of the entry with this key into Info. Returns
/// false if there is none for Info's number of devices.
bool loadMeasurements(const std::filesystem::path &Directory,
                      const std::string &Key, SystemInfo &Info);

/// Writes the entry. A directory that cannot be written is no error: the next
/// run measures again.
void storeMeasurements(const std::filesystem::path &Directory,
                       const std::string &Key, const SystemInfo &Info);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_SYSTEMCACHE_H
