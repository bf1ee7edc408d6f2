//===- ByteRows.h - Bytes of an allocation ----------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contiguous bytes, and rows of bytes at equal distances, which one copy can
// move.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_BYTEROWS_H
#define GRIDSPAN_RUNTIME_BACKEND_BYTEROWS_H

#include <cstdint>

namespace gridspan {

/// Bytes [Lo, Hi) of an allocation.
struct ByteSpan {
  uint64_t Lo;
  uint64_t Hi;
  uint64_t bytes() const { return Hi - Lo; }
  bool operator==(const ByteSpan &) const = default;
};

/// Rows of RowBytes bytes of an allocation, Pitch apart, the first at Lo.
struct ByteRows {
  uint64_t Lo;
  uint64_t RowBytes;
  uint64_t Pitch; ///< RowBytes when there is one row
  uint64_t Rows;

  uint64_t hi() const { return Lo + (Rows - 1) * Pitch + RowBytes; }
  uint64_t bytes() const { return Rows * RowBytes; }
  ByteSpan row(uint64_t I) const {
    return {Lo + I * Pitch, Lo + I * Pitch + RowBytes};
  }
  bool operator==(const ByteRows &) const = default;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_BYTEROWS_H
