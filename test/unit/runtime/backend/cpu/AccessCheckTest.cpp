//===- AccessCheckTest.cpp - Checked accesses of kernels ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What GRIDSPAN_CHECK=1 finds, in kernels that announce their accesses.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/AccessCheck.h"
#include "runtime/backend/MemoryLookup.h"
#include "test/unit/runtime/backend/cpu/HandwrittenKernels.h"
#include <gnu/libc-version.h>

using namespace gridspan;

namespace {

/// Memory of 64 bytes.
class FakeMemory : public MemoryLookup {
public:
  FakeMemory() { MemoryLookup::set(this); }
  ~FakeMemory() override { MemoryLookup::set(nullptr); }
  bool holds(const void *Address, uint64_t Bytes) const override {
    const auto At = static_cast<const char *>(Address) - Contents;
    return At >= 0 && At + Bytes <= sizeof(Contents);
  }
  std::string describe(const void *, uint64_t) const override {
    return "outside";
  }

  alignas(64) char Contents[64] = {};
};

constexpr uint32_t alignedTo(uint32_t Log) {
  return (Log + 1) << AccessAlignmentShift;
}

/// Each thread counts itself behind its own element, which is outside for
/// threads from 16 on.
void checkedElements(const GridspanCpuBlock *B, void *const *Args,
                     const GridspanCpuThreads *T) {
  int *Out = output(Args);
  __gridspan_cpu_access(B, T->LoX, 1, GridspanWrite | alignedTo(2),
                        Out + T->LoX, 4, 0);
  Out[T->LoX] = 1;
}

void checkedMisaligned(const GridspanCpuBlock *B, void *const *Args,
                       const GridspanCpuThreads *T) {
  __gridspan_cpu_access(B, T->LoX, 2, GridspanRead | alignedTo(3),
                        output(Args) + 1, 8, 0);
}

void checkedShared(const GridspanCpuBlock *B, void *const *Args,
                   const GridspanCpuThreads *T) {
  int *Mine = shared(B) + 1023 + T->LoX;
  __gridspan_cpu_shared_access(B, T->LoX, GridspanWrite | alignedTo(2), Mine, 4,
                               "a.cu:3:1");
  *Mine = 1;
}

/// Thread 0 reads what is on the host thread's stack beyond the kernel's frame.
void checkedStack(const GridspanCpuBlock *B, void *const *Args,
                  const GridspanCpuThreads *T) {
  if (T->LoX)
    return;
  // AddressSanitizer may keep variables elsewhere.
  const void *Own = __builtin_frame_address(0);
  __gridspan_cpu_access(B, 0, 3, GridspanWrite | alignedTo(2), Own, 4, 0);
  __gridspan_cpu_access(B, 0, 4, GridspanWrite | alignedTo(2),
                        *static_cast<int **>(Args[0]), 4, 0);
}

/// Threads below 2 write in front of the shared variables, which is reserved:
/// thread 0 by a variable's name.
void checkedReserved(const GridspanCpuBlock *B, void *const *,
                     const GridspanCpuThreads *T) {
  int *Before = shared(B) - 1;
  if (T->LoX == 0)
    __gridspan_cpu_shared_access(B, 0, GridspanWrite | alignedTo(2), Before, 4,
                                 "a.cu:4:1");
  if (T->LoX == 1)
    __gridspan_cpu_access(B, 1, 5, GridspanWrite | alignedTo(2), Before, 4, 0);
}

/// Thread 0 reads a constant of the C library.
void checkedConstant(const GridspanCpuBlock *B, void *const *Args,
                     const GridspanCpuThreads *T) {
  if (T->LoX == 0)
    __gridspan_cpu_access(B, 0, 6, GridspanRead | alignedTo(0),
                          *static_cast<char **>(Args[0]), 1, 0);
}

/// Threads of even numbers write their element of shared memory, in the first
/// block only; all read theirs. Thread 4 also reads its own and the next one at
/// once.
void checkedContents(const GridspanCpuBlock *B, void *const *,
                     const GridspanCpuThreads *T) {
  const auto Access = [&](uint32_t Mode, uint32_t Bytes, const char *Where) {
    __gridspan_cpu_shared_access(B, T->LoX, Mode, shared(B) + T->LoX, Bytes,
                                 Where);
  };
  if (T->LoX % 2 == 0 && B->BlockIdxX == 0)
    Access(GridspanWrite, 4, "a.cu:5:1");
  if (T->LoX == 4 && B->BlockIdxX == 0)
    Access(GridspanRead, 8, "a.cu:6:1");
  Access(T->LoX == 17 ? GridspanAtomic : GridspanRead, 4,
         B->BlockIdxX ? "a.cu:8:1" : "a.cu:7:1");
}

class AccessCheckTest : public testing::Test {
protected:
  AccessCheckTest() { AccessChecker::enable(true); }
  ~AccessCheckTest() override { AccessChecker::enable(false); }

