//===- PackedGridTest.cpp - Grids of chunks that read packed rows ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/PackedGrid.h"
#include <array>
#include <gtest/gtest.h>
#include <set>

using namespace gridspan;

namespace {

constexpr uint64_t Frame = 4096;
constexpr GridLimits Rates = {0, Frame, 5e10, 5e10};

/// C = A B with blocks of 16 x 16 floats: A, B and C are allocations 0 to 2, or
/// as many of them in each layer of the grid.
struct Product {
  Product(int64_t N, uint32_t Layers = 1) : N(N) {
    const auto Blocks = static_cast<uint32_t>(N / 16);
    Kernel.Accesses = Accesses;
    Kernel.Pointers = Pointers;
    Kernel.NumAccesses = Kernel.NumPointers = 3;
    Kernel.Ranges = [](const GridspanBox *B, GridspanRange *Out) {
      const int64_t N = *static_cast<const int64_t *>(B->Args[0]);
      const int64_t X = 16 * B->BlockLo[0], W = 16 * B->BlockCount[0];
      const int64_t Y = 16 * B->BlockLo[1], H = 16 * B->BlockCount[1];
      const int64_t Base = 4 * N * N * B->BlockLo[2];
      const int64_t Layers = B->BlockCount[2];
      const auto Rows = [&](int64_t Lo, int64_t Width, int64_t Count) {
        return GridspanRange{
            Base + 4 * Lo, 4 * Width,          4 * N, Count, 4 * N * N,
            Layers,        GridspanRangeExact, 0};
      };
      Out[0] = Rows(Y * N, N, H);
      Out[1] = Rows(X, W, N);
      Out[2] = Rows(Y * N + X, W, H);
    };
    In.Kernel = &Kernel;
    for (int P = 0; P < 3; ++P) {
      PlacedAllocation A;
      A.Bytes = 4ull * N * N * Layers;
      A.Paged = true;
      In.Allocations.push_back(A);
      In.Pointers.push_back({P, 0});
      PagedView V;
      V.FrameBytes = Frame;
      V.Frames.assign(A.Bytes / Frame, {Frame, Host, false, P != 2, false});
      Paged.push_back(V);
    }
    In.Box = {Args.data(),
              {Blocks, Blocks, Layers},
              {16, 16, 1},
              {0, 0, 0},
              {Blocks, Blocks, Layers}};
  }

  std::vector<GridPartition> partitions(uint64_t Frames, unsigned Outer = 1,
                                        unsigned Inner = 0) {
    ChunkPartitioner Partitioner(In, Paged);
    Partitioner.pack(1);
    GridLimits Limits = Rates;
    Limits.Budget = Frames * Frame;
    return packedPartitions(Partitioner, Paged, In.Box, Outer, Inner, Limits);
  }
  GridPartition best(uint64_t Frames, unsigned Outer = 1, unsigned Inner = 0) {
    GridPartition Best;
    Best.Seconds = 1e30;
    for (const GridPartition &C : partitions(Frames, Outer, Inner))
      if (C.Seconds < Best.Seconds)
        Best = C;
    return Best;
  }

  static constexpr GridspanAccess Accesses[] = {
      {"", nullptr, 0, GridspanRead, 4, 0},
      {"", nullptr, 1, GridspanRead, 4, 1},
      {"", nullptr, 2, GridspanWrite, 4, 2}};
  static constexpr GridspanPointer Pointers[] = {
      {0, 0, GridspanRead, GridspanRedirectable},
      {1, 0, GridspanRead,
       GridspanReplicable | GridspanRedirectable | GridspanPackable},
      {2, 0, GridspanWrite, GridspanRedirectable}};
  int64_t N;
  std::array<void *, 1> Args = {&N};
  GridspanKernel Kernel = {};
  PlanInput In;
  std::vector<PagedView> Paged;
};

/// Frames that a part and the slots of its chunks take.
uint64_t taken(const GridPartition &C, uint64_t N) {
  const uint64_t Rows = N / 16 / C.Parts * 16, Columns = N / 16 / C.Chunks * 16;
  return (2 * Rows * 4 * N +
          OutOfCorePlan::NumPackedBuffers * N * 4 * Columns) /
         Frame;
}

} // namespace

TEST(PackedGrid, ThickPartsOfWideChunksThatFit) {
  // A, B and C of 4 MiB each, with room for 1 MiB.
  const GridPartition C = Product(1024).best(256);
  EXPECT_EQ(C.Layers, 1u);
  EXPECT_GT(C.Chunks, 1u);
  EXPECT_LE(taken(C, 1024), 256u);
  EXPECT_GE(taken(C, 1024), 160u);
  // Rows of one block's width would copy slowly.
  EXPECT_LE(C.Chunks, 32u);
}

TEST(PackedGrid, MoreMemoryTakesLessTime) {
  Product P(1024);
  double Before = 1e30;
  for (uint64_t Frames : {128, 256, 512, 1024}) {
    const double Seconds = P.best(Frames).Seconds;
    EXPECT_LT(Seconds, Before) << Frames;
    Before = Seconds;
  }
}

TEST(PackedGrid, RowsStayWhileChunksGoAlongThem) {
  // Parts of columns: each reads A and touches C once more.
  Product P(1024);
  EXPECT_LT(P.best(256, 1, 0).Seconds, P.best(256, 0, 1).Seconds);
}

TEST(PackedGrid, NothingFits) {
  EXPECT_TRUE(Product(1024).partitions(20).empty());
}

TEST(PackedGrid, PlanesAreNoRowsButThoseOfALayerAre) {
  for (const GridPartition &C : Product(256, 3).partitions(64))
    EXPECT_EQ(C.Layers, 3u);
  EXPECT_FALSE(Product(256, 3).partitions(64).empty());
}

TEST(PackedGrid, ChunksCoverTheBoxAndTurnBack) {
  GridspanBox Box = {nullptr, {9, 8, 3}, {1, 1, 1}, {1, 1, 0}, {7, 5, 3}};
  for (uint32_t Layers : {1, 3})
    for (uint32_t Parts : {1, 2, 5, 9})
      for (uint32_t Chunks : {1, 3, 7, 20}) {
        std::set<std::array<uint32_t, 3>> Blocks;
        const GridspanBox *Before = nullptr;
        const std::vector<GridspanBox> All =
            partitionGrid({1, 0, Layers, Parts, Chunks, 0}, Box);
        for (const GridspanBox &B : All) {
          for (uint32_t X = 0; X < B.BlockCount[0]; ++X)
            for (uint32_t Y = 0; Y < B.BlockCount[1]; ++Y)
              for (uint32_t Z = 0; Z < B.BlockCount[2]; ++Z)
                EXPECT_TRUE(Blocks
                                .insert({B.BlockLo[0] + X, B.BlockLo[1] + Y,
                                         B.BlockLo[2] + Z})
                                .second);
          if (Before && Before->BlockLo[1] != B.BlockLo[1])
            EXPECT_EQ(Before->BlockLo[0], B.BlockLo[0]);
          Before = &B;
        }
        EXPECT_EQ(Blocks.size(), 7u * 5 * 3);
      }
}
