//===- Reduction.h - Combining partial results on the host ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the operations of gridspan/Reductions.def mean, in C++: what every
// backend must compute, and what the CPU device does.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_REDUCTION_H
#define GRIDSPAN_RUNTIME_BACKEND_REDUCTION_H

#include "gridspan/ABI.h"

namespace gridspan {

/// Returns the operation that the kernel reduces with through the pointer.
inline GridspanReduction reductionOf(const GridspanPointer &P) {
  return static_cast<GridspanReduction>(P.Flags >> GridspanReductionShift &
                                        0xff);
}

/// Returns the size of an element, 4 or 8; 0 for None and what is unknown.
unsigned elementBytes(GridspanReduction Kind);

/// Returns true if the result depends on the order, by rounding.
bool isRounding(GridspanReduction Kind);

/// Returns the bits of the operation's identity, in the lower bytes.
/// Precondition: elementBytes() is not 0.
uint64_t identityOf(GridspanReduction Kind);

/// Does Backend::fillIdentity at once.
void fillIdentityOnHost(GridspanReduction Kind, void *Out, uint64_t Count);

/// Does Backend::combine at once.
void combineOnHost(GridspanReduction Kind, void *Into, const void *From,
                   uint64_t Count);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_REDUCTION_H
