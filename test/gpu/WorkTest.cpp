//===- WorkTest.cpp - Streams, events and launches on GPUs ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/GpuTest.h"
#include <algorithm>
#include <atomic>
#include <cuda_runtime_api.h>
#include <numeric>
#include <thread>

using namespace gridspan;

namespace {

class GpuWorkTest : public GpuTest {
protected:
  /// Makes an event of each device.
  std::unique_ptr<Event> event(int Device,
                               unsigned Flags = cudaEventDisableTiming) {
    std::unique_ptr<Event> E;
    EXPECT_OK(backend().createEvent(Device, Flags, E));
    return E;
  }
  static LaunchTarget target(const GridspanKernel &K) {
    return {&K, K.HostStub};
  }
};

TEST_F(GpuWorkTest, TilesOfAllDevicesMakeTheWholeGrid) {
  SpreadRange R(backend());
  ASSERT_NO_FATAL_FAILURE(R.create(everywhere(), 1));
  ASSERT_OK(backend().fill(stream(0), R.bytes(), 0, R.size()));
  ASSERT_OK(backend().synchronize(stream(0)));
  // Partitioned along each axis in turn, into one tile more than devices.
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    uint32_t Grid[3] = {5, 6, 7};
    unsigned *P = R.words();
    unsigned Parts = std::min(numDevices() + 1, Grid[Axis]);
    for (unsigned I = 0; I < Parts; ++I) {
      GridspanTile T = {{0, 0, 0}, {Grid[0], Grid[1], Grid[2]}};
      uint32_t Part[3] = {Grid[0], Grid[1], Grid[2]};
      T.Origin[Axis] = I * Grid[Axis] / Parts;
      Part[Axis] = (I + 1) * Grid[Axis] / Parts - T.Origin[Axis];
      ASSERT_OK(launch(stream(I % numDevices()), BlockKernel,
                       dim3(Part[0], Part[1], Part[2]), dim3(1), {&P}, &T));
    }
    for (unsigned I = 0; I < numDevices(); ++I)
      ASSERT_OK(backend().synchronize(stream(I)));
    std::vector<unsigned> Expected(5 * 6 * 7);
    std::iota(Expected.begin(), Expected.end(), 1000u * 5 * 6 * 7);
    EXPECT_EQ(fetch(R.words(), Expected.size()), Expected) << "axis " << Axis;
    ASSERT_OK(backend().fill(stream(0), R.bytes(), 0, Expected.size() * 4));
    ASSERT_OK(backend().synchronize(stream(0)));
  }
}

TEST_F(GpuWorkTest, EventsOrderWorkAcrossDevices) {
  SpreadRange R(backend());
  ASSERT_NO_FATAL_FAILURE(R.create({0}, 1));
  unsigned *P = R.words();
  long long Cycles = 2000000;
  auto Last = event(0);
  // Each device in turn overwrites what the one before stored.
  unsigned Steps = 2 * numDevices() + 1;
  for (unsigned Step = 0; Step < Steps; ++Step) {
    Stream &S = stream(Step % numDevices());
    if (Step > 0)
      ASSERT_OK(backend().wait(S, *Last));
    unsigned V = Step;
    ASSERT_OK(launch(S, SlowStoreKernel, dim3(1), dim3(1), {&Cycles, &P, &V}));
    Cycles = std::max(1LL, Cycles / 4);
    Last = event(Step % numDevices());
    ASSERT_OK(backend().record(*Last, S));
  }
  ASSERT_OK(backend().wait(stream(0), *Last));
  EXPECT_EQ(fetch(P, 1)[0], Steps - 1);
}

TEST_F(GpuWorkTest, AnEventNeverRecordedIsNoWait) {
  auto E = event(numDevices() - 1);
  ASSERT_OK(backend().wait(stream(0), *E));
  ASSERT_OK(backend().synchronize(stream(0)));
  EXPECT_OK(backend().query(*E));
}

