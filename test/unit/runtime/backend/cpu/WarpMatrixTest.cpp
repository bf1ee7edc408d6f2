//===- WarpMatrixTest.cpp - Products of matrices --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What test/e2e/cpu/matrices.cu and matrix_asm.cu cannot reach: sums that leave
// their type, numbers that are none, and lanes that do not take part.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/WarpMatrix.h"
#include <cmath>
#include <cstring>
#include <cuda_fp16.h>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace gridspan;

namespace {

/// The fragments of all lanes; a matrix is I: 0 for A up to 3 for D.
struct Fragments {
  alignas(64)
      std::byte Memory[WarpSize][MatrixFragments * MatrixFragmentBytes] = {};
  LaneFragments Lanes;

  Fragments() {
    for (unsigned I = 0; I != WarpSize; ++I)
      Lanes[I] = Memory[I];
  }

  /// Writes Value everywhere in a matrix.
  template <typename T> void fill(unsigned Matrix, T Value) {
    for (auto &Lane : Memory)
      for (unsigned At = 0; At != MatrixFragmentBytes; At += sizeof(T))
        std::memcpy(Lane + Matrix * MatrixFragmentBytes + At, &Value,
                    sizeof(T));
  }

  template <typename T> T result(unsigned Lane, unsigned Index) const {
    T Out;
    std::memcpy(&Out,
                Memory[Lane] + 3 * MatrixFragmentBytes + Index * sizeof(T),
                sizeof(T));
    return Out;
  }
};

MatrixProduct bytes(bool Saturates) {
  MatrixProduct P;
  P.M = P.N = P.K = 16;
  P.A = P.B = MatrixElement::Signed8;
  P.Addend = P.Result = MatrixElement::Signed32;
  P.Saturates = Saturates;
  return P;
}

MatrixProduct halves(MatrixElement Result) {
  MatrixProduct P;
  P.M = P.N = P.K = 16;
  P.Addend = P.Result = Result;
  return P;
}

} // namespace

TEST(WarpMatrix, CodesCarryProducts) {
  MatrixProduct P = bytes(true);
  P.M = 32;
  P.N = 8;
  P.K = 64;
  P.B = MatrixElement::Unsigned4;
  P.Order = FragmentOrder::Ptx;
  const MatrixProduct Q = MatrixProduct::unpack(P.packed());
  EXPECT_EQ(Q.M, 32U);
  EXPECT_EQ(Q.N, 8U);
  EXPECT_EQ(Q.K, 64U);
  EXPECT_EQ(Q.A, MatrixElement::Signed8);
  EXPECT_EQ(Q.B, MatrixElement::Unsigned4);
  EXPECT_EQ(Q.Addend, MatrixElement::Signed32);
  EXPECT_EQ(Q.Result, MatrixElement::Signed32);
  EXPECT_EQ(Q.Order, FragmentOrder::Ptx);
  EXPECT_TRUE(Q.Saturates);
}

TEST(WarpMatrix, SumsOfIntegersWrapAroundOrSaturate) {
  using Limits = std::numeric_limits<int32_t>;
  Fragments F;
  F.fill<int8_t>(0, -128);
  F.fill<int8_t>(1, -128);
  F.fill<int32_t>(2, Limits::max() - 1);
  multiplyFragments(bytes(true), F.Lanes);
  EXPECT_EQ(F.result<int32_t>(0, 0), Limits::max());
  EXPECT_EQ(F.result<int32_t>(31, 7), Limits::max());
  multiplyFragments(bytes(false), F.Lanes);
  EXPECT_EQ(F.result<int32_t>(31, 7), Limits::min() + 16 * 128 * 128 - 2);
  F.fill<int8_t>(1, 127);
  F.fill<int32_t>(2, Limits::min());
  multiplyFragments(bytes(true), F.Lanes);
  EXPECT_EQ(F.result<int32_t>(5, 3), Limits::min());
}

