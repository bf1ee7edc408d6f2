//===- TracingBackendTest.cpp - A backend that keeps a timeline -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/report/TracingBackend.h"
#include "runtime/backend/cpu/CpuBackend.h"
#include "runtime/report/Tracing.h"
#include "test/unit/runtime/TestRuntime.h"
#include <algorithm>
#include <future>

using namespace gridspan;

namespace {

/// A runtime that traces and shows its timeline.
class TracedRuntime {
public:
  explicit TracedRuntime(unsigned Devices, uint64_t Memory = 0) {
    fake::module();
    Config C;
    C.Kind = DeviceKind::Cpu;
    C.NumCpuDevices = Devices;
    C.DeviceMemory = Memory;
    C.Sched = Schedule::Static;
    std::string Message;
    auto Tracing = std::make_unique<TracingBackend>(createBackend(C, Message));
    B = Tracing.get();
    Runtime::replace(std::make_unique<Runtime>(C, std::move(Tracing)));
  }
  ~TracedRuntime() { Runtime::replace(nullptr); }
  TracedRuntime(const TracedRuntime &) = delete;
  TracedRuntime &operator=(const TracedRuntime &) = delete;
  TracingBackend *B;
};

std::vector<TimelineSpan> spansOf(const Timeline &T, Activity What) {
  std::vector<TimelineSpan> Out;
  for (const TimelineSpan &S : T.Spans)
    if (S.What == What)
      Out.push_back(S);
  return Out;
}

} // namespace

TEST(TracingBackend, IsOffUnlessOneExists) {
  EXPECT_FALSE(isTracing());
  EXPECT_EQ(TraceScope::nextLaunch().Launch, 0U);
  {
    TracingBackend B(std::make_unique<CpuBackend>(CpuBackendOptions{1}));
    EXPECT_TRUE(isTracing());
  }
  EXPECT_FALSE(isTracing());
}

TEST(TracingBackend, SplitLaunch) {
  TracedRuntime R(2);
  const size_t N = 100000;
  std::vector<float> X(N, 1), Y(N, 2);
  float *DX = toDevice(X), *DY = toDevice(Y);
  GridspanKernel K = fake::module().Kernels[0];
  for (int Round = 0; Round < 3; ++Round)
    ASSERT_EQ(launch(K, dim3((N + 255) / 256), dim3(256), 0, nullptr, 1.0f,
                     static_cast<const float *>(DX), DY, static_cast<int>(N)),
              cudaSuccess);
  EXPECT_EQ(fromDevice(DY, N), std::vector<float>(N, 5));
  const Timeline T = R.B->timeline();
  EXPECT_EQ(T.Lost, 0U);

  const std::vector<TimelineSpan> Kernels = spansOf(T, Activity::Kernel);
  ASSERT_EQ(Kernels.size(), 6U);
  uint64_t Blocks = 0;
  std::map<uint64_t, std::set<int>> DevicesOfLaunch;
  for (const TimelineSpan &S : Kernels) {
    EXPECT_STREQ(S.Name, K.Name);
    EXPECT_NE(S.Launch, 0U);
    EXPECT_LE(S.Begin, S.End);
    Blocks += S.Blocks;
    DevicesOfLaunch[S.Launch].insert(T.Tracks[S.Track].Process);
  }
  EXPECT_EQ(Blocks, 3 * ((N + 255) / 256));
  EXPECT_EQ(DevicesOfLaunch.size(), 3U);
  for (const auto &[Launch, Devices] : DevicesOfLaunch)
    EXPECT_EQ(Devices, (std::set<int>{0, 1}));

  std::map<std::string, uint64_t> Copied;
  for (const TimelineSpan &S : spansOf(T, Activity::Copy)) {
    Copied[S.Name] += S.Bytes;
    EXPECT_EQ(S.Launch, 0U);
  }
  EXPECT_EQ(Copied, (std::map<std::string, uint64_t>{
                        {"host to device", 2 * N * sizeof(float)},
                        {"device to host", N * sizeof(float)}}));
  for (const TimelineSpan &S : spansOf(T, Activity::Map))
    EXPECT_EQ(T.Tracks[S.Track].Process, -1);
  EXPECT_FALSE(spansOf(T, Activity::Map).empty());
}

TEST(TracingBackend, SpansOfAStreamDoNotOverlap) {
  TracedRuntime R(3);
  for (int Round = 0; Round < 20; ++Round) {
    std::vector<float> X(30000, 1);
    (void)fromDevice(toDevice(X), X.size());
  }
  const Timeline T = R.B->timeline();
  std::map<unsigned, std::vector<std::pair<double, double>>> ByTrack;
  for (const TimelineSpan &S : T.Spans)
    ByTrack[S.Track].push_back({S.Begin, S.End});
  for (auto &[Track, Spans] : ByTrack) {
    std::sort(Spans.begin(), Spans.end());
    for (size_t I = 1; I < Spans.size(); ++I)
      // The clock's float is coarser than its source.
      EXPECT_LE(Spans[I - 1].second, Spans[I].first + 1.0);
  }
}

