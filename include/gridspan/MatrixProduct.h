//===- MatrixProduct.h - Products of matrices by a warp ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How compiled code asks the CPU device for D = A * B + C, wmma.mma and
// mma.sync in PTX. The lanes of a warp hold fragments of the matrices. Which
// elements a fragment of wmma has is left open by PTX: here lane L has those
// from L times their number on, row by row, and starts over at the end of a
// matrix that has fewer. Those of mma.sync are in the order that PTX gives
// (WarpMatrix.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_MATRIXPRODUCT_H
#define GRIDSPAN_MATRIXPRODUCT_H

#include <bit>
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
  Signed32,
  Signed4,
  Unsigned4,
  FloatE4M3, ///< of eight bits, as its name says
  FloatE5M2
};

constexpr unsigned bitsOf(MatrixElement E) {
  switch (E) {
  case MatrixElement::Signed4:
  case MatrixElement::Unsigned4:
    return 4;
  case MatrixElement::Signed8:
  case MatrixElement::Unsigned8:
  case MatrixElement::FloatE4M3:
  case MatrixElement::FloatE5M2:
    return 8;
  case MatrixElement::Half:
  case MatrixElement::BFloat:
    return 16;
  case MatrixElement::Double:
    return 64;
  default:
    return 32;
  }
}

/// Who decides which elements a fragment has.
enum class FragmentOrder : uint32_t { Rows, Ptx };

/// The fragments of a lane are in one piece of memory, in this order.
enum FragmentPlace : unsigned { PlaceA, PlaceB, PlaceC, PlaceD };
constexpr unsigned MatrixFragments = 4;
constexpr unsigned MatrixFragmentBytes = 64; ///< of one matrix, at most

/// A has M rows and K columns, B has K rows and N columns. All are powers of 2;
/// M and N are 8, 16 or 32.
struct MatrixProduct {
  uint32_t M = 0;
  uint32_t N = 0;
  uint32_t K = 0;
  MatrixElement A = MatrixElement::Half;
  MatrixElement B = MatrixElement::Half;
  MatrixElement Addend = MatrixElement::Half; ///< of C
  MatrixElement Result = MatrixElement::Half; ///< of D
  FragmentOrder Order = FragmentOrder::Rows;
  bool Saturates = false; ///< sums stay within the range of the result

  /// Returns the elements of a fragment, for a matrix of Count elements.
  constexpr uint32_t fragmentOf(uint32_t Count, MatrixElement E,
                                bool IsFactor) const {
    const bool IsTwice = Order == FragmentOrder::Rows && IsFactor;
    return IsTwice && E == MatrixElement::Half ? 16 : Count / 32;
  }

  constexpr uint32_t packed() const {
    const auto Log = [](uint32_t Size) {
      return uint32_t(std::countr_zero(Size));
    };
    return Log(M) | Log(N) << 4 | Log(K) << 8 | uint32_t(A) << 12 |
           uint32_t(B) << 16 | uint32_t(Addend) << 20 | uint32_t(Result) << 24 |
           uint32_t(Order) << 28 | uint32_t(Saturates) << 29;
  }
  static constexpr MatrixProduct unpack(uint32_t Code) {
    const auto Field = [=](unsigned Shift) { return Code >> Shift & 15; };
    const auto Element = [=](unsigned Shift) {
      return MatrixElement(Field(Shift));
    };
    return {1U << Field(0),       1U << Field(4),
            1U << Field(8),       Element(12),
            Element(16),          Element(20),
            Element(24),          FragmentOrder(Code >> 28 & 1),
            (Code >> 29 & 1) != 0};
  }
};

} // namespace gridspan

#endif // GRIDSPAN_MATRIXPRODUCT_H