TEST(WarpMatrix, HalvesOfEveryKind) {
  Fragments F;
  const uint16_t Smallest = 1, Infinite = 0x7c00, NotANumber = 0x7e00;
  F.fill<uint16_t>(0, Smallest);
  F.fill(1, __float2half(1024.0F));
  F.fill(2, 0.5F);
  multiplyFragments(halves(MatrixElement::Float), F.Lanes);
  EXPECT_EQ(F.result<float>(9, 2), 0.5F + 16 * 1024 * 0x1p-24F);
  F.fill<uint16_t>(0, Infinite | 0x8000);
  multiplyFragments(halves(MatrixElement::Float), F.Lanes);
  EXPECT_EQ(F.result<float>(9, 2), -HUGE_VALF);
  F.fill<uint16_t>(0, NotANumber);
  multiplyFragments(halves(MatrixElement::Float), F.Lanes);
  EXPECT_TRUE(std::isnan(F.result<float>(9, 2)));
}

TEST(WarpMatrix, ResultsAsHalvesMaySaturate) {
  Fragments F;
  F.fill(0, __float2half(1000.0F));
  F.fill(1, __float2half(1000.0F));
  F.fill(2, __float2half(0.0F));
  MatrixProduct P = halves(MatrixElement::Half);
  multiplyFragments(P, F.Lanes);
  EXPECT_EQ(F.result<uint16_t>(3, 7), 0x7c00);
  P.Saturates = true;
  multiplyFragments(P, F.Lanes);
  EXPECT_EQ(F.result<uint16_t>(3, 7), 0x7bff);
}

TEST(WarpMatrix, LanesThatDoNotTakePartHaveZeros) {
  Fragments F;
  F.fill<int8_t>(0, 1);
  F.fill<int8_t>(1, 1);
  F.fill<int32_t>(2, 0);
  F.Lanes[1] = nullptr; // the second half of the first rows of A and B
  F.fill<int32_t>(3, 77);
  multiplyFragments(bytes(false), F.Lanes);
  EXPECT_EQ(F.result<int32_t>(1, 0), 77);
  EXPECT_EQ(F.result<int32_t>(0, 0), 8);
  EXPECT_EQ(F.result<int32_t>(30, 0), 16);
  EXPECT_EQ(F.result<int32_t>(31, 7), 15);
}

/// Returns what D is where A and B have only one element that is not 0.
static float productOfBits(MatrixElement E, uint8_t A, uint8_t B) {
  Fragments F;
  MatrixProduct P;
  P.M = 16;
  P.N = 8;
  P.K = 32;
  P.A = P.B = E;
  P.Addend = P.Result = MatrixElement::Float;
  P.Order = FragmentOrder::Ptx;
  std::memcpy(F.Memory[0], &A, 1);
  std::memcpy(F.Memory[0] + MatrixFragmentBytes, &B, 1);
  multiplyFragments(P, F.Lanes);
  return F.result<float>(0, 0);
}

TEST(WarpMatrix, NumbersOfEightBitsOfEveryKind) {
  const auto E4M3 = MatrixElement::FloatE4M3, E5M2 = MatrixElement::FloatE5M2;
  EXPECT_EQ(productOfBits(E4M3, 0x7e, 0x38), 448);
  EXPECT_EQ(productOfBits(E4M3, 0x01, 0xb8), -0x1p-9F);
  EXPECT_TRUE(std::isnan(productOfBits(E4M3, 0xff, 0x38)));
  EXPECT_EQ(productOfBits(E5M2, 0x7b, 0x3c), 57344);
  EXPECT_EQ(productOfBits(E5M2, 0x01, 0x3c), 0x1p-16F);
  EXPECT_EQ(productOfBits(E5M2, 0xfc, 0x3c), -HUGE_VALF);
  EXPECT_TRUE(std::isnan(productOfBits(E5M2, 0x7d, 0x3c)));
}
