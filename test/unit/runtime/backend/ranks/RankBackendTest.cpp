//===- RankBackendTest.cpp - Devices of ranks in one process --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contract of every backend, over a transport in memory; and more data of
// the host than may wait for streams of other ranks.
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/backend/BackendConformance.h"
#include "test/unit/runtime/backend/ranks/LoopNetwork.h"

namespace gridspan {

static std::unique_ptr<Backend> makeLoop(int NumRanks, unsigned DevicesEach) {
  return ranks::LoopBackend::create(NumRanks, DevicesEach, uint64_t(1) << 30);
}

INSTANTIATE_TEST_SUITE_P(
    Ranks, BackendConformance,
    testing::Values(BackendUnderTest{"ranks2", [] { return makeLoop(2, 1); }},
                    BackendUnderTest{"ranks3x2",
                                     [] { return makeLoop(3, 2); }}),
    [](const auto &Info) { return Info.param.Name; });

/// Copies to a device of rank 1, through a stream of Device, and back.
static void copyMuch(Backend &B, int Device, size_t Size, unsigned Times) {
  const size_t Page = B.system().PageSize;
  const size_t Bytes = (Size * Times + Page - 1) / Page * Page;
  void *There = nullptr;
  std::unique_ptr<Pages> P;
  std::unique_ptr<Stream> S;
  ASSERT_EQ(B.reserve(Bytes, There), cudaSuccess);
  ASSERT_EQ(B.createPages(1, Bytes, P), cudaSuccess);
  ASSERT_EQ(B.map(There, *P, 0, Bytes), cudaSuccess);
  ASSERT_EQ(B.createStream(Device, StreamKind::NonBlocking, 0, S), cudaSuccess);
  std::vector<unsigned char> Sent(Size), Got(Size * Times);
  for (unsigned I = 0; I != Times; ++I) {
    for (size_t At = 0; At != Size; ++At)
      Sent[At] = static_cast<unsigned char>(At / 4096 + At + I);
    ASSERT_EQ(B.copy(*S, static_cast<unsigned char *>(There) + I * Size,
                     Sent.data(), Size),
              cudaSuccess);
  }
  ASSERT_EQ(B.copy(*S, Got.data(), There, Got.size()), cudaSuccess);
  ASSERT_EQ(B.synchronize(*S), cudaSuccess);
  for (size_t At = 0; At != Got.size(); ++At)
    ASSERT_EQ(Got[At], static_cast<unsigned char>(At % Size / 4096 + At % Size +
                                                  At / Size))
        << At;
  S.reset();
  ASSERT_EQ(B.unmap(There, Bytes), cudaSuccess);
  P.reset();
  B.release(There, Bytes);
}

TEST(RankBackendTest, CopiesMoreThanMayWait) {
  const std::unique_ptr<Backend> B = makeLoop(2, 1);
  ASSERT_TRUE(B);
  for (int Device : {0, 1}) {
    copyMuch(*B, Device, ranks::DataMover::MostWaiting + 4321, 1);
    copyMuch(*B, Device, ranks::DataMover::MostWaiting / 16, 24);
  }
}

} // namespace gridspan