TEST_F(GpuWorkTest, EventsMeasureTime) {
  auto From = event(0, 0), To = event(0, 0);
  float Ms = -1;
  EXPECT_EQ(backend().elapsed(*From, *To, Ms), cudaErrorInvalidResourceHandle);
  ASSERT_OK(backend().record(*From, stream(0)));
  ASSERT_OK(backend().record(*To, stream(0)));
  ASSERT_OK(backend().synchronize(*To));
  ASSERT_OK(backend().elapsed(*From, *To, Ms));
  EXPECT_GE(Ms, 0);
}

TEST_F(GpuWorkTest, DefaultStreamsBelongToTheirDevice) {
  SpreadRange R(backend());
  ASSERT_NO_FATAL_FAILURE(R.create({0}, 1));
  for (unsigned I = 0; I < numDevices(); ++I)
    for (StreamKind Kind :
         {StreamKind::LegacyDefault, StreamKind::PerThreadDefault,
          StreamKind::Blocking}) {
      std::unique_ptr<Stream> S;
      ASSERT_OK(backend().createStream(I, Kind, 0, S));
      EXPECT_EQ(S->device(), static_cast<int>(I));
      ASSERT_OK(backend().fill(*S, R.bytes(), I + 1, 4));
      unsigned *P = R.words();
      size_t N = 1;
      unsigned V = 1;
      ASSERT_OK(launch(*S, AddKernel, dim3(1), dim3(32), {&P, &N, &V}));
      auto E = event(I);
      ASSERT_OK(backend().record(*E, *S));
      ASSERT_OK(backend().synchronize(*S));
      EXPECT_OK(backend().query(*S));
      EXPECT_EQ(fetch(P, 1)[0], (I + 1) * 0x01010101u + 1);
    }
  int Current = -1;
  ASSERT_EQ(cudaGetDevice(&Current), cudaSuccess);
  EXPECT_EQ(Current, 0) << "the program's device changed";
}

TEST_F(GpuWorkTest, AtomicsOfAllDevicesAddUp) {
  if (!backend().system().PeerAtomics)
    GTEST_SKIP() << "no atomics between these devices";
  SpreadRange R(backend());
  ASSERT_NO_FATAL_FAILURE(R.create({numDevices() - 1 ? 1 : 0}, 1));
  ASSERT_OK(backend().fill(stream(0), R.bytes(), 0, 4));
  ASSERT_OK(backend().synchronize(stream(0)));
  unsigned *P = R.words();
  for (unsigned I = 0; I < numDevices(); ++I)
    ASSERT_OK(launch(stream(I), CountKernel, dim3(1000), dim3(256), {&P}));
  for (unsigned I = 0; I < numDevices(); ++I)
    ASSERT_OK(backend().synchronize(stream(I)));
  EXPECT_EQ(fetch(P, 1)[0], numDevices() * 256000);
}

TEST_F(GpuWorkTest, FunctionAttributesReachAllDevicesAndTheClone) {
  Backend &B = backend();
  constexpr unsigned Words = 25000; // 100 kB, more than the default
  SpreadRange R(B);
  ASSERT_NO_FATAL_FAILURE(R.create({0}, 1));
  unsigned *P = R.words();
  unsigned N = Words;
  EXPECT_EQ(launch(stream(0), SharedKernel, dim3(1), dim3(64), {&P, &N},
                   nullptr, Words * 4),
            cudaErrorInvalidValue);
  ASSERT_OK(B.setFunctionAttribute(target(SharedKernel),
                                   cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   Words * 4));
  cudaFuncAttributes A;
  ASSERT_OK(B.functionAttributes(target(SharedKernel), A));
  EXPECT_EQ(A.maxDynamicSharedSizeBytes, static_cast<int>(Words * 4));
  GridspanTile T = {{0, 0, 0}, {3, 1, 1}};
  for (unsigned I = 0; I < numDevices(); ++I) {
    ASSERT_OK(B.fill(stream(I), P, 0, 12));
    ASSERT_OK(launch(stream(I), SharedKernel, dim3(2), dim3(64), {&P, &N},
                     nullptr, Words * 4));
    T.Origin[0] = 2;
    ASSERT_OK(launch(stream(I), SharedKernel, dim3(1), dim3(64), {&P, &N}, &T,
                     Words * 4));
    EXPECT_EQ(fetch(P, 3, I), (std::vector<unsigned>{Words, Words, Words}));
  }
  int Blocks = 0;
  ASSERT_OK(B.occupancy(target(SharedKernel), 64, Words * 4, 0, Blocks));
  EXPECT_GT(Blocks, 0);
  EXPECT_EQ(B.setFunctionAttribute(target(SharedKernel),
                                   cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   1 << 30),
            cudaErrorInvalidValue);
  EXPECT_EQ(B.vendorError(true), cudaSuccess);
}

