//===- MemPoolApiTest.cpp - Memory pools of the CPU device ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pools share the memory of cudaMallocAsync, so counts and settings are what
// there is to see of them.
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/TestRuntime.h"

using namespace gridspan;

static uint64_t get(cudaMemPool_t Pool, cudaMemPoolAttr Attribute) {
  uint64_t Out = ~uint64_t(0);
  EXPECT_EQ(__gridspan_cudaMemPoolGetAttribute(Pool, Attribute, &Out),
            cudaSuccess);
  return Out;
}

TEST(MemPoolApi, PoolsCountWhatIsTakenFromThem) {
  TestRuntime R(2);
  cudaMemPoolProps P = {};
  P.allocType = cudaMemAllocationTypePinned;
  P.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t Pool = nullptr, Default = nullptr;
  ASSERT_EQ(__gridspan_cudaMemPoolCreate(&Pool, &P), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaDeviceGetDefaultMemPool(&Default, 0), cudaSuccess);
  void *A = nullptr, *B = nullptr;
  ASSERT_EQ(__gridspan_cudaMallocFromPoolAsync(&A, 1000, Pool, nullptr),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMallocAsync(&B, 500, nullptr), cudaSuccess);
  EXPECT_EQ(get(Pool, cudaMemPoolAttrUsedMemCurrent), 1000u);
  EXPECT_EQ(get(Default, cudaMemPoolAttrUsedMemCurrent), 500u);
  ASSERT_EQ(__gridspan_cudaFreeAsync(A, nullptr), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaFree(B), cudaSuccess);
  EXPECT_EQ(get(Pool, cudaMemPoolAttrUsedMemCurrent), 0u);
  EXPECT_EQ(get(Pool, cudaMemPoolAttrUsedMemHigh), 1000u);
  EXPECT_EQ(get(Default, cudaMemPoolAttrUsedMemCurrent), 0u);

  // Afterwards cudaMallocAsync takes from this one.
  ASSERT_EQ(__gridspan_cudaDeviceSetMemPool(0, Pool), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMallocAsync(&B, 500, nullptr), cudaSuccess);
  EXPECT_EQ(get(Pool, cudaMemPoolAttrUsedMemCurrent), 500u);
  ASSERT_EQ(__gridspan_cudaFreeAsync(B, nullptr), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMemPoolDestroy(Pool), cudaSuccess);
  cudaMemPool_t Current = nullptr;
  ASSERT_EQ(__gridspan_cudaDeviceGetMemPool(&Current, 0), cudaSuccess);
  EXPECT_EQ(Current, Default);
  EXPECT_EQ(__gridspan_cudaMallocFromPoolAsync(&A, 1, Pool, nullptr),
            cudaErrorInvalidValue);
}

TEST(MemPoolApi, Settings) {
  TestRuntime R(1);
  cudaMemPool_t Pool = nullptr;
  ASSERT_EQ(__gridspan_cudaDeviceGetDefaultMemPool(&Pool, 0), cudaSuccess);
  uint64_t Threshold = 1 << 20;
  ASSERT_EQ(__gridspan_cudaMemPoolSetAttribute(
                Pool, cudaMemPoolAttrReleaseThreshold, &Threshold),
            cudaSuccess);
  EXPECT_EQ(get(Pool, cudaMemPoolAttrReleaseThreshold), Threshold);
  EXPECT_EQ(__gridspan_cudaMemPoolTrimTo(Pool, 0), cudaSuccess);
  cudaMemAccessFlags Flags = cudaMemAccessFlagsProtNone;
  cudaMemLocation Location = {};
  Location.type = cudaMemLocationTypeDevice;
  ASSERT_EQ(__gridspan_cudaMemPoolGetAccess(&Flags, Pool, &Location),
            cudaSuccess);
  EXPECT_EQ(Flags, cudaMemAccessFlagsProtReadWrite);
  EXPECT_EQ(__gridspan_cudaMemPoolDestroy(Pool), cudaErrorInvalidValue);
}
