//===- Fnv.h - A hash that stays the same -----------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FNV-1a with 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv), which gives the
// same in each process and at compile time.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_FNV_H
#define GRIDSPAN_RUNTIME_SUPPORT_FNV_H

#include <cstdint>
#include <string_view>

namespace gridspan {

class Fnv {
public:
  constexpr void add(unsigned char Byte) {
    Hash = (Hash ^ Byte) * 0x100000001b3ULL;
  }
  constexpr void add(std::string_view Text) {
    for (char C : Text)
      add(static_cast<unsigned char>(C));
  }
  /// Adds a text and its end, so that two texts are not taken for one.
  constexpr void addWhole(std::string_view Text) {
    add(Text);
    add(0xff);
  }
  constexpr uint64_t hash() const { return Hash; }

private:
  uint64_t Hash = 0xcbf29ce484222325ULL;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_FNV_H
