//===- MemoryLookup.h - Questions about addresses ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A backend knows pages; what the program has allocated there is known to those
// who use the backend. They answer here.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_MEMORYLOOKUP_H
#define GRIDSPAN_RUNTIME_BACKEND_MEMORYLOOKUP_H

#include <atomic>
#include <cstdint>
#include <string>

namespace gridspan {

/// Thread-safe.
class MemoryLookup {
public:
  virtual ~MemoryLookup() = default;

  /// Returns true if kernels may touch all these bytes.
  virtual bool holds(const void *Address, uint64_t Bytes) const = 0;
  /// Says what an access of Bytes at Address is to, or near to: "4 bytes behind
  /// the end of ...".
  virtual std::string describe(const void *Address, uint64_t Bytes) const = 0;

  /// Returns what answers for the process; null if nothing does.
  static const MemoryLookup *get() { return Present; }
  static void set(const MemoryLookup *New) { Present = New; }

private:
  static inline std::atomic<const MemoryLookup *> Present = nullptr;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_MEMORYLOOKUP_H
