//===- WarpMatrix.h - Products of matrices by a warp ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a tensor core does: the product of two small matrices whose elements the
// lanes of a warp hold.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_WARPMATRIX_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_WARPMATRIX_H

#include "gridspan/MatrixProduct.h"
#include "gridspan/WarpSize.h"
#include <array>
#include <cstddef>

namespace gridspan {

/// The memory of each lane's fragments, at multiples of MatrixFragmentBytes;
/// null for lanes that do not take part.
using LaneFragments = std::array<std::byte *, WarpSize>;

/// Writes the fragments of D = A * B + C. Fragments of lanes that do not take
/// part are 0.
void multiplyFragments(const MatrixProduct &P, const LaneFragments &Lanes);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_WARPMATRIX_H