TEST_F(GpuWorkTest, BadLaunchesAreRefusedAndHarmless) {
  for (unsigned I = 0; I < numDevices(); ++I) {
    EXPECT_EQ(launch(stream(I), EmptyKernel, dim3(1), dim3(2048), {}),
              cudaErrorInvalidValue);
    EXPECT_EQ(launch(stream(I), EmptyKernel, dim3(0), dim3(32), {}),
              cudaErrorInvalidValue);
    EXPECT_OK(launch(stream(I), EmptyKernel, dim3(1), dim3(32), {}));
    EXPECT_OK(backend().synchronize(stream(I)));
  }
  int NoKernel = 0;
  LaunchShape Shape;
  Shape.Grid = Shape.Block = dim3(1);
  // The code depends on the version: CUDA may take the stub for a bad handle.
  cudaError_t Cudas = cudaLaunchKernel(&NoKernel, dim3(1), dim3(1), nullptr, 0,
                                       stream(0).native());
  EXPECT_NE(Cudas, cudaSuccess);
  EXPECT_EQ(backend().vendorError(true), Cudas);
  EXPECT_EQ(backend().launch(stream(0), {nullptr, &NoKernel}, Shape, nullptr,
                             nullptr),
            Cudas);
  EXPECT_EQ(backend().vendorError(true), cudaSuccess);
  EXPECT_OK(launch(stream(0), EmptyKernel, dim3(1), dim3(32), {}));
  EXPECT_OK(backend().synchronize(stream(0)));
}

TEST_F(GpuWorkTest, AFunctionWithoutDescriptorRuns) {
  LaunchShape Shape;
  Shape.Grid = Shape.Block = dim3(1);
  EXPECT_OK(backend().launch(stream(0), {nullptr, EmptyKernel.HostStub}, Shape,
                             nullptr, nullptr));
  cudaLaunchAttribute Priority = {};
  Priority.id = cudaLaunchAttributePriority;
  Priority.val.priority = 0;
  Shape.Attributes = &Priority;
  Shape.NumAttributes = 1;
  EXPECT_OK(backend().launch(stream(0), {nullptr, EmptyKernel.HostStub}, Shape,
                             nullptr, nullptr));
  EXPECT_OK(backend().synchronize(stream(0)));
}

TEST_F(GpuWorkTest, KernelsAreFoundAgainWhenModulesWereForgotten) {
  SpreadRange R(backend());
  ASSERT_NO_FATAL_FAILURE(R.create({0}, 1));
  unsigned *P = R.words();
  for (int I = 0; I < 3; ++I) {
    ASSERT_OK(backend().fill(stream(0), R.bytes(), 0, 24 * 4));
    ASSERT_OK(launch(stream(0), BlockKernel, dim3(2, 3, 4), dim3(1), {&P}));
    EXPECT_EQ(fetch(R.words(), 24)[23], 1000u * 24 + 23) << I;
    backend().forget(nullptr);
  }
}

TEST_F(GpuWorkTest, CooperativeBlocksAreAllInFlight) {
  SpreadRange R(backend());
  ASSERT_NO_FATAL_FAILURE(R.create({0}, 1));
  ASSERT_OK(backend().fill(stream(0), R.bytes(), 0, 4));
  unsigned *P = R.words();
  void *Args[] = {&P};
  LaunchShape Shape;
  Shape.Grid = dim3(backend().system().Devices[0].Multiprocessors);
  Shape.Block = dim3(1);
  Shape.Cooperative = true;
  ASSERT_OK(backend().launch(stream(0), target(CooperativeKernel), Shape, Args,
                             nullptr));
  EXPECT_EQ(fetch(P, 1)[0], Shape.Grid.x);
  Shape.Grid = dim3(1 << 20);
  EXPECT_EQ(backend().launch(stream(0), target(CooperativeKernel), Shape, Args,
                             nullptr),
            cudaErrorCooperativeLaunchTooLarge);
}

