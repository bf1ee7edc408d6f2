//===- MemoryOperationTest.cpp - Fills and copies in blocks ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random fills and copies of rows and boxes, against byte-by-byte loops: done
// block by block in any order, and what their descriptors say they touch.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/MemoryOperation.h"
#include "runtime/backend/ForwardingBackend.h"
#include "test/unit/runtime/TestRuntime.h"
#include <algorithm>
#include <random>
#include <set>
#include <span>

using namespace gridspan;

namespace {

using End = MemoryOperation::End;
using Extent = MemoryOperation::Extent;

/// Notes if a copy or fill reaches over the end of a frame of the memory.
class BackendThatLooks : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   size_t Bytes) override {
    look(Dst, Bytes, 0, 1);
    look(Src, Bytes, 0, 1);
    return ForwardingBackend::copy(S, Dst, Src, Bytes);
  }
  cudaError_t copy2D(Stream &S, void *Dst, size_t DstPitch, const void *Src,
                     size_t SrcPitch, size_t Width, size_t Height) override {
    look(Dst, Width, DstPitch, Height);
    look(Src, Width, SrcPitch, Height);
    return ForwardingBackend::copy2D(S, Dst, DstPitch, Src, SrcPitch, Width,
                                     Height);
  }
  cudaError_t fill(Stream &S, void *Dst, int Byte, size_t Bytes) override {
    look(Dst, Bytes, 0, 1);
    return ForwardingBackend::fill(S, Dst, Byte, Bytes);
  }
  static inline const std::byte *Base;
  static inline uint64_t Frame;
  static inline unsigned Broken, Calls;

private:
  static void look(const void *At, size_t Width, size_t Pitch, size_t Height) {
    ++Calls;
    const auto First =
        static_cast<uint64_t>(static_cast<const std::byte *>(At) - Base);
    Broken +=
        First / Frame != (First + (Height - 1) * Pitch + Width - 1) / Frame;
  }
};

class MemoryOperationTest : public testing::Test {
protected:
  static constexpr uint64_t Bytes = 1 << 18;

