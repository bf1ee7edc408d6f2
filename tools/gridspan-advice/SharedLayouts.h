//===- SharedLayouts.h - One layout for a struct type -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that use one struct type get one layout: what serves all their
// launches best. Kernels are matched by architecture, the type's name and its
// size alone. Arrays without a struct type are not matched: arrays of numbers
// of one shape may be any buffers.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_SHAREDLAYOUTS_H
#define GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_SHAREDLAYOUTS_H

#include "tools/gridspan-advice/AdviceReader.h"

namespace gridspan {

/// A struct type that several kernels use.
struct SharedLayout {
  std::string Type, Target;
  uint64_t RecordBytes = 0;
  std::vector<size_t> Kernels; ///< indices, in the order of the list
  /// The form to have in all of them; empty: none is faster for all together.
  std::string Recommended;
  double Seconds = 0, Saved = 0;   ///< of all launches, and with that form less
  std::vector<std::string> Losers; ///< names of kernels that become slower
};

std::vector<SharedLayout> sharedLayouts(const std::vector<Kernel> &Kernels);

/// "struct.P of 32 bytes in 3 kernels: ..."
std::string sharedLayoutText(const SharedLayout &L);

/// Adds to what is said of a kernel's array of structs what all kernels say.
void addSharedLayouts(const std::vector<SharedLayout> &Layouts,
                      const std::vector<Kernel> &Kernels,
                      std::vector<Finding> &List);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_SHAREDLAYOUTS_H