TEST_F(GpuWorkTest, EachDeviceHasItsVariables) {
  if (std::vector<int> Gpus = gpusUnderTest();
      std::adjacent_find(Gpus.begin(), Gpus.end()) != Gpus.end())
    GTEST_SKIP() << "one GPU stands for several devices";
  SpreadRange R(backend());
  ASSERT_NO_FATAL_FAILURE(R.create({0}, 1));
  int *Out = reinterpret_cast<int *>(R.bytes());
  for (unsigned I = 0; I < numDevices(); ++I) {
    void *Variable = nullptr, *Constant = nullptr;
    size_t Bytes = 0;
    ASSERT_OK(backend().symbol(I, testVariable(), Variable, Bytes));
    EXPECT_EQ(Bytes, 4u);
    ASSERT_OK(backend().symbol(I, testConstant(), Constant, Bytes));
    int NewVariable = 100 + I, NewConstant = 200 + I;
    ASSERT_OK(backend().copy(stream(I), Variable, &NewVariable, 4));
    ASSERT_OK(backend().copy(stream(I), Constant, &NewConstant, 4));
    ASSERT_OK(backend().synchronize(stream(I)));
  }
  for (unsigned I = 0; I < numDevices(); ++I) {
    ASSERT_OK(launch(stream(I), SymbolKernel, dim3(1), dim3(1), {&Out}));
    EXPECT_EQ(fetch(Out, 2, I), (std::vector<unsigned>{100 + I, 200 + I}));
  }
  void *Address;
  size_t Bytes;
  int NoSymbol;
  EXPECT_EQ(backend().symbol(0, &NoSymbol, Address, Bytes),
            cudaErrorInvalidSymbol);
  EXPECT_EQ(backend().vendorError(true), cudaSuccess);
}

TEST_F(GpuWorkTest, HostFunctionsRunInStreamOrder) {
  std::atomic<int> Seen{0};
  ASSERT_OK(backend().hostFunction(stream(0), [&] { Seen = 1; }));
  ASSERT_OK(backend().hostFunction(stream(0), [&] { Seen = Seen * 10 + 2; }));
  ASSERT_OK(backend().synchronize(stream(0)));
  EXPECT_EQ(Seen, 12);
}