  MemoryOperationTest() : R(1) {
    R.wrapBackend<BackendThatLooks>();
    void *Managed = nullptr;
    EXPECT_EQ(
        __gridspan_cudaMallocManaged(&Managed, Bytes, cudaMemAttachGlobal),
        cudaSuccess);
    Memory = {static_cast<std::byte *>(Managed), Bytes};
    EXPECT_EQ(R->backend().createStream(0, StreamKind::NonBlocking, 0, S),
              cudaSuccess);
  }
  uint64_t below(uint64_t N) { return Random() % N; }
  /// A random box within the memory.
  Extent extent() {
    Extent E = {1 + below(below(2) ? 300 : 30000), 1 + below(40), 1 + below(4)};
    while (E.bytes() > Bytes / 4)
      (E.Depth > 1 ? E.Depth : E.Height > 1 ? E.Height : E.Width) /= 2;
    return E;
  }
  End end(const Extent &E) {
    End Out;
    do {
      Out.Pitch = E.Width + (below(3) ? below(200) : 0);
      Out.PlanePitch = E.Height * Out.Pitch + (below(3) ? below(3000) : 0);
    } while (Out.span(E) > Bytes);
    Out.At = Memory.data() + below(Bytes - Out.span(E) + 1);
    return Out;
  }
  template <typename Function>
  static void forBytes(const End &A, const Extent &E, Function Do) {
    for (uint64_t Z = 0; Z < E.Depth; ++Z)
      for (uint64_t Y = 0; Y < E.Height; ++Y)
        for (uint64_t X = 0; X < E.Width; ++X)
          Do(Z * A.PlanePitch + Y * A.Pitch + X);
  }
  /// The bytes that a range has, from the allocation's first one on.
  static std::vector<uint64_t> bytesOf(const GridspanRange &Range) {
    std::vector<uint64_t> Out;
    if (Range.State == GridspanRangeEmpty)
      return Out;
    EXPECT_EQ(Range.State, uint32_t(GridspanRangeExact));
    EXPECT_TRUE(Range.RowsPerPlane == 1 || Range.Pitch > Range.RowBytes);
    EXPECT_TRUE(Range.Planes == 1 ||
                Range.PlanePitch >
                    (Range.RowsPerPlane - 1) * Range.Pitch + Range.RowBytes);
    for (int64_t Z = 0; Z < Range.Planes; ++Z)
      for (int64_t Y = 0; Y < Range.RowsPerPlane; ++Y)
        for (int64_t X = 0; X < Range.RowBytes; ++X)
          Out.push_back(static_cast<uint64_t>(Range.Lo + Z * Range.PlanePitch +
                                              Y * Range.Pitch + X));
    std::sort(Out.begin(), Out.end());
    return Out;
  }
  /// Divides the blocks at random and runs all parts in any order.
  void runInParts(const MemoryOperation &Op, const End &To, const End *From) {
    const LaunchRequest L =
        Op.request(**R->streams().find(nullptr, DefaultStream::Legacy));
    std::vector<MemoryOperation::Blocks> Parts = {
        {{0, 0, 0}, {L.Shape.Grid.x, L.Shape.Grid.y, L.Shape.Grid.z}}};
    for (unsigned Times = 0; Times < 6; ++Times) {
      MemoryOperation::Blocks &P = Parts[below(Parts.size())];
      const uint64_t Axis = below(3);
      if (P.Count[Axis] < 2)
        continue;
      const auto Less = static_cast<uint32_t>(1 + below(P.Count[Axis] - 1));
      MemoryOperation::Blocks More = P;
      More.Lo[Axis] += Less;
      More.Count[Axis] -= Less;
      P.Count[Axis] = Less;
      Parts.push_back(More);
    }
    std::shuffle(Parts.begin(), Parts.end(), Random);
    const auto Place = [&](const End &A) {
      return MemoryOperation::Place{static_cast<uint64_t>(A.At - Memory.data()),
                                    BackendThatLooks::Frame};
    };
    for (const MemoryOperation::Blocks &P : Parts)
      ASSERT_EQ(MemoryOperation::run(
                    R->backend(), *S, L.kernel(), L.Arguments, P, Place(To),
                    From ? Place(*From) : MemoryOperation::Place()),
                cudaSuccess);
    ASSERT_EQ(R->backend().synchronize(*S), cudaSuccess);
  }

  TestRuntime R;
  std::mt19937 Random{18};
  std::span<std::byte> Memory; ///< that the host and the device reach
  std::unique_ptr<Stream> S;
};

} // namespace

TEST_F(MemoryOperationTest, DoesWhatLoopsDo) {
  unsigned Copies = 0, Fills = 0;
  BackendThatLooks::Base = Memory.data();
  BackendThatLooks::Broken = 0;
  for (unsigned Round = 0; Round < 300; ++Round) {
    BackendThatLooks::Frame = uint64_t(4096) << below(3);
    for (std::byte &B : Memory)
      B = static_cast<std::byte>(Random());
    std::vector<std::byte> Want(Memory.begin(), Memory.end());
    const Extent E = extent();
    const End To = end(E), From = end(E);
    ASSERT_TRUE(MemoryOperation::isSound(To, E));
    const auto ToAt = static_cast<uint64_t>(To.At - Memory.data());
    if (Round % 2) {
      std::byte With = static_cast<std::byte>(Random());
      forBytes(To, E, [&](uint64_t At) { Want[ToAt + At] = With; });
      runInParts(MemoryOperation(To, static_cast<int>(With), E), To, nullptr);
      ++Fills;
    } else if (MemoryOperation::areApart(To, From, E)) {
      std::vector<std::byte> Values;
      forBytes(From, E, [&](uint64_t At) { Values.push_back(From.At[At]); });
      size_t Next = 0;
      forBytes(To, E, [&](uint64_t At) { Want[ToAt + At] = Values[Next++]; });
      runInParts(MemoryOperation(To, From, E), To, &From);
      ++Copies;
    }
    ASSERT_TRUE(std::ranges::equal(Memory, Want)) << Round;
  }
  EXPECT_EQ(BackendThatLooks::Broken, 0U);
  EXPECT_GT(Copies, 50U);
  EXPECT_GT(Fills, 50U);
}

