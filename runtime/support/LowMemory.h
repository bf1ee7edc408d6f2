//===- LowMemory.h - Memory at addresses of 32 bits -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes below 4 GiB, so that an address survives on its way through 32 bits.
// Freed memory is kept for the next one who asks for as much.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_LOWMEMORY_H
#define GRIDSPAN_RUNTIME_SUPPORT_LOWMEMORY_H

#include <cstddef>
#include <utility>

namespace gridspan {

/// Owns zeroed bytes below 4 GiB, from the beginning of a page. Creating and
/// destroying them is thread-safe.
class LowMemory {
public:
  LowMemory() = default;
  /// Takes Bytes, or nothing where there is no room for them: then data() is
  /// null and size() is 0.
  explicit LowMemory(size_t Bytes);
  ~LowMemory();
  LowMemory(LowMemory &&Other) noexcept
      : Begin(std::exchange(Other.Begin, nullptr)),
        Bytes(std::exchange(Other.Bytes, 0)) {}
  LowMemory &operator=(LowMemory &&Other) noexcept {
    std::swap(Begin, Other.Begin);
    std::swap(Bytes, Other.Bytes);
    return *this;
  }

  char *data() const { return Begin; }
  /// Returns the number of bytes, at least those that were asked for.
  size_t size() const { return Bytes; }

private:
  char *Begin = nullptr;
  size_t Bytes = 0; ///< whole pages
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_LOWMEMORY_H