TEST_F(GpuWorkTest, LaunchesGoIntoAGraph) {
  SpreadRange R(backend());
  ASSERT_NO_FATAL_FAILURE(R.create({0}, 1));
  ASSERT_OK(backend().fill(stream(0), R.bytes(), 0, 4));
  ASSERT_OK(backend().synchronize(stream(0)));
  EXPECT_FALSE(backend().isCapturing(stream(0)));
  std::atomic<int> Calls{0};
  unsigned *P = R.words();
  size_t N = 1;
  unsigned V = 5;
  ASSERT_EQ(cudaStreamBeginCapture(stream(0).native(),
                                   cudaStreamCaptureModeThreadLocal),
            cudaSuccess);
  EXPECT_TRUE(backend().isCapturing(stream(0)));
  EXPECT_OK(launch(stream(0), AddKernel, dim3(1), dim3(1), {&P, &N, &V}));
  EXPECT_OK(backend().hostFunction(stream(0), [&] { ++Calls; }));
  cudaGraph_t Graph;
  ASSERT_EQ(cudaStreamEndCapture(stream(0).native(), &Graph), cudaSuccess);
  cudaGraphExec_t Exec;
  ASSERT_EQ(cudaGraphInstantiate(&Exec, Graph, 0), cudaSuccess);
  for (int I = 0; I < 3; ++I)
    ASSERT_EQ(cudaGraphLaunch(Exec, stream(0).native()), cudaSuccess);
  EXPECT_EQ(fetch(P, 1)[0], 15u);
  EXPECT_EQ(Calls, 3);
  EXPECT_EQ(cudaGraphExecDestroy(Exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(Graph), cudaSuccess);
}

TEST_F(GpuWorkTest, TilesOfAllDevicesGoIntoOneGraph) {
  SpreadRange R(backend());
  ASSERT_NO_FATAL_FAILURE(R.create(everywhere(), 1));
  unsigned *P = R.words();
  const uint32_t Blocks = 64 * numDevices();
  std::vector<std::unique_ptr<Event>> Done;
  for (unsigned I = 0; I < numDevices(); ++I)
    Done.push_back(event(I));
  const std::unique_ptr<Event> Begun = event(0);
  ASSERT_EQ(
      cudaStreamBeginCapture(stream(0).native(), cudaStreamCaptureModeGlobal),
      cudaSuccess);
  // As a split launch does, twice.
  for (unsigned Round = 0; Round < 2; ++Round) {
    EXPECT_OK(backend().record(*Begun, stream(0)));
    for (unsigned I = numDevices(); I-- > 0;) {
      if (I != 0)
        EXPECT_OK(backend().wait(stream(I), *Begun));
      const GridspanTile T = {{64 * I, 0, 0}, {Blocks, 1, 1}};
      EXPECT_OK(launch(stream(I), BlockKernel, dim3(64), dim3(1), {&P}, &T));
      if (I != 0)
        EXPECT_OK(backend().record(*Done[I], stream(I)));
    }
    for (unsigned I = 1; I < numDevices(); ++I)
      EXPECT_OK(backend().wait(stream(0), *Done[I]));
  }
  cudaGraph_t Graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream(0).native(), &Graph), cudaSuccess);
  size_t Nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(Graph, nullptr, &Nodes), cudaSuccess);
  EXPECT_EQ(Nodes, 2 * numDevices());
  cudaGraphExec_t Exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&Exec, Graph, 0), cudaSuccess);
  std::vector<unsigned> Expected(Blocks);
  std::iota(Expected.begin(), Expected.end(), 1000U * Blocks);
  for (int I = 0; I < 3; ++I) {
    ASSERT_OK(backend().fill(stream(0), P, 0, 4 * Blocks));
    ASSERT_EQ(cudaGraphLaunch(Exec, stream(0).native()), cudaSuccess);
    EXPECT_EQ(fetch(P, Blocks), Expected) << I;
  }
  EXPECT_EQ(cudaGraphExecDestroy(Exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(Graph), cudaSuccess);
  // The streams are ordinary ones again.
  for (unsigned I = 0; I < numDevices(); ++I) {
    EXPECT_FALSE(backend().isCapturing(stream(I)));
    EXPECT_OK(backend().synchronize(stream(I)));
  }
}

TEST_F(GpuWorkTest, ThreadsLaunchAtOnce) {
  SpreadRange R(backend());
  ASSERT_NO_FATAL_FAILURE(R.create({0}, 1));
  ASSERT_OK(backend().fill(stream(0), R.bytes(), 0, 64));
  ASSERT_OK(backend().synchronize(stream(0)));
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I < 8; ++I)
    Threads.emplace_back([&, I] {
      unsigned *P = R.words() + I;
      size_t N = 1;
      unsigned V = 1;
      for (int Round = 0; Round < 200; ++Round)
        EXPECT_OK(launch(stream(I % numDevices()), AddKernel, dim3(1), dim3(32),
                         {&P, &N, &V}));
    });
  for (std::thread &T : Threads)
    T.join();
  for (unsigned I = 0; I < numDevices(); ++I)
    ASSERT_OK(backend().synchronize(stream(I)));
  EXPECT_EQ(fetch(R.words(), 8), std::vector<unsigned>(8, 200));
}

TEST_F(GpuWorkTest, PropertiesAreCudas) {
  cudaDeviceProp Ours, Cudas;
  ASSERT_OK(backend().properties(0, Ours));
  ASSERT_EQ(cudaGetDeviceProperties(&Cudas, 0), cudaSuccess);
  EXPECT_STREQ(Ours.name, Cudas.name);
  int Value = 0;
  ASSERT_OK(backend().attribute(0, cudaDevAttrMultiProcessorCount, Value));
  EXPECT_EQ(Value, Cudas.multiProcessorCount);
  EXPECT_GE(backend().driverVersion(), 12000);
}

} // namespace
