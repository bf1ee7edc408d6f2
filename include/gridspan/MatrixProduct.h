//===- MatrixProduct.h - Products of matrices by a warp ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How compiled code asks the CPU device for D = A * B + C, wmma.mma in PTX. The
// lanes of a warp hold fragments of the matrices. Which elements a fragment has
// is left open by PTX. Here lane L has those from L times their number on, row
// by row, and starts over at the end of a matrix that has fewer.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_MATRIXPRODUCT_H
#define GRIDSPAN_MATRIXPRODUCT_H

#include <cstdint>

namespace gridspan {

enum class MatrixElement : uint32_t {
  Half,
  BFloat,
  TensorFloat, ///< a float, of whose fraction ten bits count
  Float,
  Double,
  Signed8,
  Unsigned8,
  Signed32
};

constexpr unsigned bitsOf(MatrixElement E) {
  switch (E) {
  case MatrixElement::Half:
  case MatrixElement::BFloat:
    return 16;
  case MatrixElement::Double:
    return 64;
  case MatrixElement::Signed8:
  case MatrixElement::Unsigned8:
    return 8;
  default:
    return 32;
  }
}

/// The fragments of a lane are in one piece of memory, in this order.
enum FragmentPlace : unsigned { PlaceA, PlaceB, PlaceC, PlaceD };
constexpr unsigned MatrixFragments = 4;
constexpr unsigned MatrixFragmentBytes = 32; ///< of one matrix, at most

/// A has M rows and K columns, B has K rows and N columns. All are powers of 2.
struct MatrixProduct {
  uint32_t M = 0;
  uint32_t N = 0;
  uint32_t K = 0;
  MatrixElement Factors = MatrixElement::Half; ///< of A and B
  MatrixElement Addend = MatrixElement::Half;  ///< of C
  MatrixElement Result = MatrixElement::Half;  ///< of D
  bool Saturates = false; ///< sums stay within the range of the result

  /// Returns the elements of a fragment, for a matrix of Count elements.
  static constexpr uint32_t fragmentOf(uint32_t Count, MatrixElement E,
                                       bool IsFactor) {
    return IsFactor && E == MatrixElement::Half ? 16 : Count / 32;
  }

  constexpr uint32_t packed() const {
    return M | N << 6 | K << 12 | uint32_t(Factors) << 18 |
           uint32_t(Addend) << 21 | uint32_t(Result) << 24 |
           uint32_t(Saturates) << 27;
  }
  static constexpr MatrixProduct unpack(uint32_t Code) {
    const auto Element = [=](unsigned Shift) {
      return MatrixElement(Code >> Shift & 7);
    };
    return {Code & 63,   Code >> 6 & 63, Code >> 12 & 63,      Element(18),
            Element(21), Element(24),    (Code >> 27 & 1) != 0};
  }
};

} // namespace gridspan

#endif // GRIDSPAN_MATRIXPRODUCT_H
