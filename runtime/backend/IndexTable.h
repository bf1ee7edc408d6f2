//===- IndexTable.h - Bounds of indices in memory ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds of the integers in a range of an allocation, as they were at one time.
// They form a tree: each leaf has the bounds of as many neighbouring integers,
// so that a question about any run of elements is answered in time logarithmic
// in their number.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_INDEXTABLE_H
#define GRIDSPAN_RUNTIME_BACKEND_INDEXTABLE_H

#include <cstdint>
#include <vector>

namespace gridspan {

/// Bounds of some integers: each is in [Min, LowMax] or in [HighMin, Max].
/// Either HighMin is above LowMax, or both intervals are [Min, Max]. There are
/// two, as indices are often near each other but for some special values (-1),
/// or some that wrap around the end of an array.
struct IndexBounds {
  int64_t Min;
  int64_t LowMax;
  int64_t HighMin;
  int64_t Max;
};

/// Writes the bounds of each PerLeaf integers to Out[leaf]: the smallest, the
/// largest that is not above the middle, the smallest above it, and the
/// largest. The last leaf may have fewer. Preconditions: integers are signed
/// and aligned, ElementBytes is 1, 2, 4 or 8.
void scanIndices(const void *From, uint64_t Count, unsigned ElementBytes,
                 uint64_t PerLeaf, IndexBounds *Out);

class IndexTable {
public:
  static constexpr uint64_t MostLeaves = 1 << 16;

  /// Makes a table of at most MostLeaves leaves for the integers in bytes [Lo,
  /// Hi) of an allocation. Preconditions: Lo < Hi, both are multiples of
  /// ElementBytes.
  IndexTable(uint64_t Lo, uint64_t Hi, unsigned ElementBytes);

  uint64_t lo() const { return Lo; }
  uint64_t hi() const { return Hi; }
  unsigned elementBytes() const { return ElementBytes; }
  uint64_t elements() const { return (Hi - Lo) / ElementBytes; }
  uint64_t perLeaf() const { return PerLeaf; } ///< elements
  uint64_t leaves() const { return (elements() + PerLeaf - 1) / PerLeaf; }

  /// Sets the bounds of all leaves, as scanIndices() writes them.
  void fill(const IndexBounds *Bounds);

  /// Returns bounds, maybe too wide, of the elements that begin at bytes From
  /// to Last of the allocation. Precondition: all are in [lo(), hi()).
  IndexBounds bound(uint64_t From, uint64_t Last) const;

private:
  uint64_t Lo, Hi;
  unsigned ElementBytes;
  uint64_t PerLeaf;
  /// Node I covers nodes 2 * I and 2 * I + 1; the leaves are the last ones.
  std::vector<IndexBounds> Tree;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_INDEXTABLE_H
