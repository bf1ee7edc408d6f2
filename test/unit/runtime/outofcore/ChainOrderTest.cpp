//===- ChainOrderTest.cpp - Orders of made-up chunks ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/ChainOrder.h"
#include <gtest/gtest.h>
#include <random>

using namespace gridspan;

namespace {

ChainChunk chunk(unsigned Launch, int Device, uint32_t Lo,
                 std::vector<ByteUse> Bytes) {
  ChainChunk C;
  C.Step.Launch = Launch;
  C.Step.Device = Device;
  C.Step.Lo[0] = Lo;
  C.Bytes = std::move(Bytes);
  return C;
}

/// Chunk I of Count on each of Devices devices reads [10 I - Halo, 10 I + 10 +
/// Halo) of From and writes [10 I, 10 I + 10) of To.
ChainLaunch sweep(unsigned Launch, unsigned From, unsigned To, uint32_t Count,
                  uint64_t Halo, unsigned Devices = 1) {
  ChainLaunch Out(Devices);
  for (uint32_t I = 0; I < Count * Devices; ++I) {
    const uint64_t Lo = 10 * I, Least = Lo < Halo ? 0 : Lo - Halo;
    const auto D = static_cast<int>(I / Count);
    Out[D].push_back(
        chunk(Launch, D, I,
              {{From, Least, Lo + 10 + Halo, false}, {To, Lo, Lo + 10, true}}));
  }
  return Out;
}

/// "launch:chunk" of the steps.
std::string text(const std::vector<OutOfCoreStep> &Steps) {
  std::string Out;
  for (const OutOfCoreStep &S : Steps)
    Out += (Out.empty() ? "" : " ") + std::to_string(S.Launch) + ":" +
           std::to_string(S.Lo[0]);
  return Out;
}

bool conflict(const ChainChunk &L, const ChainChunk &R) {
  for (const ByteUse &A : L.Bytes)
    for (const ByteUse &B : R.Bytes)
      if (A.Allocation == B.Allocation && A.Lo < B.Hi && B.Lo < A.Hi &&
          (A.Writes || B.Writes))
        return true;
  return false;
}

/// Every chunk runs once, and behind the chunks of earlier launches that it
/// shares bytes with: on the same device, or by events.
void expectOrdered(const std::vector<ChainLaunch> &Launches,
                   const std::vector<OutOfCoreStep> &Steps) {
  std::vector<const ChainChunk *> ChunkOf;
  size_t Count = 0;
  for (const ChainLaunch &L : Launches)
    for (const std::vector<ChainChunk> &D : L)
      Count += D.size();
  ASSERT_EQ(Steps.size(), Count);
  for (const OutOfCoreStep &S : Steps) {
    const ChainChunk *Found = nullptr;
    for (const ChainChunk &C : Launches[S.Launch][S.Device])
      if (C.Step.Lo == S.Lo)
        Found = &C;
    ASSERT_TRUE(Found);
    EXPECT_EQ(std::count(ChunkOf.begin(), ChunkOf.end(), Found), 0);
    ChunkOf.push_back(Found);
  }
  // Steps that are over when one begins.
  std::vector<std::vector<bool>> Over(Count, std::vector<bool>(Count));
  for (size_t I = 0; I < Count; ++I) {
    const auto Behind = [&](size_t J) {
      Over[I][J] = true;
      for (size_t K = 0; K < J; ++K)
        if (Over[J][K])
          Over[I][K] = true;
    };
    for (size_t J = 0; J < I; ++J)
      if (Steps[J].Device == Steps[I].Device)
        Behind(J);
    for (uint32_t J : Steps[I].After) {
      ASSERT_LT(J, I);
      Behind(J);
    }
    for (size_t J = 0; J < Count; ++J)
      if (Steps[J].Launch < Steps[I].Launch &&
          conflict(*ChunkOf[J], *ChunkOf[I])) {
        EXPECT_TRUE(J < I && Over[I][J]) << J << " before " << I;
      }
  }
}

} // namespace

TEST(ChainOrder, PointwiseLaunchesFollowEachOther) {
  const std::vector<ChainLaunch> L = {sweep(0, 0, 1, 3, 0),
                                      sweep(1, 1, 2, 3, 0)};
  EXPECT_EQ(text(ChainOrder(L).walk({2, false})), "0:0 1:0 0:1 1:1 0:2 1:2");
  EXPECT_EQ(text(ChainOrder(L).walk({2, true})), "0:2 1:2 0:1 1:1 0:0 1:0");
}

