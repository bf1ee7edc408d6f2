//===- SamplingBackendTest.cpp - Launches that are recorded ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/report/SamplingBackend.h"
#include "runtime/backend/cpu/CpuBackend.h"
#include "test/unit/runtime/FakeKernels.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

LaunchShape shapeOf(dim3 Grid, dim3 Block) {
  LaunchShape Out;
  Out.Grid = Grid;
  Out.Block = Block;
  return Out;
}

GridspanTile wholeOf(const LaunchShape &S) {
  return {{0, 0, 0}, {S.Grid.x, S.Grid.y, S.Grid.z}};
}

} // namespace

TEST(ChooseWarps, SpreadsOverGridAndBlock) {
  const LaunchShape S = shapeOf(dim3(100, 10), dim3(32, 8));
  const RecordedWarps W = chooseWarps(S, wholeOf(S), 2, 1000);
  EXPECT_EQ(W.Recorder.NumBlocks, 16u);
  EXPECT_EQ(W.Recorder.BlockStep, 1000u / 16);
  EXPECT_EQ(W.Recorder.NumWarps, 4u);
  EXPECT_EQ(W.Recorder.WarpStep, 2u);
  EXPECT_EQ(W.Records, 16u * 4 * 2);
  EXPECT_EQ(W.Sampled, 64);
  EXPECT_EQ(W.Warps, 8000);
}

TEST(ChooseWarps, TakesFewBlocksOnCpuDevices) {
  const LaunchShape S = shapeOf(dim3(100, 10), dim3(32, 8));
  const RecordedWarps W =
      chooseWarps(S, wholeOf(S), 2, 1000, CpuRecordingLimits);
  EXPECT_EQ(W.Recorder.NumBlocks, 4u);
  EXPECT_EQ(W.Recorder.BlockStep, 250u);
  EXPECT_EQ(W.Recorder.NumWarps, 8u);
  EXPECT_EQ(W.Records, 4u * 8 * 2);
}

TEST(ChooseWarps, TakesAllOfASmallLaunch) {
  const LaunchShape S = shapeOf(dim3(3), dim3(33));
  const RecordedWarps W = chooseWarps(S, wholeOf(S), 1, 1000);
  EXPECT_EQ(W.Recorder.NumBlocks, 3u);
  EXPECT_EQ(W.Recorder.BlockStep, 1u);
  EXPECT_EQ(W.Recorder.NumWarps, 2u);
  EXPECT_EQ(W.Sampled, 6);
  EXPECT_EQ(W.Warps, 6);
}

TEST(ChooseWarps, TilesShareTheSampleOfTheGrid) {
  const LaunchShape All = shapeOf(dim3(64, 3), dim3(64));
  const RecordedWarps Whole = chooseWarps(All, wholeOf(All), 1, 1000);
  double Sampled = 0, Warps = 0;
  for (uint32_t X : {0u, 20u}) {
    const LaunchShape Part = shapeOf(dim3(X ? 44 : 20, 3), dim3(64));
    const GridspanTile Tile = {{X, 0, 0}, {64, 3, 1}};
    const RecordedWarps W = chooseWarps(Part, Tile, 1, 1000);
    EXPECT_EQ(W.Recorder.BlockStep, Whole.Recorder.BlockStep);
    Sampled += W.Sampled;
    Warps += W.Warps;
  }
  EXPECT_EQ(Sampled, Whole.Sampled);
  EXPECT_EQ(Warps, Whole.Warps);
}

TEST(ChooseWarps, FitsTheRoom) {
  const LaunchShape S = shapeOf(dim3(1000), dim3(1024));
  EXPECT_LE(chooseWarps(S, wholeOf(S), 10, 65).Records, 65u);
  EXPECT_GT(chooseWarps(S, wholeOf(S), 10, 65).Records, 0u);
  EXPECT_EQ(chooseWarps(S, wholeOf(S), 10, 9).Records, 0u);
}

