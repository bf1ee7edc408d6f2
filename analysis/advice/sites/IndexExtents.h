//===- IndexExtents.h - Limits that indices are compared with ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters that a kernel compares the indices of its threads with, as in
// `i < n`, or that end loops which start at such an index.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_SITES_INDEXEXTENTS_H
#define GRIDSPAN_ANALYSIS_ADVICE_SITES_INDEXEXTENTS_H

#include "analysis/advice/sites/MemorySites.h"
#include <set>

namespace gridspan {

/// A parameter: its index and the byte offset in it.
using ParamKey = std::pair<unsigned, unsigned>;

/// Index is kept below something that grows as Scale times a parameter, or
/// times the product of as many as Factors.
struct Extent {
  ExprId Index;
  ParamKey Param;
  unsigned Factors;
  double Scale;
  /// The index starts a loop that strides over the grid and ends there.
  bool IsStride = false;
};

/// The inputs that the value of an expression depends on, as bits; OnThread and
/// OnBlock are shifted by the axis.
enum ExprDependence : uint16_t {
  OnThread = 1,
  OnBlock = 8,
  OnLoop = 64,
  OnParam = 128,
  OnGridDim = 256,
  AnyBlock = OnBlock * 7,
  AnyIndex = OnThread * 7 | AnyBlock,
};

struct IndexExtents {
  std::vector<uint16_t> Depends; ///< by node, ExprDependence
  std::vector<Extent> Extents;
  /// Ends of loops that start at the same index in every block.
  std::set<ParamKey> InBlocks;
};

/// Kernel: as written, before loops are unrolled.
IndexExtents findIndexExtents(const KernelSites &Kernel);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_SITES_INDEXEXTENTS_H
