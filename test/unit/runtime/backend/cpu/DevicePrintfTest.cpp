//===- DevicePrintfTest.cpp - printf of device code -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/calls/DevicePrintf.h"
#include <cstdint>
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

template <typename T> std::string format(const char *Format, const T &Args) {
  std::string Out;
  formatDevicePrintf(Format, &Args, Out);
  return Out;
}

TEST(DevicePrintfTest, ArgumentsAreAligned) {
  struct {
    int32_t A;
    double B;
    int32_t C;
    int64_t D;
    const char *E;
  } Args = {1, 2.5, -3, int64_t(1) << 40, "text"};
  EXPECT_EQ(format("%d|%5.2f|%i|%lld|%s", Args),
            "1| 2.50|-3|1099511627776|text");
  std::string Out;
  EXPECT_EQ(formatDevicePrintf("%d %f %i %lld %s", &Args, Out), 5);
}

TEST(DevicePrintfTest, FlagsWidthsAndLengths) {
  struct {
    int32_t A, B, C, D;
  } Args = {255, 7, 3, 300};
  EXPECT_EQ(format("%#06x %*d %hhu", Args), "0x00ff       3 44");
}

TEST(DevicePrintfTest, StarTakesAnArgument) {
  struct {
    int32_t Width, Precision;
    double Value;
  } Args = {8, 2, 3.14159};
  EXPECT_EQ(format("[%*.*f]", Args), "[    3.14]");
}

TEST(DevicePrintfTest, PercentCharactersAndNull) {
  struct {
    int32_t C;
    const char *Null;
  } Args = {'x', nullptr};
  EXPECT_EQ(format("100%% %c %s", Args), "100% x (null)");
}

TEST(DevicePrintfTest, UnknownConversionEndsTheFormatting) {
  const int32_t Arg = 1;
  EXPECT_EQ(format("a %q b %d", Arg), "a %q b %d");
}

} // namespace