namespace {

/// What the recording clone of the test does: the first thread of the first
/// block of each part makes one request of two lanes at each probe.
void runRecording(const GridspanCpuBlock *Block, void *const *Args,
                  const GridspanCpuThreads *Threads) {
  const auto &Recorder = *static_cast<const GridspanRecorder *>(Args[4]);
  const auto &Tile = *static_cast<const GridspanTile *>(Args[5]);
  if (Block->BlockIdxX || Threads->LoX)
    return;
  auto *R = static_cast<GridspanRecord *>(Recorder.Records);
  for (unsigned P = 0; P != 2; ++P) {
    R[P].Requests += 1;
    R[P].Lanes += 2;
    R[P].Masks[0] = 3;
    R[P].Addresses[0][1] = 32 * (P + 1) + Tile.Origin[0];
  }
}

class SamplingTest : public testing::Test {
protected:
  SamplingTest() : Kernel(fake::saxpy()), B(make(), Profile) {
    Probes[0].Site = 11;
    Probes[1].Site = 12;
    for (GridspanAccess &P : Probes) {
      P.Mode = GridspanRead;
      P.ElementSize = 4;
    }
    Code.Run = reinterpret_cast<void *>(runRecording);
    Code.RunTraced = Code.Run;
    Recording.HostStub = &Recording;
    Recording.TiledStub = &Recording;
    Recording.Name = "saxpy__recording";
    Recording.Params = Params;
    Recording.NumParams = 5;
    Recording.Cpu = &Code;
    Recording.Accesses = Probes;
    Recording.NumAccesses = 2;
    Kernel.Recording = &Recording;
    EXPECT_EQ(B.createStream(0, StreamKind::NonBlocking, 0, S), cudaSuccess);
  }
  ~SamplingTest() override { S = nullptr; }

  static std::unique_ptr<Backend> make() {
    fake::module();
    return std::make_unique<CpuBackend>(CpuBackendOptions{1});
  }

  cudaError_t launch() {
    const LaunchShape Shape = shapeOf(dim3(4), dim3(64));
    float A = 1;
    void *Null = nullptr;
    int N = 0;
    void *Args[] = {&A, &Null, &Null, &N};
    const ProfiledLaunch L =
        Profile.count(Kernel, Shape, Args, ProfileReason::None);
    LaunchTarget T;
    T.Kernel = &Kernel;
    T.Profiled = L.Entry;
    T.RecordAs = L.RecordAs;
    Profile.addTime(*L.Entry, 1e-6, L.RecordAs != 0);
    return B.launch(*S, T, Shape, Args, nullptr);
  }

  ProfileClassRecord record() {
    return Profile.record().Kernels.at(0).Classes.at(0);
  }

  GridspanAccess Probes[2] = {};
  GridspanParam Params[5] = {{0, 4}, {8, 8}, {16, 8}, {24, 4}, {32, 24}};
  GridspanCpuKernel Code = {};
  GridspanKernel Recording = {};
  GridspanKernel Kernel;
  LaunchProfile Profile;
  SamplingBackend B;
  std::unique_ptr<Stream> S;
};

} // namespace

TEST_F(SamplingTest, TakesWhatTheCloneWrote) {
  ASSERT_EQ(launch(), cudaSuccess);
  ASSERT_EQ(B.synchronize(*S), cudaSuccess);
  B.finish();
  const ProfileClassRecord C = record();
  EXPECT_EQ(C.Recordings, 1u);
  ASSERT_EQ(C.Sites.size(), 2u);
  // All eight warps were looked at.
  EXPECT_EQ(C.Sites.at(11).Requests, 1);
  EXPECT_EQ(C.Sites.at(12).Lanes, 2);
  EXPECT_EQ(C.Sites.at(12).Sectors, 2);
}

TEST_F(SamplingTest, ClearsBetweenLaunches) {
  // CPU devices record the first and the 32nd.
  for (unsigned I = 0; I != 32; ++I) {
    ASSERT_EQ(launch(), cudaSuccess);
    ASSERT_EQ(B.synchronizeDevice(0), cudaSuccess);
    B.collect();
  }
  EXPECT_EQ(record().Recordings, 2u);
  EXPECT_EQ(record().Sites.at(11).Requests, 1);
}

// The kernel itself runs where the clone cannot.
TEST_F(SamplingTest, FallsBackToTheKernel) {
  Code.Run = nullptr;
  Code.Unsupported = "not on this device";
  EXPECT_EQ(launch(), cudaSuccess);
  EXPECT_EQ(B.synchronize(*S), cudaSuccess);
  B.finish();
  EXPECT_EQ(record().Recordings, 0u);
  EXPECT_EQ(record().WhyNotRecorded, ProfileReason::CloneNotLaunched);
}

TEST_F(SamplingTest, RecordsNothingWhenItIsFinished) {
  B.finish();
  EXPECT_EQ(launch(), cudaSuccess);
  EXPECT_EQ(B.synchronize(*S), cudaSuccess);
  EXPECT_EQ(record().WhyNotRecorded, ProfileReason::NoRoom);
}
