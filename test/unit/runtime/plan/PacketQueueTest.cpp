//===- PacketQueueTest.cpp - Packets on made-up devices -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices are rates, and blocks are costs. Every block runs once, and all
// devices end at about the same time.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PacketQueue.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

using namespace gridspan;

namespace {

struct Outcome {
  double Seconds = 0;  ///< until the last device ends
  double Balanced = 0; ///< if all ended at the same time
  unsigned Packets = 0;
  std::vector<std::vector<Packet>> ByDevice;
};

/// Runs all packets on devices with these rates, each claim taking Claim
/// seconds and one packet ahead.
Outcome run(PacketQueue Queue, const std::vector<double> &Rates,
            const std::function<double(uint32_t)> &Cost, double Claim = 0) {
  Outcome Out;
  Out.ByDevice.resize(Rates.size());
  std::vector<double> Free(Rates.size(), 0);
  std::multimap<double, unsigned> Next;
  for (unsigned D = 0; D != Rates.size(); ++D)
    Next.emplace(0, D);
  double Work = 0;
  while (!Next.empty()) {
    const auto [Time, Device] = *Next.begin();
    Next.erase(Next.begin());
    const std::optional<Packet> P = Queue.claim(Device);
    if (!P)
      continue;
    double Of = 0;
    for (uint32_t I = 0; I != P->Count; ++I)
      Of += Cost(P->Lo + I);
    Work += Of;
    // The next claim comes when this packet begins.
    const double Begin = std::max(Free[Device], Time + Claim);
    Free[Device] = Begin + Of / Rates[Device];
    Next.emplace(Begin, Device);
    Out.ByDevice[Device].push_back(*P);
    ++Out.Packets;
  }
  Out.Seconds = *std::max_element(Free.begin(), Free.end());
  Out.Balanced = Work / std::accumulate(Rates.begin(), Rates.end(), 0.0);
  return Out;
}

void expectEachBlockOnce(const Outcome &Of, uint32_t Lo, uint32_t Hi) {
  std::vector<unsigned> Runs(Hi, 0);
  for (const std::vector<Packet> &Packets : Of.ByDevice)
    for (const Packet &P : Packets) {
      ASSERT_GT(P.Count, 0U);
      for (uint32_t I = P.Lo; I != P.Lo + P.Count; ++I) {
        ASSERT_GE(I, Lo);
        ASSERT_LT(I, Hi);
        ++Runs[I];
      }
    }
  for (uint32_t I = Lo; I != Hi; ++I)
    ASSERT_EQ(Runs[I], 1U) << I;
}

double one(uint32_t) { return 1; }

} // namespace

TEST(PacketQueue, EveryBlockRunsOnce) {
  for (const std::vector<uint32_t> &Bounds : {std::vector<uint32_t>{0, 1},
                                              {0, 1, 2},
                                              {5, 100, 101},
                                              {0, 7, 500},
                                              {3, 1000, 2000, 3001, 4000},
                                              {0, 10, 20, 30, 40, 50, 60, 71}})
    for (double Share : {0.0, 0.3, 0.5, 1.0})
      for (uint32_t Least : {1U, 8U, 1000U}) {
        std::vector<double> Rates;
        for (size_t I = 1; I != Bounds.size(); ++I)
          Rates.push_back(double(I));
        expectEachBlockOnce(run(PacketQueue(Bounds, Share, Least), Rates, one),
                            Bounds.front(), Bounds.back());
      }
}

TEST(PacketQueue, PacketsGetSmaller) {
  PacketQueue Queue({0, 1000, 2000}, 0, 16);
  const uint64_t All = Queue.left();
  for (unsigned I = 0; Queue.left(); ++I) {
    const uint64_t Left = Queue.left();
    const std::optional<Packet> P = Queue.claim(I % 2);
    ASSERT_TRUE(P);
    EXPECT_LE(P->Count, std::max<uint64_t>(16, Left / 4));
    EXPECT_EQ(Queue.left(), Left - P->Count);
    if (I == 0) {
      EXPECT_GE(P->Count, All / 32);
    }
  }
  EXPECT_FALSE(Queue.claim(0));
  EXPECT_FALSE(Queue.claim(1));
}

TEST(PacketQueue, DevicesTakeFromTheirEndsTowardsTheSeam) {
  const Outcome Of = run(PacketQueue({0, 500, 1000}, 0.5, 8), {3, 1}, one);
  uint32_t End = 0;
  for (const Packet &P : Of.ByDevice[0])
    if (P.Lo < 500) {
      EXPECT_EQ(P.Lo, End) << "ascending";
      End = P.Lo + P.Count;
    }
  uint32_t Begin = 1000;
  for (const Packet &P : Of.ByDevice[1]) {
    EXPECT_EQ(P.Lo + P.Count, Begin) << "descending";
    Begin = P.Lo;
  }
  EXPECT_EQ(Of.ByDevice[0].front(), (Packet{0, 250}));
  EXPECT_EQ(Of.ByDevice[1].front(), (Packet{750, 250}));
  // What the first device took from the second is beside its own.
  EXPECT_EQ(Of.ByDevice[0].back().Lo + Of.ByDevice[0].back().Count, Begin);
}

TEST(PacketQueue, AStaticShareOfOneHandsNothingOut) {
  const Outcome Of = run(PacketQueue({0, 600, 1000}, 1, 8), {3, 1}, one);
  EXPECT_EQ(Of.Packets, 2U);
}

TEST(PacketQueue, UnequalDevicesEndTogether) {
  for (const std::vector<double> &Rates : {std::vector<double>{1, 1},
                                           {2, 1},
                                           {1, 4},
                                           {1, 1, 1, 0.25},
                                           {1, 4, 3, 3, 2}}) {
    std::vector<uint32_t> Bounds;
    for (uint32_t I = 0; I <= Rates.size(); ++I)
      Bounds.push_back(I * 4000);
    const Outcome Of = run(PacketQueue(Bounds, 0, 8), Rates, one);
    EXPECT_LE(Of.Seconds, 1.1 * Of.Balanced) << testing::PrintToString(Rates);
    EXPECT_LE(Of.Packets, 60 * Rates.size());
  }
}

TEST(PacketQueue, SkewedWorkEndsTogether) {
  const std::function<double(uint32_t)> Costs[] = {
      [](uint32_t I) { return double(I); },
      [](uint32_t I) { return 8000.0 - I; },
      [](uint32_t I) { return I % 97 == 0 ? 50.0 : 1.0; }};
  for (const auto &Cost : Costs)
    for (const std::vector<double> &Rates :
         {std::vector<double>{1, 1}, {3, 1}, {1, 2}}) {
      const Outcome Of = run(PacketQueue({0, 4000, 8000}, 0, 8), Rates, Cost);
      EXPECT_LE(Of.Seconds, 1.1 * Of.Balanced);
      expectEachBlockOnce(Of, 0, 8000);
    }
}

TEST(PacketQueue, ClaimsAheadHideWhatTheyTake) {
  // A claim takes as long as a block; the least packets last for ten.
  const Outcome Of = run(PacketQueue({0, 4000, 8000}, 0, 10), {1, 1}, one, 1.0);
  EXPECT_LE(Of.Seconds, 1.01 * Of.Balanced);
}