TEST_F(MemoryOperationTest, SaysWhichBytesBlocksTouch) {
  for (unsigned Round = 0; Round < 60; ++Round) {
    const Extent E = extent();
    const End To = end(E), From = end(E);
    const MemoryOperation Op(To, From, E);
    const LaunchRequest L =
        Op.request(**R->streams().find(nullptr, DefaultStream::Legacy));
    const uint32_t Grid[] = {L.Shape.Grid.x, L.Shape.Grid.y, L.Shape.Grid.z};
    std::array<std::vector<uint64_t>, 2> Seen;
    uint64_t Bytes = 0;
    for (uint32_t Axis = 0, Parts = 1 + below(3), P = 0; P < Parts; ++P) {
      GridspanBox Box = {L.Arguments,
                         {Grid[0], Grid[1], Grid[2]},
                         {1, 1, 1},
                         {0, 0, 0},
                         {Grid[0], Grid[1], Grid[2]}};
      if (P == 0)
        Axis = static_cast<uint32_t>(below(3));
      Box.BlockLo[Axis] = Grid[Axis] * P / Parts;
      Box.BlockCount[Axis] = Grid[Axis] * (P + 1) / Parts - Box.BlockLo[Axis];
      std::array<GridspanRange, 2> Ranges;
      L.kernel().Ranges(&Box, Ranges.data());
      for (unsigned I = 0; I < 2; ++I)
        std::ranges::copy(bytesOf(Ranges[I]), std::back_inserter(Seen[I]));
      MemoryOperation::Blocks Of = {};
      std::copy_n(Box.BlockLo, 3, Of.Lo.begin());
      std::copy_n(Box.BlockCount, 3, Of.Count.begin());
      Bytes += MemoryOperation::bytes(L.Arguments, Of);
    }
    EXPECT_EQ(Bytes, E.bytes());
    for (unsigned I = 0; I < 2; ++I) {
      std::vector<uint64_t> Want;
      forBytes(I ? From : To, E, [&](uint64_t At) { Want.push_back(At); });
      std::sort(Want.begin(), Want.end());
      std::sort(Seen[I].begin(), Seen[I].end());
      ASSERT_TRUE(Seen[I] == Want) << Round;
    }
  }
}

TEST_F(MemoryOperationTest, KnowsEndsThatOverlap) {
  unsigned Apart = 0, Missed = 0;
  for (unsigned Round = 0; Round < 4000; ++Round) {
    const Extent E = {1 + below(12), 1 + below(4), 1 + below(3)};
    const auto Any = [&] {
      const uint64_t Pitch = below(20);
      return End{Memory.data() + below(60), Pitch,
                 Pitch * below(5) + below(2) * below(30)};
    };
    End To = Any(), From = Any();
    if (below(2)) {
      From.Pitch = To.Pitch;
      From.PlanePitch = To.PlanePitch;
    }
    std::set<const std::byte *> Bytes;
    bool Twice = false, Common = false;
    forBytes(To, E,
             [&](uint64_t At) { Twice |= !Bytes.insert(To.At + At).second; });
    forBytes(From, E,
             [&](uint64_t At) { Common |= Bytes.count(From.At + At) != 0; });
    if (MemoryOperation::isSound(To, E)) {
      EXPECT_FALSE(Twice);
      if (MemoryOperation::isSound(From, E) &&
          MemoryOperation::areApart(To, From, E)) {
        EXPECT_FALSE(Common);
        ++Apart;
      } else {
        Missed += !Common;
      }
    }
  }
  EXPECT_GT(Apart, 100U);
  EXPECT_GT(Missed, 0U);
}
