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
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

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
  EXPECT_THAT(Lookup.describe(At + 3, 1),
              HasSubstr("byte 3 of an allocation of 100 bytes"));
  EXPECT_THAT(Lookup.describe(At + 104, 1),
              HasSubstr("4 bytes behind the end of an allocation of 100"));
  EXPECT_THAT(Lookup.describe(At + 96, 8),
              AllOf(HasSubstr("byte 96 of an allocation of 100 bytes"),
                    HasSubstr("and 4 bytes behind its end")));
  // Addresses beside an allocation are nobody's.
  EXPECT_THAT(Lookup.describe(At - 8, 8),
              StartsWith("8 bytes before an allocation of 100"));
  EXPECT_EQ(Lookup.describe(nullptr, 1), "a null pointer");
  int OnHost = 0;
  EXPECT_THAT(Lookup.describe(&OnHost, 1), HasSubstr("memory of the host"));
  EXPECT_EQ(Lookup.describe(reinterpret_cast<void *>(uintptr_t(1) << 63), 1),
            "near no allocation");
  ASSERT_EQ(__gridspan_cudaFree(P), cudaSuccess);
  EXPECT_THAT(Lookup.describe(At + 3, 1), HasSubstr("that was freed"));
  EXPECT_FALSE(Lookup.holds(At, 4));
}

TEST(AllocationLookup, AnswersWhileItLives) {
  {
    TestRuntime R(1);
  }
  EXPECT_EQ(MemoryLookup::get(), nullptr);
}
