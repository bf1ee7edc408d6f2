//===- SystemCache.h - Measurements kept on disk ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps what was measured of a machine in GRIDSPAN_CACHE_DIR, else in gridspan/
// below the user's cache directory, so that only the first run measures. The
// key says what the measurements depend on; a file of another key is not read.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_SYSTEMCACHE_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_SYSTEMCACHE_H

#include "runtime/backend/SystemInfo.h"
#include <filesystem>
#include <optional>
#include <string>

namespace gridspan::cuda {

/// Where the cache is; empty when the environment names no place.
std::filesystem::path cacheDirectory();

/// Copies the measured fields of the entry with this key into Info; false when
/// there is none that fits Info's number of devices.
bool loadMeasurements(const std::filesystem::path &Directory,
                      const std::string &Key, SystemInfo &Info);

/// Writes the entry. A place that cannot be written means measuring again next
/// time, which is no error.
void storeMeasurements(const std::filesystem::path &Directory,
                       const std::string &Key, const SystemInfo &Info);

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_SYSTEMCACHE_H