TEST(ChainOrder, StencilsAreSkewed) {
  const std::vector<ChainLaunch> L = {
      sweep(0, 0, 1, 4, 1), sweep(1, 1, 0, 4, 1), sweep(2, 0, 1, 4, 1)};
  const auto Steps = ChainOrder(L).walk({3, false});
  EXPECT_EQ(text(Steps), "0:0 0:1 1:0 0:2 1:1 2:0 0:3 1:2 2:1 1:3 2:2 2:3");
  expectOrdered(L, Steps);
}

TEST(ChainOrder, GroupsTurnRound) {
  const std::vector<ChainLaunch> L = {sweep(0, 0, 1, 3, 1),
                                      sweep(1, 1, 0, 3, 1)};
  EXPECT_EQ(text(ChainOrder(L).walk({1, false})), "0:0 0:1 0:2 1:2 1:1 1:0");
}

TEST(ChainOrder, LaunchesInDifferentDirectionsWait) {
  std::vector<ChainLaunch> L = {sweep(0, 0, 1, 3, 0)};
  L.emplace_back(1);
  for (uint32_t I = 0; I < 3; ++I)
    L[1][0].push_back(chunk(1, 0, I, {{1, 20 - 10 * I, 30 - 10 * I, false}}));
  EXPECT_EQ(text(ChainOrder(L).walk({2, false})), "0:0 0:1 0:2 1:0 1:1 1:2");
}

TEST(ChainOrder, DevicesMeetAtTheirSeam) {
  const std::vector<ChainLaunch> L = {sweep(0, 0, 1, 3, 1, 2),
                                      sweep(1, 1, 0, 3, 1, 2)};
  const auto Steps = ChainOrder(L).walk({2, true});
  expectOrdered(L, Steps);
  // Both begin there, so that neither waits for the other's end.
  EXPECT_EQ(text(Steps), "0:2 0:3 0:1 0:4 1:2 1:3 0:0 0:5 1:1 1:4 1:0 1:5");
  EXPECT_EQ(Steps[4].After, (std::vector<uint32_t>{1}));
  EXPECT_EQ(Steps[5].After, (std::vector<uint32_t>{0}));
  EXPECT_TRUE(Steps[8].After.empty());
}

TEST(ChainOrder, WhatIsReadIsNotOverwrittenBefore) {
  // Launch 1 writes what chunk 2 of launch 0 reads, launch 2 all of it.
  std::vector<ChainLaunch> L = {sweep(0, 0, 1, 3, 0)};
  L.push_back({{chunk(1, 0, 0, {{0, 20, 25, true}})}});
  L.push_back({{chunk(2, 0, 0, {{0, 0, 30, true}})}});
  EXPECT_EQ(text(ChainOrder(L).walk({3, false})), "0:0 0:1 0:2 1:0 2:0");
}

TEST(ChainOrder, RandomChunksKeepTheirOrder) {
  std::mt19937 Random(7);
  const auto Below = [&](unsigned N) {
    return std::uniform_int_distribution<unsigned>(0, N - 1)(Random);
  };
  for (int Round = 0; Round < 300; ++Round) {
    const unsigned Devices = 1 + Below(3), Length = 1 + Below(5);
    std::vector<ChainLaunch> L;
    for (unsigned I = 0; I < Length; ++I) {
      L.emplace_back(Devices);
      const unsigned Chunks = 1 + Below(4);
      for (unsigned D = 0; D < Devices; ++D)
        for (unsigned C = 0; C < Chunks; ++C) {
          std::vector<ByteUse> Bytes;
          for (unsigned U = Below(4); U-- > 0;) {
            const uint64_t Lo = Below(40);
            Bytes.push_back({Below(2), Lo, Lo + 1 + Below(10), Below(2) == 1});
          }
          L.back()[D].push_back(
              chunk(I, static_cast<int>(D), D * Chunks + C, Bytes));
        }
    }
    const ChainWalk Way = {1 + Below(Length), Below(2) == 1};
    expectOrdered(L, ChainOrder(L).walk(Way));
    ASSERT_FALSE(testing::Test::HasFailure()) << "round " << Round;
  }
}
