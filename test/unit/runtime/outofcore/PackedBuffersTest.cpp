//===- PackedBuffersTest.cpp - Rows packed into device buffers ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/PackedBuffers.h"
#include "runtime/backend/ForwardingBackend.h"
#include "runtime/backend/cpu/CpuBackend.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace gridspan;

namespace {

/// Refuses copies that read from two frames, as a driver does.
class PinnedByFrames : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;

  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   size_t Bytes) override {
    expectInFrame(Src, Bytes);
    return ForwardingBackend::copy(S, Dst, Src, Bytes);
  }
  cudaError_t copy2D(Stream &S, void *Dst, size_t DstPitch, const void *Src,
                     size_t SrcPitch, size_t Width, size_t Height) override {
    expectInFrame(Src, SrcPitch * (Height - 1) + Width);
    return ForwardingBackend::copy2D(S, Dst, DstPitch, Src, SrcPitch, Width,
                                     Height);
  }

  const std::byte *Home = nullptr;
  uint64_t Bytes = 0, FrameBytes = 1;

private:
  void expectInFrame(const void *Src, size_t Size) {
    const uint64_t Lo = static_cast<const std::byte *>(Src) - Home;
    EXPECT_LE(Lo + Size, Bytes);
    EXPECT_EQ(Lo / FrameBytes, (Lo + Size - 1) / FrameBytes);
  }
};

} // namespace

TEST(PackedBuffers, HoldTheRowsWhereThePackingSays) {
  std::string Message;
  PinnedByFrames B(createCpuBackend({1, 0, true}, Message));
  std::mt19937 Random(1);
  auto Pick = [&](int64_t Lo, int64_t Hi) {
    return std::uniform_int_distribution<int64_t>(Lo, Hi)(Random);
  };
  std::unique_ptr<Stream> S;
  ASSERT_EQ(B.createStream(0, StreamKind::NonBlocking, 0, S), cudaSuccess);
  for (int Round = 0; Round < 60; ++Round) {
    RowWindow W;
    W.Pitch = static_cast<uint64_t>(Pick(2, Round % 2 ? 200 : 6000));
    W.Width = static_cast<uint64_t>(Pick(1, static_cast<int64_t>(W.Pitch)));
    W.Rows = static_cast<uint64_t>(Pick(1, 60));
    W.Lo = Pick(-static_cast<int64_t>(W.Width) + 1, 500);
    // The last row may end behind the allocation.
    const int64_t Last = W.Lo + static_cast<int64_t>((W.Rows - 1) * W.Pitch);
    const auto Bytes = static_cast<uint64_t>(std::max<int64_t>(
        1, Last + Pick(1, 2 * static_cast<int64_t>(W.Width))));
    std::vector<std::byte> Home(Bytes);
    for (std::byte &Byte : Home)
      Byte = static_cast<std::byte>(Random());
    B.Home = Home.data();
    B.Bytes = Bytes;
    B.FrameBytes = static_cast<uint64_t>(Pick(1, 20'000));
    PackedBuffers Buffers(B, 0);
    ASSERT_EQ(Buffers.create(W.packedBytes()), cudaSuccess);
    for (unsigned Buffer = 0; Buffer < OutOfCorePlan::NumPackedBuffers;
         ++Buffer) {
      const PackedRows Rows = {0, W, 0};
      ASSERT_EQ(
          Buffers.load(*S, Buffer, Rows, {Home.data(), Bytes, B.FrameBytes}),
          cudaSuccess);
      ASSERT_EQ(B.synchronize(*S), cudaSuccess);
      const GridspanPacking P = Buffers.packing(Buffer, Rows, Home.data());
      for (uint64_t R = 0; R < W.Rows; ++R)
        for (uint64_t C = 0; C < W.Width; ++C) {
          const int64_t At = W.Lo + static_cast<int64_t>(R * W.Pitch + C);
          if (At < 0 || static_cast<uint64_t>(At) >= Bytes)
            continue;
          const auto X = reinterpret_cast<uintptr_t>(Home.data()) + At;
          const uint64_t Units =
              static_cast<uint32_t>((X - P.Base) >> P.Before);
          const auto Row =
              static_cast<int64_t>((Units * P.Magic >> 32) >> P.After);
          const auto *Found =
              reinterpret_cast<const std::byte *>(X + P.Move + Row * P.Step);
          ASSERT_EQ(*Found, Home[At]) << R << " " << C;
        }
    }
  }
}
