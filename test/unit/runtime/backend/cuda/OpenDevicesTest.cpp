//===- OpenDevicesTest.cpp - The GPUs that a program uses -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A driver made of functions that answer from a table of GPUs.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/OpenDevices.h"
#include "runtime/backend/cuda/LateDevices.h"
#include "runtime/backend/cuda/Memory.h"
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace gridspan;
using namespace gridspan::cuda;

namespace {

struct FakeGpu {
  int Major = 9;
  int Minor = 0;
  CUresult Context = CUDA_SUCCESS; ///< result of making a context
  int MapsByAddress = 1;
  int HostNuma = 1;
  int Retained = 0;
  int ComputeMode = CU_COMPUTEMODE_DEFAULT;
  int ReachesOthers = 1;
};

std::vector<FakeGpu> Gpus;
CUresult HostPages = CUDA_SUCCESS; ///< result of making pages on the host

CUresult attributeOf(int *Value, CUdevice_attribute Attribute,
                     CUdevice Device) {
  const FakeGpu &G = Gpus[Device];
  switch (Attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *Value = G.Major;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *Value = G.Minor;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    *Value = G.MapsByAddress;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    *Value = G.HostNuma;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
    *Value = G.ComputeMode;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

Driver fakeDriver() {
  Driver D;
  D.cuGetErrorString = [](CUresult R, const char **Text) {
    *Text = R == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : "busy";
    return CUDA_SUCCESS;
  };
  D.cuDeviceGetCount = [](int *Count) {
    *Count = static_cast<int>(Gpus.size());
    return CUDA_SUCCESS;
  };
  D.cuDeviceGet = [](CUdevice *Out, int Ordinal) {
    *Out = Ordinal;
    return CUDA_SUCCESS;
  };
  D.cuDeviceGetAttribute = attributeOf;
  D.cuDevicePrimaryCtxRetain = [](CUcontext *Out, CUdevice Device) {
    if (Gpus[Device].Context == CUDA_SUCCESS) {
      // Two devices may be of one GPU, and are opened by a thread each.
      ++std::atomic_ref(Gpus[Device].Retained);
      *Out = reinterpret_cast<CUcontext>(&Gpus[Device]);
    }
    return Gpus[Device].Context;
  };
  D.cuDeviceCanAccessPeer = [](int *Can, CUdevice Device, CUdevice) {
    *Can = Gpus[Device].ReachesOthers;
    return CUDA_SUCCESS;
  };
  D.cuCtxSetCurrent = [](CUcontext) { return CUDA_SUCCESS; };
  D.cuThreadExchangeStreamCaptureMode = [](CUstreamCaptureMode *) {
    return CUDA_SUCCESS;
  };
  D.cuDevicePrimaryCtxRelease = [](CUdevice Device) {
    --std::atomic_ref(Gpus[Device].Retained);
    return CUDA_SUCCESS;
  };
  D.cuMemGetAllocationGranularity = [](size_t *Bytes,
                                       const CUmemAllocationProp *,
                                       CUmemAllocationGranularity_flags) {
    *Bytes = size_t(2) << 20;
    return CUDA_SUCCESS;
  };
  D.cuMemCreate = [](CUmemGenericAllocationHandle *, size_t,
                     const CUmemAllocationProp *,
                     unsigned long long) { return HostPages; };
  D.cuMemRelease = [](CUmemGenericAllocationHandle) { return CUDA_SUCCESS; };
  return D;
}

class OpenDevicesTest : public testing::Test {
protected:
  void SetUp() override {
    Gpus.assign(3, {});
    HostPages = CUDA_SUCCESS;
  }
  void TearDown() override {
    Opened.clear();
    for (const FakeGpu &G : Gpus)
      EXPECT_EQ(G.Retained, 0) << "a context that was not given back";
  }
  /// Returns the ordinals of the devices that are opened.
  std::vector<int> open(const std::vector<int> &Ordinals = {}) {
    Opened = openDevices(D, Ordinals, Later, Message, Notes);
    std::vector<int> Out;
    for (const auto &Dev : Opened)
      Out.push_back(Dev->ordinal());
    return Out;
  }

  using Ordinals = std::vector<int>;
  /// Returns the ordinals of the devices that have a context.
  std::vector<int> withContexts() const {
    std::vector<int> Out;
    for (const auto &Dev : Opened)
      if (Dev->isOpen())
        Out.push_back(Dev->ordinal());
    return Out;
  }

  const Driver D = fakeDriver();
  bool Later = false;
  DeviceList Opened;
  std::string Message;
  std::vector<std::string> Notes;
};

TEST_F(OpenDevicesTest, AllOrThoseThatAreNamedInTheirOrder) {
  EXPECT_EQ(open(), (Ordinals{0, 1, 2}));
  EXPECT_EQ(open({2, 0}), (Ordinals{2, 0}));
  EXPECT_TRUE(Message.empty());
  EXPECT_TRUE(Notes.empty());
}

TEST_F(OpenDevicesTest, OneThatDoesNotExistIsAnError) {
  EXPECT_EQ(open({0, 3}), Ordinals{});
  EXPECT_EQ(Message, "there is no GPU 3: 3 are visible");
  Gpus.resize(1);
  EXPECT_EQ(open({1}), Ordinals{});
  EXPECT_EQ(Message, "there is no GPU 1: 1 is visible");
}

TEST_F(OpenDevicesTest, ABusyOneIsLeftOutWithANote) {
  Gpus[1].Context = CUDA_ERROR_DEVICE_UNAVAILABLE;
  EXPECT_EQ(open(), (Ordinals{0, 2}));
  EXPECT_EQ(Notes, std::vector<std::string>{"GPU 1: busy; it is left out"});
  EXPECT_TRUE(Message.empty());
}

TEST_F(OpenDevicesTest, TheFirstMayBeLeftOutToo) {
  Gpus[0].Context = CUDA_ERROR_OUT_OF_MEMORY;
  EXPECT_EQ(open(), (Ordinals{1, 2}));
  EXPECT_EQ(Notes,
            std::vector<std::string>{"GPU 0: out of memory; it is left out"});
  Notes.clear();
  EXPECT_EQ(open({0, 2}), (Ordinals{2}));
  EXPECT_EQ(Notes.size(), 1u);
}

TEST_F(OpenDevicesTest, NoneThatCanBeUsed) {
  for (FakeGpu &G : Gpus)
    G.Context = CUDA_ERROR_DEVICE_UNAVAILABLE;
  EXPECT_EQ(open(), Ordinals{});
  EXPECT_EQ(Message, "GPU 0: busy; GPU 1: busy; GPU 2: busy");
  EXPECT_EQ(Notes.size(), 3u);
  Gpus.clear();
  EXPECT_EQ(open(), Ordinals{});
  EXPECT_EQ(Message, "no GPU");
}

TEST_F(OpenDevicesTest, AllButTheFirstAreOpenedWhenTheyAreWanted) {
  Later = true;
  EXPECT_EQ(open(), (Ordinals{0, 1, 2}));
  EXPECT_EQ(withContexts(), Ordinals{0});
  std::vector<int> Prepared;
  LateDevices Late(Opened, [&](int Device) {
    Prepared.push_back(Device);
    return CUDA_SUCCESS;
  });
  EXPECT_FALSE(Late.isReady());
  // Whoever asks for a context waits for it.
  EXPECT_NE(Opened[2]->context(), nullptr);
  EXPECT_TRUE(Late.wait());
  EXPECT_TRUE(Late.isReady());
  EXPECT_EQ(Prepared, (std::vector<int>{1, 2}));
  EXPECT_EQ(withContexts(), (Ordinals{0, 1, 2}));
}

TEST_F(OpenDevicesTest, TheLastStepIsTakenWhenAllAreOpen) {
  Later = true;
  EXPECT_EQ(open(), (Ordinals{0, 1, 2}));
  {
    LateDevices Late(Opened, [](int) { return CUDA_SUCCESS; });
    bool Taken = false;
    Late.setLastStep([&] {
      EXPECT_EQ(withContexts(), (Ordinals{0, 1, 2}));
      EXPECT_FALSE(Late.isReady());
      Taken = true;
      return cudaSuccess;
    });
    EXPECT_TRUE(Late.wait());
    EXPECT_TRUE(Taken);
    Late.setLastStep(nullptr);
  }
  Opened.clear();
  EXPECT_EQ(open(), (Ordinals{0, 1, 2}));
  LateDevices Late(Opened, [](int) { return CUDA_SUCCESS; });
  Late.setLastStep([] { return cudaErrorIllegalAddress; });
  EXPECT_FALSE(Late.wait());
  EXPECT_FALSE(Late.isReady());
}

TEST_F(OpenDevicesTest, NobodyWaitsForAStepThatTheProgramHoldsUp) {
  Later = true;
  EXPECT_EQ(open(), (Ordinals{0, 1, 2}));
  std::atomic<bool> HeldUp = true;
  LateDevices Late(Opened, [](int) { return CUDA_SUCCESS; });
  Late.setLastStep([&] { return HeldUp ? cudaErrorNotReady : cudaSuccess; });
  EXPECT_FALSE(Late.wait());
  EXPECT_EQ(withContexts(), (Ordinals{0, 1, 2}));
  HeldUp = false;
  while (!Late.isReady())
    std::this_thread::yield();
}

TEST_F(OpenDevicesTest, AStepThatIsNeverDoneEndsWithThem) {
  Later = true;
  EXPECT_EQ(open(), (Ordinals{0, 1, 2}));
  LateDevices Late(Opened, [](int) { return CUDA_SUCCESS; });
  Late.setLastStep([] { return cudaErrorNotReady; });
  EXPECT_FALSE(Late.wait());
}

TEST_F(OpenDevicesTest, AStepThatComesTooLateIsTakenAtOnce) {
  Later = true;
  EXPECT_EQ(open(), (Ordinals{0, 1, 2}));
  LateDevices Late(Opened, [](int) { return CUDA_SUCCESS; });
  EXPECT_TRUE(Late.wait());
  bool Taken = false;
  Late.setLastStep([&] {
    Taken = true;
    return cudaSuccess;
  });
  EXPECT_TRUE(Taken);
}

TEST_F(OpenDevicesTest, NoneIsOpenedThatNobodyWants) {
  Later = true;
  EXPECT_EQ(open(), (Ordinals{0, 1, 2}));
  {
    LateDevices Late(Opened, [](int) { return CUDA_SUCCESS; });
  }
  EXPECT_EQ(withContexts(), Ordinals{0});
}

TEST_F(OpenDevicesTest, TheFirstStandsForOneThatCannotBeOpenedLater) {
  Later = true;
  Gpus[1].Context = CUDA_ERROR_OUT_OF_MEMORY;
  EXPECT_EQ(open(), (Ordinals{0, 1, 2}));
  LateDevices Late(Opened, [](int) { return CUDA_SUCCESS; });
  EXPECT_FALSE(Late.wait());
  EXPECT_FALSE(Late.isReady());
  EXPECT_TRUE(Opened[1]->isReplaced());
  EXPECT_EQ(Opened[1]->context(), Opened[0]->context());
  EXPECT_FALSE(Opened[2]->isReplaced());
  EXPECT_NE(Opened[2]->context(), Opened[0]->context());
}

TEST_F(OpenDevicesTest, TheFirstStandsForOneThatCannotBePrepared) {
  Later = true;
  EXPECT_EQ(open({0, 1}), (Ordinals{0, 1}));
  LateDevices Late(Opened, [](int) { return CUDA_ERROR_OUT_OF_MEMORY; });
  Late.begin();
  EXPECT_FALSE(Late.wait());
  EXPECT_TRUE(Opened[1]->isReplaced());
}

TEST_F(OpenDevicesTest, AllAreOpenedAtOnceWhereOneMayRefuseOrIsOutOfReach) {
  Later = true;
  Gpus[2].ComputeMode = CU_COMPUTEMODE_EXCLUSIVE_PROCESS;
  EXPECT_EQ(open(), (Ordinals{0, 1, 2}));
  EXPECT_EQ(withContexts(), (Ordinals{0, 1, 2}));
  Gpus[2].ComputeMode = CU_COMPUTEMODE_DEFAULT;
  Gpus[2].ReachesOthers = 0;
  Opened.clear();
  EXPECT_EQ(open(), (Ordinals{0, 1, 2}));
  EXPECT_EQ(withContexts(), (Ordinals{0, 1, 2}));
  Gpus[2].ReachesOthers = 1;
  Opened.clear();
  // One GPU that stands for two devices.
  EXPECT_EQ(open({0, 0}), (Ordinals{0, 0}));
  EXPECT_EQ(withContexts(), (Ordinals{0, 0}));
  Opened.clear();
  // The first one is busy.
  Gpus[0].Context = CUDA_ERROR_DEVICE_UNAVAILABLE;
  EXPECT_EQ(open(), (Ordinals{1, 2}));
  EXPECT_EQ(withContexts(), (Ordinals{1, 2}));
}

TEST_F(OpenDevicesTest, OneThatCannotMapByAddressIsLeftOut) {
  Gpus[2].MapsByAddress = 0;
  EXPECT_EQ(open(), (Ordinals{0, 1}));
  EXPECT_EQ(Notes, std::vector<std::string>{
                       "GPU 2: no virtual memory management; it is left out"});
}

TEST_F(OpenDevicesTest, OneThatMayNotRunTheKernelsIsLeftOutUnlessNamed) {
  Gpus[1] = {8, 6};
  Gpus[2] = {9, 1};
  EXPECT_EQ(open(), (Ordinals{0, 2}));
  EXPECT_EQ(Notes, std::vector<std::string>{
                       "GPU 1: compute capability 8.6, which may not run "
                       "kernels for 9.0 of GPU 0; it is left out"});
  EXPECT_EQ(open({0, 1}), (Ordinals{0, 1}));
}

TEST_F(OpenDevicesTest, FindsOutIfTheHostHasPages) {
  open();
  EXPECT_TRUE(hostPagesWork(Opened));
  // The attribute may be missing where it works.
  Gpus[1].HostNuma = 0;
  EXPECT_TRUE(hostPagesWork(Opened));
  HostPages = CUDA_ERROR_NOT_SUPPORTED;
  EXPECT_FALSE(hostPagesWork(Opened));
}

} // namespace