TEST(TracingBackend, PurposesAreTold) {
  TracingBackend B(std::make_unique<CpuBackend>(CpuBackendOptions{1}));
  std::unique_ptr<Stream> S;
  ASSERT_EQ(B.createStream(0, StreamKind::Blocking, 0, S), cudaSuccess);
  char From[100] = {}, To[100];
  {
    TraceScope Launch(TraceScope::nextLaunch());
    TraceScope Outer(Activity::Migration);
    {
      TraceScope Inner(Activity::WriteBack, "back");
      ASSERT_EQ(B.copy(*S, To, From, 10), cudaSuccess);
    }
    ASSERT_EQ(B.copy2D(*S, To, 10, From, 10, 5, 4), cudaSuccess);
  }
  ASSERT_EQ(B.copy(*S, To, From, 30), cudaSuccess);
  ASSERT_EQ(B.synchronize(*S), cudaSuccess);
  const Timeline T = B.timeline();
  ASSERT_EQ(T.Spans.size(), 3U);
  EXPECT_EQ(T.Spans[0].What, Activity::WriteBack);
  EXPECT_STREQ(T.Spans[0].Name, "back");
  EXPECT_EQ(T.Spans[0].Launch, T.Spans[1].Launch);
  EXPECT_EQ(T.Spans[1].What, Activity::Migration);
  EXPECT_EQ(T.Spans[1].Bytes, 20U);
  EXPECT_EQ(T.Spans[2].What, Activity::Copy);
  EXPECT_EQ(T.Spans[2].Launch, 0U);
}

TEST(TracingBackend, WhatHasNotEndedIsLost) {
  TracingBackend B(std::make_unique<CpuBackend>(CpuBackendOptions{1}));
  std::unique_ptr<Stream> S;
  ASSERT_EQ(B.createStream(0, StreamKind::Blocking, 0, S), cudaSuccess);
  std::promise<void> Go;
  ASSERT_EQ(B.hostFunction(*S, [F = Go.get_future().share()] { F.wait(); }),
            cudaSuccess);
  void *Pinned = nullptr;
  ASSERT_EQ(B.hostAlloc(200, 0, Pinned), cudaSuccess);
  ASSERT_EQ(B.copy(*S, Pinned, static_cast<char *>(Pinned) + 100, 100),
            cudaSuccess);
  EXPECT_EQ(B.timeline().Lost, 1U);
  Go.set_value();
  ASSERT_EQ(B.synchronize(*S), cudaSuccess);
  EXPECT_EQ(B.timeline().Lost, 0U);
  EXPECT_EQ(B.timeline().Spans.size(), 1U);
  S.reset();
  EXPECT_EQ(B.hostFree(Pinned), cudaSuccess);
}

TEST(TracingBackend, LaunchesLargerThanTheDevices) {
  TracedRuntime R(2, 1 << 20);
  const int N = 1 << 20;
  const uint64_t Bytes = uint64_t(4) * N;
  std::vector<float> X(N, 1);
  float *DX = toDevice(X);
  ASSERT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f,
                   static_cast<const float *>(DX), DX, N),
            cudaSuccess);
  EXPECT_EQ(fromDevice(DX, N), std::vector<float>(N, 2));
  ASSERT_EQ(__gridspan_cudaMemset(DX, 0, Bytes), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaFree(DX), cudaSuccess);
  const Timeline T = R.B->timeline();
  auto BytesOf = [&](Activity What) {
    uint64_t Sum = 0;
    for (const TimelineSpan &S : spansOf(T, What))
      Sum += S.Bytes;
    return Sum;
  };
  // All goes in and out, by threads, and through the devices in between.
  EXPECT_EQ(BytesOf(Activity::Copy), 2 * Bytes);
  EXPECT_EQ(BytesOf(Activity::Fill), Bytes);
  EXPECT_EQ(BytesOf(Activity::Pin), Bytes);
  EXPECT_EQ(BytesOf(Activity::StreamIn), Bytes);
  EXPECT_GT(BytesOf(Activity::WriteBack), 0U);
  for (const TimelineSpan &S : spansOf(T, Activity::Pin)) {
    EXPECT_EQ(T.Tracks[S.Track].Process, -1);
    EXPECT_NE(S.Launch, 0U);
  }
  for (const TimelineSpan &S : spansOf(T, Activity::StreamIn))
    EXPECT_EQ(S.Launch, spansOf(T, Activity::Kernel).front().Launch);
}
