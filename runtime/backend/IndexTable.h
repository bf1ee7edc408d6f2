//===- IndexTable.h - Bounds of what an array of indices holds --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds of the integers in each chunk of a part of an allocation, as they were
// at one time. A question about any run of elements is
// answered from a tree over the chunks, in time logarithmic in their number.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_INDEXTABLE_H
#define GRIDSPAN_RUNTIME_BACKEND_INDEXTABLE_H

#include <cstdint>
#include <vector>

namespace gridspan {

/// Bounds of some integers: each is in [Min, LowMax] or in [HighMin, Max].
/// Either HighMin is above LowMax, or both are the whole of [Min, Max]. Two
/// intervals, as indices often are near each other but for some that mean
/// nothing (-1), or that go round the end of an array.
struct IndexBounds {
  int64_t Min;
  int64_t LowMax;
  int64_t HighMin;
  int64_t Max;
};

/// Of each PerChunk integers of ElementBytes bytes each (1, 2, 4 or 8; signed),
/// writes the bounds to Out[chunk]: the smallest, the largest that is not above
/// the middle of both, the smallest above it, and the largest. The last chunk
/// may be shorter.
void scanIndices(const void *From, uint64_t Count, unsigned ElementBytes,
                 uint64_t PerChunk, IndexBounds *Out);

class IndexTable {
public:
  static constexpr uint64_t MostChunks = 1 << 16;

  /// Of the integers of ElementBytes bytes each in bytes [Lo, Hi) of an
  /// allocation; Lo and Hi are multiples of that, and Lo < Hi. At most
  /// MostChunks chunks.
  IndexTable(uint64_t Lo, uint64_t Hi, unsigned ElementBytes);

  uint64_t lo() const { return Lo; }
  uint64_t hi() const { return Hi; }
  unsigned elementBytes() const { return ElementBytes; }
  uint64_t elements() const { return (Hi - Lo) / ElementBytes; }
  uint64_t perChunk() const { return PerChunk; } ///< elements
  uint64_t chunks() const { return (elements() + PerChunk - 1) / PerChunk; }

  /// Of each chunk, as scanIndices() gives them.
  void fill(const IndexBounds *Bounds);

  /// Of the elements that begin at bytes From to Last of the allocation, all in
  /// [lo(), hi()); may be wider.
  IndexBounds bound(uint64_t From, uint64_t Last) const;

private:
  uint64_t Lo, Hi;
  unsigned ElementBytes;
  uint64_t PerChunk;
  /// Node I covers nodes 2 * I and 2 * I + 1; the chunks are the last ones.
  std::vector<IndexBounds> Tree;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_INDEXTABLE_H
