//===- RequestSumsTest.cpp - Sums over recorded requests ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/report/RequestSums.h"
#include <gtest/gtest.h>
#include <vector>

using namespace gridspan;

namespace {

uint64_t noArray(uint64_t) { return 0; }

/// A kernel with one probe at site 5 that loads Bytes.
struct OneProbe {
  explicit OneProbe(uint32_t Bytes) {
    Probe.Mode = GridspanRead;
    Probe.ElementSize = Bytes;
    Probe.Site = 5;
    Kernel.Accesses = &Probe;
    Kernel.NumAccesses = 1;
  }
  GridspanAccess Probe = {};
  GridspanKernel Kernel = {};
};

/// Keeps a request of all lanes, Stride bytes apart.
void keep(GridspanRecord &R, unsigned Slot, uint64_t Base, uint64_t Stride,
          uint32_t Mask = ~0u) {
  R.Masks[Slot] = Mask;
  for (unsigned Lane = 0; Lane != 32; ++Lane)
    R.Addresses[Slot][Lane] = Base + Lane * Stride;
}

} // namespace

TEST(RequestSums, CountsSectorsLinesAndAddresses) {
  const OneProbe K(4);
  std::vector<GridspanRecord> Records(1);
  Records[0].Requests = 3;
  Records[0].Lanes = 32 + 32 + 8;
  keep(Records[0], 0, 4096, 4);
  keep(Records[0], 1, 8192, 32);
  keep(Records[0], 2, 1024, 0, 0xff);
  const auto Sums = sumRecords(K.Kernel, Records.data(), 1, noArray);
  ASSERT_EQ(Sums.size(), 1u);
  const RequestSums &S = Sums.at(5);
  EXPECT_EQ(S.Mode, GridspanRead);
  EXPECT_EQ(S.Bytes, 4u);
  EXPECT_EQ(S.Requests, 3);
  EXPECT_EQ(S.Lanes, 72);
  EXPECT_EQ(S.Sectors, 4 + 32 + 1);
  EXPECT_EQ(S.Lines, 1 + 8 + 1);
  EXPECT_EQ(S.Addresses, 32 + 32 + 1);
  EXPECT_EQ(S.IdealSectors, 4 + 4 + 1);
  EXPECT_EQ(S.FreshSectors, 37);
}

TEST(RequestSums, AccessesThatCrossSectorsTouchBoth) {
  const OneProbe K(8);
  std::vector<GridspanRecord> Records(1);
  Records[0].Requests = 1;
  Records[0].Lanes = 1;
  keep(Records[0], 0, 124, 0, 1);
  const RequestSums S = sumRecords(K.Kernel, Records.data(), 1, noArray).at(5);
  EXPECT_EQ(S.Sectors, 2);
  EXPECT_EQ(S.Lines, 2);
}

// Kept requests stand for those up to the next one that is kept.
TEST(RequestSums, WeighsKeptRequests) {
  const OneProbe K(4);
  std::vector<GridspanRecord> Records(1);
  Records[0].Requests = 20;
  Records[0].Lanes = 20 * 32;
  for (unsigned Slot = 0; Slot != GridspanFirstRequests; ++Slot)
    keep(Records[0], Slot, 4096, 4); // one each
  keep(Records[0], 8, 8192, 32);     // requests 8 to 15
  keep(Records[0], 9, 65536, 0);     // requests 16 to 19
  const RequestSums S = sumRecords(K.Kernel, Records.data(), 1, noArray).at(5);
  EXPECT_EQ(S.Requests, 20);
  EXPECT_EQ(S.Sectors, 8 * 4 + 8 * 32 + 4 * 1);
  // The first eight are at one place, so that those behind the others are.
  EXPECT_EQ(S.FreshSectors, 4 + 32 + 1);
}

// Half a sector a request: every other one is fresh, also where few were kept.
TEST(RequestSums, TakesLaterRequestsToMoveLikeTheFirst) {
  const OneProbe K(4);
  std::vector<GridspanRecord> Records(1);
  Records[0].Requests = 24;
  for (unsigned Slot = 0; Slot != 10; ++Slot) {
    const uint64_t Number = Slot < 8 ? Slot : Slot == 8 ? 8 : 16;
    keep(Records[0], Slot, 4096 + 16 * Number, 4096);
  }
  const RequestSums S = sumRecords(K.Kernel, Records.data(), 1, noArray).at(5);
  EXPECT_EQ(S.Sectors, 24 * 32);
  const double Share = 3.0 / 7; // of requests 1 to 7
  EXPECT_DOUBLE_EQ(S.FreshSectors, 4 * 32 + 2 * 32 * (1 + 7 * Share));
}

// What one access has read is no longer fresh for another, but for a store.
TEST(RequestSums, AccessesOfAKindShareSectors) {
  GridspanAccess Probes[3] = {};
  for (uint32_t P = 0; P != 3; ++P) {
    Probes[P].Mode = P == 2 ? GridspanWrite : GridspanRead;
    Probes[P].ElementSize = 1;
    Probes[P].Site = P;
  }
  GridspanKernel Kernel = {};
  Kernel.Accesses = Probes;
  Kernel.NumAccesses = 3;
  std::vector<GridspanRecord> Records(6);
  for (unsigned I = 0; I != 6; ++I) {
    Records[I].Requests = 1;
    keep(Records[I], 0, 4096 + I % 3, 32);
  }
  const auto Sums = sumRecords(Kernel, Records.data(), 2, noArray);
  // Warps do not share.
  EXPECT_EQ(Sums.at(0).FreshSectors, 64);
  EXPECT_EQ(Sums.at(1).FreshSectors, 0);
  EXPECT_EQ(Sums.at(2).FreshSectors, 64);
}

TEST(RequestSums, TheLastKeptRequestStandsForTheRest) {
  const OneProbe K(4);
  std::vector<GridspanRecord> Records(1);
  Records[0].Requests = 100000;
  for (unsigned Slot = 0; Slot != GridspanRecordedRequests; ++Slot)
    keep(Records[0], Slot, 4096, Slot + 1 == GridspanRecordedRequests ? 32 : 4);
  const RequestSums S = sumRecords(K.Kernel, Records.data(), 1, noArray).at(5);
  // The last one kept is number 1024.
  EXPECT_EQ(S.Sectors, 1024.0 * 4 + (100000 - 1024.0) * 32);
}

TEST(RequestSums, AddsWarpsAndFindsTheLargestArray) {
  const OneProbe K(4);
  std::vector<GridspanRecord> Records(3);
  for (unsigned Warp : {0u, 2u}) {
    Records[Warp].Requests = 1;
    Records[Warp].Lanes = 32;
    keep(Records[Warp], 0, 4096 * (Warp + 1), 4);
  }
  const RequestSums S =
      sumRecords(K.Kernel, Records.data(), 3, [](uint64_t Address) {
        return Address < 8192 ? uint64_t(100) : uint64_t(7000);
      }).at(5);
  EXPECT_EQ(S.Requests, 2);
  EXPECT_EQ(S.Sectors, 8);
  EXPECT_EQ(S.ArrayBytes, 7000u);
}
