//===- PayloadTest.cpp - Frames are found, and damage is seen -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frames within other bytes, compressed and not, and every kind of damage to
// them.
//
//===----------------------------------------------------------------------===//

#include "analysis/summary/Payload.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace gridspan;

static std::string frame(PayloadKind Kind, StringRef Contents, bool Compress) {
  SmallVector<char, 0> Bytes = framePayload(Kind, Contents, Compress);
  return std::string(Bytes.begin(), Bytes.end());
}

TEST(Payload, FoundAmongOtherBytes) {
  std::string Long(5000, 'x');
  std::string Container = "ELF\x93Grid" +
                          frame(PayloadKind::Summary, "{}", false) + "zz" +
                          frame(PayloadKind::Bitcode, Long, true);
  EXPECT_LT(Container.size(), 1000u);
  auto Found = findPayloads(Container);
  ASSERT_TRUE(static_cast<bool>(Found));
  ASSERT_EQ(Found->size(), 2u);
  EXPECT_EQ((*Found)[0].Kind, PayloadKind::Summary);
  EXPECT_EQ((*Found)[0].Contents, "{}");
  EXPECT_EQ((*Found)[1].Kind, PayloadKind::Bitcode);
  EXPECT_EQ((*Found)[1].Contents, Long);
}

TEST(Payload, EqualFramesCountOnce) {
  std::string One = frame(PayloadKind::Summary, "same", true);
  auto Found = findPayloads(One + One + frame(PayloadKind::Summary, "b", true));
  ASSERT_TRUE(static_cast<bool>(Found));
  EXPECT_EQ(Found->size(), 2u);
}

TEST(Payload, NothingIsNoError) {
  auto Found = findPayloads("no frame here");
  ASSERT_TRUE(static_cast<bool>(Found));
  EXPECT_TRUE(Found->empty());
}

static std::string errorOf(StringRef Container) {
  auto Found = findPayloads(Container);
  return Found ? "" : toString(Found.takeError());
}

TEST(Payload, DamageIsAnError) {
  std::string Good = frame(PayloadKind::Summary, "contents", false);
  EXPECT_EQ(errorOf(StringRef(Good).drop_back()), "Gridspan data is cut off");
  EXPECT_EQ(errorOf(StringRef(Good).take_front(20)),
            "Gridspan data is cut off");
  std::string Flipped = Good;
  Flipped.back() ^= 1;
  EXPECT_EQ(errorOf(Flipped), "Gridspan data has a wrong checksum");
}