  cudaError_t run(RunFn *Fn, uint32_t Flags = 0, void *Pointer = nullptr) {
    Runner Run(Fn, Pointer ? Pointer : Memory.Contents, Flags);
    Run.setTraced(Fn);
    testing::internal::CaptureStderr();
    const cudaError_t Error = Run(dim3(1), dim3(18));
    Printed = testing::internal::GetCapturedStderr();
    return Error;
  }

  FakeMemory Memory;
  std::string Printed;
};

TEST_F(AccessCheckTest, OneThreadEndsAndOthersGoOn) {
  for (uint32_t Flags : {0U, uint32_t(GridspanCpuNeedsFibers)}) {
    std::memset(Memory.Contents, 0, sizeof(Memory.Contents));
    EXPECT_EQ(run(checkedElements, Flags), cudaErrorIllegalAddress);
    for (int I = 0; I != 16; ++I)
      EXPECT_EQ(reinterpret_cast<int *>(Memory.Contents)[I], 1);
    if (!Flags) { // printed once
      EXPECT_THAT(Printed, testing::HasSubstr("thread (16, 0, 0) of block (0, "
                                              "0, 0) writes 4 bytes at"));
      EXPECT_THAT(Printed, testing::HasSubstr(": outside"));
    }
    EXPECT_THAT(Printed, testing::Not(testing::HasSubstr("thread (17")));
  }
}

TEST_F(AccessCheckTest, Alignment) {
  EXPECT_EQ(run(checkedMisaligned), cudaErrorMisalignedAddress);
  EXPECT_THAT(Printed, testing::HasSubstr("not aligned to 8 bytes"));
}

TEST_F(AccessCheckTest, SharedMemory) {
  EXPECT_EQ(run(checkedShared), cudaErrorIllegalAddress);
  EXPECT_THAT(Printed,
              testing::HasSubstr("thread (1, 0, 0) of block (0, 0, 0) writes 4 "
                                 "bytes"));
  EXPECT_THAT(Printed, testing::HasSubstr("(a.cu:3:1): byte 4096 of the "
                                          "block's 4096 bytes of shared"));
}

TEST_F(AccessCheckTest, WhatIsInFrontOfSharedVariables) {
  EXPECT_EQ(run(checkedReserved), cudaErrorIllegalAddress);
  EXPECT_THAT(Printed, testing::HasSubstr("thread (0, 0, 0)"));
  EXPECT_THAT(Printed, testing::HasSubstr("(a.cu:4:1): byte -4 of the block's "
                                          "4096 bytes of shared memory"));
  EXPECT_THAT(Printed, testing::Not(testing::HasSubstr("thread (1, 0, 0)")));
}

TEST_F(AccessCheckTest, SharedMemoryThatNobodyHasWritten) {
  EXPECT_EQ(run(checkedContents), cudaSuccess);
  EXPECT_EQ(Printed, "");
  AccessChecker::enable(true, /*Contents=*/true);
  Runner Run(checkedContents, Memory.Contents);
  Run.setTraced(checkedContents);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Run(dim3(2), dim3(18)), cudaSuccess);
  Printed = testing::internal::GetCapturedStderr();
  EXPECT_THAT(
      Printed,
      testing::HasSubstr("thread (1, 0, 0) of block (0, 0, 0) reads 4 bytes"));
  EXPECT_THAT(Printed,
              testing::HasSubstr("(a.cu:7:1): shared memory that no thread of "
                                 "the block has written"));
  // What the block before has left there is not its own.
  EXPECT_THAT(Printed, testing::HasSubstr("thread (0, 0, 0) of block (1, 0, 0) "
                                          "reads 4 bytes"));
  EXPECT_THAT(Printed, testing::Not(testing::HasSubstr("a.cu:6:1")));
}

TEST_F(AccessCheckTest, OnlyDeviceCodesPartOfTheStackIsLocal) {
  int OfTheCaller = 0;
  EXPECT_EQ(run(checkedStack, 0, &OfTheCaller), cudaErrorIllegalAddress);
  EXPECT_THAT(Printed, testing::HasSubstr("access 4; -g"));
  EXPECT_THAT(Printed, testing::Not(testing::HasSubstr("access 3; -g")));
}

TEST_F(AccessCheckTest, ConstantsAreThoseBesideTheCode) {
  static const char Own[] = "own";
  EXPECT_EQ(run(checkedConstant, 0, const_cast<char *>(Own)), cudaSuccess);
  auto *OfLibrary = const_cast<char *>(gnu_get_libc_version());
  EXPECT_EQ(run(checkedConstant, 0, OfLibrary), cudaErrorIllegalAddress);
}

} // namespace
