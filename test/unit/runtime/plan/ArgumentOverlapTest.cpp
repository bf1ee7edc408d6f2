//===- ArgumentOverlapTest.cpp --------------------------------------------===//
//-----------------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/ArgumentOverlap.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

/// Writes 100 bytes at pointer 0 and reads 100 bytes at pointer 1.
class ArgumentOverlapTest : public testing::Test {
protected:
  ArgumentOverlapTest() : Homes(1 << 20, 0) {
    Pointers[0].Modes = GridspanWrite;
    Pointers[1].Modes = GridspanRead;
    Accesses[0].Mode = GridspanWrite;
    Accesses[0].Pointer = 0;
    Accesses[1].Mode = GridspanRead;
    Accesses[1].Pointer = 1;
    Kernel.Pointers = Pointers;
    Kernel.Accesses = Accesses;
    Kernel.NumPointers = Kernel.NumAccesses = 2;
    Kernel.Ranges = [](const GridspanBox *, GridspanRange *Out) {
      Out[0] = Out[1] = {};
      for (int I : {0, 1}) {
        Out[I].RowBytes = 100;
        Out[I].RowsPerPlane = Out[I].Planes = 1;
        Out[I].State = GridspanRangeMay;
      }
    };
    In.Kernel = &Kernel;
    for (int I : {0, 1}) {
      In.Allocations.emplace_back();
      In.Allocations[I].Bytes = 1 << 20;
      In.Allocations[I].Homes = &Homes;
    }
  }

  bool mayAlias(PlacedPointer Written, PlacedPointer Read) {
    In.Pointers = {Written, Read};
    return writesMayOverlap(In);
  }

  DistinctArguments distinct(PlacedPointer Written, PlacedPointer Read) {
    In.Pointers = {Written, Read};
    return areArgumentsDistinct(In);
  }

  GridspanPointer Pointers[2] = {};
  GridspanAccess Accesses[2] = {};
  GridspanKernel Kernel = {};
  PageHomes Homes;
  PlanInput In;
};

} // namespace

TEST_F(ArgumentOverlapTest, DifferentAllocationsAreApart) {
  EXPECT_FALSE(mayAlias({0, 0}, {1, 0}));
  EXPECT_FALSE(mayAlias({0, 0}, {-1, 0}));
}

TEST_F(ArgumentOverlapTest, RangesDecideWithinOneAllocation) {
  EXPECT_FALSE(mayAlias({0, 0}, {0, 100}));
  EXPECT_TRUE(mayAlias({0, 0}, {0, 99}));
  EXPECT_TRUE(mayAlias({0, 0}, {0, 0}));
}

TEST_F(ArgumentOverlapTest, OwnElementsOfOneBufferAreFine) {
  Pointers[0].Flags = Pointers[1].Flags = GridspanOwnElement;
  EXPECT_FALSE(mayAlias({0, 64}, {0, 64}));
  EXPECT_TRUE(mayAlias({0, 64}, {0, 68}));
  Pointers[1].Flags = 0;
  EXPECT_TRUE(mayAlias({0, 64}, {0, 64}));
}

TEST_F(ArgumentOverlapTest, MemoryThatIsNotOursMayBeAnywhere) {
  In.Allocations[0].Homes = nullptr;
  EXPECT_TRUE(mayAlias({0, 0}, {0, 1 << 19}));
  EXPECT_FALSE(mayAlias({0, 0}, {1, 0}));
}

TEST_F(ArgumentOverlapTest, UnknownBasesMayBeAnywhere) {
  Accesses[1].Pointer = -1;
  EXPECT_TRUE(mayAlias({0, 0}, {1, 0}));
}

TEST_F(ArgumentOverlapTest, ReadsMayShare) {
  Accesses[0].Mode = Pointers[0].Modes = GridspanRead;
  EXPECT_FALSE(mayAlias({0, 0}, {0, 0}));
}

TEST_F(ArgumentOverlapTest, ArgumentsOfDifferentAllocationsAreDistinct) {
  const DistinctArguments ByAllocations = {};
  EXPECT_EQ(distinct({0, 0}, {1, 0}), ByAllocations);
  EXPECT_EQ(distinct({0, 0}, {-1, 0}), ByAllocations);
}

TEST_F(ArgumentOverlapTest,
       ArgumentsIntoOneAllocationAreDistinctByTheirRanges) {
  EXPECT_EQ(distinct({0, 0}, {0, 100}), (DistinctArguments{{}, true}));
  EXPECT_EQ(distinct({0, 0}, {0, 99}),
            (DistinctArguments{LaunchReason::OverlappingArguments, true}));
  // Each its own element or not: they are the same memory.
  Pointers[0].Flags = Pointers[1].Flags = GridspanOwnElement;
  EXPECT_EQ(distinct({0, 0}, {0, 0}),
            (DistinctArguments{LaunchReason::OverlappingArguments, true}));
}

TEST_F(ArgumentOverlapTest, ArgumentsThatLeaveTheirAllocationAreNotDistinct) {
  EXPECT_EQ(distinct({0, (1 << 20) - 100}, {1, 0}),
            (DistinctArguments{{}, true}));
  EXPECT_EQ(distinct({0, (1 << 20) - 99}, {1, 0}),
            (DistinctArguments{LaunchReason::ArgumentIntoTheMiddle, true}));
}

TEST_F(ArgumentOverlapTest, ArgumentsThatAreOnlyReadAreDistinct) {
  Accesses[0].Mode = Pointers[0].Modes = GridspanRead;
  EXPECT_EQ(distinct({0, 0}, {0, 0}), DistinctArguments());
}

TEST_F(ArgumentOverlapTest, ForeignMemoryIsNotKnownToBeDistinct) {
  In.Allocations[1].Homes = nullptr;
  EXPECT_EQ(distinct({0, 0}, {1, 0}),
            (DistinctArguments{LaunchReason::ForeignMemory, false}));
}

TEST_F(ArgumentOverlapTest, AccessesOfUnknownOriginMakeNoClaim) {
  Accesses[1].Pointer = -1;
  EXPECT_EQ(distinct({0, 0}, {1, 0}), DistinctArguments());
}
