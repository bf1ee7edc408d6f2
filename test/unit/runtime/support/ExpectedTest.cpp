//===- ExpectedTest.cpp ---------------------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/support/Expected.h"
#include <gtest/gtest.h>
#include <memory>

using namespace gridspan;

namespace {

struct Base {
  virtual ~Base() = default;
};
struct Derived : Base {};

Expected<std::unique_ptr<Base>> make(bool Fails) {
  if (Fails)
    return cudaErrorMemoryAllocation;
  return std::make_unique<Derived>();
}

} // namespace

TEST(Expected, HoldsAValue) {
  const Expected<uint64_t> E = uint64_t(5);
  ASSERT_TRUE(E);
  EXPECT_EQ(*E, 5U);
  EXPECT_EQ(E.error(), cudaSuccess);
}

TEST(Expected, HoldsAnError) {
  const Expected<uint64_t> E = cudaErrorInvalidValue;
  EXPECT_FALSE(E);
  EXPECT_EQ(E.error(), cudaErrorInvalidValue);
}

TEST(Expected, MovesWhatItHolds) {
  Expected<std::unique_ptr<Base>> E = make(false);
  ASSERT_TRUE(E);
  const std::unique_ptr<Base> Moved = *std::move(E);
  EXPECT_NE(Moved, nullptr);
  EXPECT_EQ(make(true).error(), cudaErrorMemoryAllocation);
}

TEST(Expected, AFalseValueIsNoError) {
  const Expected<bool> E = false;
  ASSERT_TRUE(E.hasValue());
  EXPECT_FALSE(*E);
}
