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
  std::string describe(const void *) const override { return "outside"; }

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

class AccessCheckTest : public testing::Test {
protected:
  AccessCheckTest() { AccessChecker::enable(true); }
  ~AccessCheckTest() override { AccessChecker::enable(false); }

  cudaError_t run(RunFn *Fn, uint32_t Flags = 0) {
    Runner Run(Fn, Memory.Contents, Flags);
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

} // namespace
