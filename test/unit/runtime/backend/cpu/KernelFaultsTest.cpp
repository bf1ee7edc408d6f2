//===- KernelFaultsTest.cpp - Faults of kernels on CPU devices ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a sanitizer handles signals itself, there is nothing to test.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/KernelFaults.h"
#include "test/unit/runtime/backend/cpu/HandwrittenKernels.h"
#include <thread>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GRIDSPAN_HAS_OWN_HANDLER 1
#endif
#endif
#ifndef GRIDSPAN_HAS_OWN_HANDLER

using namespace gridspan;

namespace {

/// Thread 5 of block 1 writes behind a null pointer.
void writeNull(const GridspanCpuBlock *B, void *const *Args,
               const GridspanCpuThreads *T) {
  for (uint32_t X = T->LoX; X != T->HiX; ++X)
    if (B->BlockIdxX == 1 && X == 5)
      *reinterpret_cast<volatile int *>(uintptr_t(X) * 8) = 1;
}

void writeNullTraced(const GridspanCpuBlock *B, void *const *Args,
                     const GridspanCpuThreads *T) {
  for (uint32_t X = T->LoX; X != T->HiX; ++X)
    if (B->BlockIdxX == 1 && X == 5)
      __gridspan_cpu_access(B, X, 17, GridspanWrite,
                            reinterpret_cast<void *>(uintptr_t(X) * 8), 4, 0);
  writeNull(B, Args, T);
}

void writeNullBehindBarrier(const GridspanCpuBlock *B, void *const *Args,
                            const GridspanCpuThreads *T) {
  __gridspan_cpu_barrier(B, 0, 0);
  writeNull(B, Args, T);
  __gridspan_cpu_barrier(B, 0, 0);
}

void doNothing(const GridspanCpuBlock *B, void *const *,
               const GridspanCpuThreads *) {
  __gridspan_cpu_barrier(B, 0, 0);
}

TEST(KernelFaultsTest, AreErrorsThatNameTheBlock) {
  Runner Run(writeNull, nullptr);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Run(dim3(3), dim3(8)), cudaErrorIllegalAddress);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("kernel: block (1, 0, 0) accesses 0x28"));
}

TEST(KernelFaultsTest, NameThreadAndAccessWhereCodeKnowsThem) {
  Runner Run(writeNull, nullptr);
  Run.setTraced(writeNullTraced);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Run(dim3(3), dim3(8)), cudaErrorIllegalAddress);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("kernel: thread (5, 0, 0) of block (1, 0, 0) "
                                 "writes 4 bytes at 0x28 (access 17;"));
}

TEST(KernelFaultsTest, OfFibersNameTheThread) {
  Runner Run(writeNullBehindBarrier, nullptr, GridspanCpuNeedsFibers);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Run(dim3(3), dim3(8)), cudaErrorIllegalAddress);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("thread (5, 0, 0) of block (1, 0, 0) accesses "
                                 "0x28"));
  // And the fibers can be used again.
  Runner Next(doNothing, nullptr, GridspanCpuNeedsFibers);
  EXPECT_EQ(Next(dim3(2), dim3(4)), cudaSuccess);
}

int descend(volatile int *Depth) {
  volatile char Frame[512] = {};
  *Depth = *Depth + 1;
  return *Depth > 0 ? descend(Depth) + Frame[0] : 0;
}

void useUpStack(const GridspanCpuBlock *B, void *const *Args,
                const GridspanCpuThreads *T) {
  int Depth = 0;
  descend(&Depth);
}

TEST(KernelFaultsTest, AFullStackHasAnErrorOfItsOwn) {
  for (uint32_t Flags : {0U, uint32_t(GridspanCpuNeedsFibers)}) {
    Runner Run(useUpStack, nullptr, Flags);
    cudaError_t Error = cudaSuccess;
    testing::internal::CaptureStderr();
    std::thread([&] { Error = Run(dim3(1), dim3(2)); }).join();
    EXPECT_EQ(Error, cudaErrorHardwareStackError);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                testing::HasSubstr("has used up its stack"));
  }
}

TEST(KernelFaultsDeathTest, OthersAreTheProcess) {
  EXPECT_DEATH(
      {
        Runner Run(writeNull, nullptr);
        EXPECT_EQ(Run(dim3(3), dim3(8)), cudaErrorIllegalAddress);
        *reinterpret_cast<volatile int *>(uintptr_t(8)) = 1;
      },
      "");
}

} // namespace

#endif
