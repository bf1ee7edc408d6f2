//===- AllocationLookupTest.cpp - Addresses and allocations ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks about addresses in, beside and behind allocations.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/AllocationLookup.h"
#include "test/unit/runtime/TestRuntime.h"
#include <gmock/gmock.h>

using namespace gridspan;
using testing::AnyOf;
using testing::HasSubstr;

TEST(AllocationLookup, HoldsWholeRangesOfAllocations) {
  TestRuntime R(1);
  void *P = nullptr;
  ASSERT_EQ(__gridspan_cudaMalloc(&P, 100), cudaSuccess);
  auto *At = static_cast<char *>(P);
  const AllocationLookup &Lookup = R->lookup();
  EXPECT_EQ(MemoryLookup::get(), &Lookup);
  EXPECT_TRUE(Lookup.holds(At, 100));
  EXPECT_TRUE(Lookup.holds(At + 99, 1));
  EXPECT_FALSE(Lookup.holds(At + 97, 4));
  EXPECT_FALSE(Lookup.holds(At + 100, 1));
  int OnHost = 0;
  EXPECT_FALSE(Lookup.holds(&OnHost, sizeof(OnHost)));
  ASSERT_EQ(__gridspan_cudaHostRegister(&OnHost, sizeof(OnHost), 0),
            cudaSuccess);
  EXPECT_TRUE(Lookup.holds(&OnHost, sizeof(OnHost)));
  ASSERT_EQ(__gridspan_cudaHostUnregister(&OnHost), cudaSuccess);
}

TEST(AllocationLookup, DescribesWhatIsNear) {
  TestRuntime R(1);
  void *P = nullptr;
  ASSERT_EQ(__gridspan_cudaMalloc(&P, 100), cudaSuccess);
  auto *At = static_cast<char *>(P);
  const AllocationLookup &Lookup = R->lookup();
  EXPECT_THAT(Lookup.describe(At + 3),
              HasSubstr("byte 3 of an allocation of 100 bytes"));
  EXPECT_THAT(Lookup.describe(At + 104),
              HasSubstr("4 bytes behind the end of an allocation of 100"));
  // What is before may be mapped by somebody else.
  EXPECT_THAT(Lookup.describe(At - 8),
              AnyOf(HasSubstr("8 bytes before an allocation of 100"),
                    HasSubstr("memory of the host")));
  EXPECT_EQ(Lookup.describe(nullptr), "a null pointer");
  int OnHost = 0;
  EXPECT_THAT(Lookup.describe(&OnHost), HasSubstr("memory of the host"));
  EXPECT_EQ(Lookup.describe(reinterpret_cast<void *>(uintptr_t(1) << 63)),
            "near no allocation");
  ASSERT_EQ(__gridspan_cudaFree(P), cudaSuccess);
  EXPECT_THAT(Lookup.describe(At + 3), HasSubstr("that was freed"));
  EXPECT_FALSE(Lookup.holds(At, 4));
}

TEST(AllocationLookup, AnswersWhileItLives) {
  {
    TestRuntime R(1);
  }
  EXPECT_EQ(MemoryLookup::get(), nullptr);
}
