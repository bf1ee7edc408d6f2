//===- WarpRequestTest.cpp - Requests against measured counters -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/machine/WarpRequest.h"
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

using namespace gridspan;

namespace {

WarpRequest strided(unsigned Size, uint64_t Stride, uint64_t Base = 0) {
  WarpRequest R;
  R.Size = Size;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
    R.add(Lane, Base + Lane * Stride);
  return R;
}

TEST(WarpRequest, NoActiveLane) {
  WarpRequest R;
  EXPECT_EQ(sectorsOf(R), 0u);
  EXPECT_EQ(idealSectorsOf(R), 0u);
  EXPECT_EQ(linesOf(R), 0u);
  EXPECT_EQ(sharedWavefrontsOf(R, SharedAccess::Load), 0u);
}

TEST(WarpRequest, StridesOfGlobalAccesses) {
  EXPECT_EQ(sectorsOf(strided(4, 4)), 4u);
  EXPECT_EQ(sectorsOf(strided(4, 4, 4)), 5u) << "misaligned";
  EXPECT_EQ(sectorsOf(strided(4, 8)), 8u);
  EXPECT_EQ(sectorsOf(strided(4, 4096)), 32u);
  EXPECT_EQ(sectorsOf(strided(16, 16)), 16u);
  EXPECT_EQ(idealSectorsOf(strided(4, 4096)), 4u);
  EXPECT_EQ(idealSectorsOf(strided(4, 0)), 1u) << "a broadcast is ideal";
  EXPECT_EQ(linesOf(strided(4, 4, 4)), 2u);
}

TEST(WarpRequest, BankConflicts) {
  for (unsigned Words : {1u, 3u, 33u})
    EXPECT_EQ(sharedWavefrontsOf(strided(4, 4 * Words), SharedAccess::Load),
              1u);
  EXPECT_EQ(sharedWavefrontsOf(strided(4, 8), SharedAccess::Store), 2u);
  EXPECT_EQ(sharedWavefrontsOf(strided(4, 128), SharedAccess::Load), 32u);
  EXPECT_EQ(sharedWavefrontsOf(strided(4, 0), SharedAccess::Load), 1u);
  EXPECT_EQ(sharedWavefrontsOf(strided(4, 0), SharedAccess::Atomic), 32u);
  EXPECT_EQ(sharedWavefrontsOf(strided(8, 8), SharedAccess::Load), 2u);
  EXPECT_EQ(sharedWavefrontsOf(strided(16, 16), SharedAccess::Load), 4u);
  EXPECT_EQ(idealSharedWavefrontsOf(strided(16, 16), SharedAccess::Load), 4u);
  EXPECT_EQ(idealSharedWavefrontsOf(strided(4, 128), SharedAccess::Load), 1u);
}

TEST(WarpRequest, CountersMeasuredOnAnH200) {
  std::ifstream File(WARP_REQUESTS);
  ASSERT_TRUE(File) << WARP_REQUESTS;
  unsigned Requests = 0;
  for (std::string Line; std::getline(File, Line);) {
    if (Line.empty() || Line[0] == '#')
      continue;
    std::istringstream In(Line);
    std::string Memory, Kind, Mask;
    WarpRequest R;
    In >> Memory >> Kind >> R.Size;
    unsigned Sectors = 0, Lines = 0, Wavefronts = 0;
    std::string Ideal;
    bool IsGlobal = Memory == "global";
    if (IsGlobal)
      In >> Sectors >> Ideal >> Lines;
    else
      In >> Wavefronts >> Ideal;
    In >> Mask;
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
      std::string Offset;
      In >> Offset;
      if (Offset != "-")
        R.add(Lane, std::stoull(Offset));
    }
    ASSERT_TRUE(In) << Line;
    ASSERT_EQ(R.Active, std::stoul(Mask, nullptr, 16)) << Line;
    ++Requests;
    if (IsGlobal) {
      EXPECT_EQ(sectorsOf(R), Sectors) << Line;
      EXPECT_EQ(std::to_string(idealSectorsOf(R)), Ideal) << Line;
      EXPECT_EQ(linesOf(R), Lines) << Line;
      continue;
    }
    SharedAccess Access = Kind == "load"    ? SharedAccess::Load
                          : Kind == "store" ? SharedAccess::Store
                                            : SharedAccess::Atomic;
    EXPECT_EQ(sharedWavefrontsOf(R, Access), Wavefronts) << Line;
    if (Ideal != "?")
      EXPECT_EQ(std::to_string(idealSharedWavefrontsOf(R, Access)), Ideal)
          << Line;
  }
  EXPECT_GE(Requests, 400u);
}

} // namespace
