//===- DeviceMathTest.cpp - Arithmetic of device code ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Directed rounding is checked by its definition: the results toward minus and
// plus infinity are neighbours that have the exact value between them.
//
//===----------------------------------------------------------------------===//

#include "gridspan/CpuCodes.h"
#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

using namespace gridspan;

extern "C" {
float __gridspan_cpu_add_f32(float, float, uint32_t);
float __gridspan_cpu_mul_f32(float, float, uint32_t);
float __gridspan_cpu_div_f32(float, float, uint32_t);
float __gridspan_cpu_sqrt_f32(float, uint32_t);
float __gridspan_cpu_rcp_f32(float, uint32_t);
float __gridspan_cpu_fma_f32(float, float, float, uint32_t);
double __gridspan_cpu_add_f64(double, double, uint32_t);
float __gridspan_cpu_s64_to_f32(int64_t, uint32_t);
float __gridspan_cpu_u64_to_f32(uint64_t, uint32_t);
double __gridspan_cpu_u64_to_f64(uint64_t, uint32_t);
float __gridspan_cpu_f64_to_f32(double, uint32_t);
uint32_t __gridspan_cpu_prmt(uint32_t, uint32_t, uint32_t);
__bf16 __truncsfbf2(float);
__bf16 __truncdfbf2(double);
uint32_t __gridspan_cpu_fns(uint32_t, uint32_t, int32_t);
uint64_t __gridspan_cpu_bfe(uint64_t, uint32_t, uint32_t, uint32_t, uint32_t);
uint64_t __gridspan_cpu_bfi(uint64_t, uint64_t, uint32_t, uint32_t, uint32_t);
}

