//===- CpuBackendTest.cpp - The CPU devices as a backend ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/CreateBackend.h"
#include "test/unit/runtime/FakeKernels.h"
#include "test/unit/runtime/backend/BackendConformance.h"
#include <cuda_runtime_api.h>

using namespace gridspan;

static std::unique_ptr<Backend> make(unsigned Devices, uint64_t Memory = 0,
                                     bool Peers = true) {
  std::string Message;
  return createCpuBackend({Devices, Memory, Peers}, Message);
}

INSTANTIATE_TEST_SUITE_P(
    Cpu, BackendConformance,
    testing::Values(
        BackendUnderTest{"cpu1", [] { return make(1); }},
        BackendUnderTest{"cpu3", [] { return make(3); }},
        BackendUnderTest{"cpu2NoPeers", [] { return make(2, 0, false); }},
        BackendUnderTest{"cpu2Small", [] { return make(2, 4 << 20); }}),
    [](const auto &Info) { return Info.param.Name; });

TEST(CpuBackend, MemoryIsCappedPerDevice) {
  auto B = make(2, 1 << 20);
  size_t Free = 0, Total = 0;
  for (int D = 0; D < 2; ++D) {
    B->memoryInfo(D, Free, Total);
    EXPECT_EQ(Total, 1u << 20);
    EXPECT_EQ(Free, Total);
  }
}

TEST(CpuBackend, WithoutPeersNoLinkHasBandwidth) {
  std::string Message;
  auto B = createCpuBackend({2, 0, false}, Message);
  EXPECT_EQ(B->system().PeerBandwidth[0][1], 0);
}

TEST(CpuBackend, EachDeviceHasItsOwnVariables) {
  fake::module();
  auto B = make(2);
  void *First = nullptr, *Second = nullptr;
  size_t Size = 0;
  ASSERT_EQ(B->symbol(0, &fake::Coefficient, First, Size), cudaSuccess);
  ASSERT_EQ(B->symbol(1, &fake::Coefficient, Second, Size), cudaSuccess);
  EXPECT_EQ(Size, 4u);
  EXPECT_NE(First, Second);
  EXPECT_EQ(*static_cast<float *>(First), 1);
  EXPECT_EQ(*static_cast<float *>(Second), 1);
}

TEST(CpuBackend, UnsupportedKernelsFailWithTheirMessage) {
  auto B = make(1);
  GridspanKernel K = fake::saxpy();
  GridspanCpuKernel Cpu = *K.Cpu;
  Cpu.Unsupported = "saxpy.cu:3: mma.sync is not supported";
  K.Cpu = &Cpu;
  std::unique_ptr<Stream> S;
  ASSERT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, S), cudaSuccess);
  testing::internal::CaptureStderr();
  EXPECT_EQ(B->launch(*S, {&K, K.HostStub}, {}, nullptr, nullptr),
            cudaErrorNotSupported);
  EXPECT_EQ(B->launch(*S, {&K, K.HostStub}, {}, nullptr, nullptr),
            cudaErrorNotSupported);
  const std::string Text = testing::internal::GetCapturedStderr();
  const size_t At = Text.find("mma.sync is not supported");
  EXPECT_NE(At, std::string::npos);
  EXPECT_EQ(Text.find("mma.sync", At + 1), std::string::npos) << "said twice";
}

TEST(CpuBackend, SharedMemoryLimits) {
  auto B = make(1);
  GridspanKernel K = fake::saxpy();
  GridspanCpuKernel Cpu = *K.Cpu;
  Cpu.StaticSharedBytes = 1024;
  K.Cpu = &Cpu;
  const LaunchTarget Target = {&K, K.HostStub};
  cudaFuncAttributes A;
  ASSERT_EQ(B->functionAttributes(Target, A), cudaSuccess);
  EXPECT_EQ(A.sharedSizeBytes, 1024u);
  EXPECT_EQ(A.maxDynamicSharedSizeBytes, 47 << 10);
  const auto Attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
  EXPECT_EQ(B->setFunctionAttribute(Target, Attribute, 227 << 10),
            cudaErrorInvalidValue);
  EXPECT_EQ(B->setFunctionAttribute(Target, Attribute, 226 << 10), cudaSuccess);
  ASSERT_EQ(B->functionAttributes(Target, A), cudaSuccess);
  EXPECT_EQ(A.maxDynamicSharedSizeBytes, 226 << 10);
}

TEST(CpuBackend, OccupancyFollowsThreadsAndSharedMemory) {
  auto B = make(1);
  GridspanKernel K = fake::saxpy();
  const LaunchTarget Target = {&K, K.HostStub};
  int Blocks = 0;
  ASSERT_EQ(B->occupancy(Target, 1024, 0, 0, Blocks), cudaSuccess);
  EXPECT_EQ(Blocks, 2);
  ASSERT_EQ(B->occupancy(Target, 32, 0, 0, Blocks), cudaSuccess);
  EXPECT_EQ(Blocks, 32);
  ASSERT_EQ(B->occupancy(Target, 32, 100 << 10, 0, Blocks), cudaSuccess);
  EXPECT_EQ(Blocks, 2);
  EXPECT_EQ(B->occupancy(Target, 0, 0, 0, Blocks), cudaErrorInvalidValue);
}
