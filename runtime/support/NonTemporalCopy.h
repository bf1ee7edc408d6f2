//===- NonTemporalCopy.h - memcpy past the caches ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An ordinary store of a line that is not in the cache reads it first. For
// gigabytes that nobody reads soon that is a third of the memory traffic, which
// non-temporal stores save. The C library uses them too, but only for single
// copies larger than a share of the last cache.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_NONTEMPORALCOPY_H
#define GRIDSPAN_RUNTIME_SUPPORT_NONTEMPORALCOPY_H

#include <cstddef>

namespace gridspan {

/// Copies as memcpy does. Whoever is told afterwards that it is done sees all
/// bytes.
void nonTemporalCopy(std::byte *Dst, const std::byte *Src, size_t Bytes);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_NONTEMPORALCOPY_H