namespace {

constexpr uint32_t Nearest = uint32_t(Rounding::Nearest);
constexpr uint32_t Zero = uint32_t(Rounding::Zero);
constexpr uint32_t Down = uint32_t(Rounding::Down);
constexpr uint32_t Up = uint32_t(Rounding::Up);

/// Checks Op in all modes against the value in double precision, which is exact
/// or far closer than a float.
template <typename Fn> void expectRounded(double Exact, Fn Op) {
  const float Lo = Op(Down), Hi = Op(Up);
  EXPECT_LE(double(Lo), Exact);
  EXPECT_GE(double(Hi), Exact);
  if (Lo != Hi)
    EXPECT_EQ(std::nextafterf(Lo, INFINITY), Hi);
  EXPECT_EQ(Op(Zero), Exact < 0 ? Hi : Lo);
  EXPECT_EQ(Op(Nearest), float(Exact));
}

TEST(DeviceMathTest, DirectedRoundingOfFloats) {
  const float Values[] = {1.0f,  3.0f,    -7.0f,    0.1f,
                          1e10f, -3e-12f, 16777216, 5.5e-3f};
  for (float A : Values)
    for (float B : Values) {
      SCOPED_TRACE(testing::Message() << A << " " << B);
      expectRounded(double(A) * B, [&](uint32_t M) {
        return __gridspan_cpu_mul_f32(A, B, M);
      });
      expectRounded(double(A) / B, [&](uint32_t M) {
        return __gridspan_cpu_div_f32(A, B, M);
      });
      if (std::fabs(std::log2(std::fabs(A / B))) < 28)
        expectRounded(double(A) + B, [&](uint32_t M) {
          return __gridspan_cpu_add_f32(A, B, M);
        });
    }
  expectRounded(std::sqrt(2.0),
                [](uint32_t M) { return __gridspan_cpu_sqrt_f32(2, M); });
  expectRounded(1 / 3.0,
                [](uint32_t M) { return __gridspan_cpu_rcp_f32(3, M); });
  expectRounded(double(0.1f) * 0.1f + 1e-3f, [](uint32_t M) {
    return __gridspan_cpu_fma_f32(0.1f, 0.1f, 1e-3f, M);
  });
}

TEST(DeviceMathTest, RoundingModeIsRestored) {
  __gridspan_cpu_add_f64(1.0, 1e-30, Up);
  volatile double One = 1.0, Tiny = 1e-30;
  EXPECT_EQ(One + Tiny, 1.0);
}

TEST(DeviceMathTest, ConversionsOfIntegers) {
  const int64_t Odd = (int64_t(1) << 40) + 1;
  EXPECT_EQ(__gridspan_cpu_s64_to_f32(Odd, Down), 0x1p40f);
  EXPECT_EQ(__gridspan_cpu_s64_to_f32(Odd, Up),
            std::nextafterf(0x1p40f, INFINITY));
  EXPECT_EQ(__gridspan_cpu_s64_to_f32(-Odd, Zero), -0x1p40f);
  const uint64_t Large = ~uint64_t(0);
  EXPECT_EQ(__gridspan_cpu_u64_to_f64(Large, Up), 0x1p64);
  EXPECT_EQ(__gridspan_cpu_u64_to_f64(Large, Zero),
            std::nextafter(0x1p64, 0.0));
  EXPECT_EQ(__gridspan_cpu_u64_to_f32((uint64_t(1) << 63) + 1, Up),
            std::nextafterf(0x1p63f, INFINITY));
  EXPECT_EQ(__gridspan_cpu_f64_to_f32(1.0 + 1e-12, Up),
            std::nextafterf(1.0f, 2.0f));
}

TEST(DeviceMathTest, RoundsToBfloat16Once) {
  auto Bits = [](float A) { return std::bit_cast<uint16_t>(__truncsfbf2(A)); };
  EXPECT_EQ(Bits(1.0f), 0x3f80);
  EXPECT_EQ(Bits(std::bit_cast<float>(0x3f808000u)), 0x3f80); // tie, to even
  EXPECT_EQ(Bits(std::bit_cast<float>(0x3f818000u)), 0x3f82);
  EXPECT_EQ(Bits(std::bit_cast<float>(0x3f808001u)), 0x3f81);
  EXPECT_EQ(Bits(INFINITY), 0x7f80);
  EXPECT_EQ(Bits(std::bit_cast<float>(0x7f800001u)), 0x7fc0);
  // Just above the tie; rounding to float first would lose that.
  EXPECT_EQ(std::bit_cast<uint16_t>(__truncdfbf2(1 + 0x1p-8 + 0x1p-40)),
            0x3f81);
}

TEST(DeviceMathTest, Permute) {
  EXPECT_EQ(__gridspan_cpu_prmt(0x33221100, 0x77665544, 0x7531), 0x77553311u);
  EXPECT_EQ(__gridspan_cpu_prmt(0x00008000, 0, 0x0009), 0x000000ffu);
}

TEST(DeviceMathTest, FindNthSetBit) {
  EXPECT_EQ(__gridspan_cpu_fns(0b101100, 0, 2), 3u);
  EXPECT_EQ(__gridspan_cpu_fns(0b101100, 4, -1), 3u);
  EXPECT_EQ(__gridspan_cpu_fns(0b101100, 2, 0), 2u);
  EXPECT_EQ(__gridspan_cpu_fns(0b101100, 0, 4), ~0u);
}

TEST(DeviceMathTest, BitFields) {
  EXPECT_EQ(uint32_t(__gridspan_cpu_bfe(0xabcd1234, 8, 12, 32, 0)), 0xd12u);
  // Signed: 0xd12 has its top bit set.
  EXPECT_EQ(
      uint32_t(__gridspan_cpu_bfe(uint64_t(int32_t(0xabcd1234)), 8, 12, 32, 1)),
      0xfffffd12u);
  // Past the end the sign of the operand goes on.
  EXPECT_EQ(
      uint32_t(__gridspan_cpu_bfe(uint64_t(int32_t(0x80000000)), 28, 8, 32, 1)),
      0xfffffff8u);
  EXPECT_EQ(__gridspan_cpu_bfe(5, 0, 0, 32, 1), 0u);
  EXPECT_EQ(uint32_t(__gridspan_cpu_bfi(0x5, 0xffff0000, 4, 8, 32)),
            0xffff0050u);
  EXPECT_EQ(__gridspan_cpu_bfi(~0ull, 0, 0, 64, 64), ~0ull);
}

} // namespace
