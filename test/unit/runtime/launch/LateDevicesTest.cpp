//===- LateDevicesTest.cpp - Launches while devices are not open ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CPU devices of which all but the first are open when the test says so.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ForwardingBackend.h"
#include "test/unit/runtime/TestRuntime.h"
#include <bit>
#include <optional>

using namespace gridspan;

namespace {

/// Floats: a buffer that is not worth opening devices for.
constexpr int Few = 1 << 21;
/// Launches over so many are too short for a split, as predicted.
constexpr int Fewest = 1 << 16;
/// One that is.
constexpr int Many = 1 << 27;

class LateBackend : public ForwardingBackend {
public:
  explicit LateBackend(std::unique_ptr<Backend> Inner)
      : ForwardingBackend(std::move(Inner)) {
    Info = ForwardingBackend::system();
    Info.TimesTell = true;
    if (FanOut > 0) {
      // 0.8 us for a saxpy over Fewest floats, which takes longer.
      Info.FanOutSeconds[2] = FanOut;
      for (DeviceInfo &D : Info.Devices) {
        D.InstructionRate = 1e13;
        D.MemoryBandwidth = 1e12;
      }
    }
    IsOpen = false;
    Fails = false;
    StillRuns.reset();
    Asked = Waited = UsedTooEarly = Launched = OpensAfter = Recorded = 0;
  }
  const SystemInfo &system() const override { return Info; }
  bool isReady() const override { return IsOpen; }
  void prepare() override { ++Asked; }
  /// Work of devices that are not open would wait for them.
  cudaError_t createStream(int Device, StreamKind Kind, int Priority,
                           std::unique_ptr<Stream> &Out) override {
    UsedTooEarly += Device > 0 && !IsOpen;
    return ForwardingBackend::createStream(Device, Kind, Priority, Out);
  }
  cudaError_t createEvent(int Device, unsigned Flags,
                          std::unique_ptr<Event> &Out) override {
    UsedTooEarly += Device > 0 && !IsOpen;
    return ForwardingBackend::createEvent(Device, Flags, Out);
  }
  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override {
    ++Launched;
    if (Asked && OpensAfter && Launched >= OpensAfter)
      IsOpen = true;
    return ForwardingBackend::launch(S, Target, Shape, Args, Tile);
  }
  bool waitUntilReady() override {
    ++Waited;
    IsOpen = !Fails;
    return IsOpen;
  }
  cudaError_t record(Event &E, Stream &S) override {
    ++Recorded;
    return ForwardingBackend::record(E, S);
  }
  cudaError_t query(Event &E) override {
    if (StillRuns)
      return *StillRuns ? cudaErrorNotReady : cudaSuccess;
    return ForwardingBackend::query(E);
  }
  static inline bool IsOpen, Fails;
  /// What is said of events, if set.
  static inline std::optional<bool> StillRuns;
  static inline int Asked, Waited, UsedTooEarly, Launched, Recorded;
  /// What a split over two devices is said to add to launches, if not 0.
  static inline double FanOut = 0;
  /// The launches of parts behind which devices are open that were asked for;
  /// 0: never.
  static inline int OpensAfter;

private:
  SystemInfo Info;
};

class LateDevicesTest : public testing::Test {
protected:
  explicit LateDevicesTest(Schedule Sched = Schedule::Static) : R(2, Sched) {}
  void SetUp() override { R.wrapBackend<LateBackend>(); }

  /// Y[i] += X[i].
  void add(const float *X, float *Y, int N) {
    ASSERT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f, X, Y, N),
              cudaSuccess);
  }
  static float *allocateMany() {
    void *Out = nullptr;
    EXPECT_EQ(__gridspan_cudaMalloc(&Out, sizeof(float) * Many), cudaSuccess);
    return static_cast<float *>(Out);
  }
  /// X[i] += X[i] of a large array, which begins with all bytes 0x3f.
  void doubleMany(float *X) {
    ASSERT_EQ(__gridspan_cudaMemset(X, 0x3f, sizeof(float) * Many),
              cudaSuccess);
    add(X, X, Many);
  }
  static void expectDoubled(const float *X) {
    for (const size_t At : {size_t(0), size_t(Many) / 2, size_t(Many) - 1})
      EXPECT_EQ(fromDevice(X + At, 1)[0], 2 * std::bit_cast<float>(0x3f3f3f3f));
  }
  /// A launch that is predicted to take seconds, and takes milliseconds.
  static void launchTriangular(float *Out, int N) {
    ASSERT_EQ(launch(fake::triangular(), N, 1, 0, nullptr, Out, N),
              cudaSuccess);
  }
  KernelRecord record() { return R.kernel("saxpy"); }

  TestRuntime R;
};

/// Launches are timed.
class LateTimedDevicesTest : public LateDevicesTest {
protected:
  LateTimedDevicesTest() : LateDevicesTest(Schedule::Auto) {}
};

/// They are, and nobody wants a report.
class LateUnreportedTest : public LateTimedDevicesTest {
protected:
  void SetUp() override {
    R.countNoBytes();
    LateTimedDevicesTest::SetUp();
  }
};

/// A split of them would take longer than half of what they take.
class LateShortLaunchesTest : public LateUnreportedTest {
protected:
  void SetUp() override {
    LateBackend::FanOut = 6e-7;
    LateUnreportedTest::SetUp();
    LateBackend::IsOpen = true;
  }
  void TearDown() override { LateBackend::FanOut = 0; }
};

} // namespace

namespace {

/// Memory that devices of 256 KiB do not hold, and buses that take 0.26 s for a
/// buffer.
class LateStreamedTest : public testing::Test {
protected:
  static constexpr int N = 1 << 17;

  class SlowBackend : public LateBackend {
  public:
    explicit SlowBackend(std::unique_ptr<Backend> Inner)
        : LateBackend(std::move(Inner)), Slow(LateBackend::system()) {
      for (DeviceInfo &D : Slow.Devices)
        D.HostToDevice = D.DeviceToHost = 2e6;
    }
    const SystemInfo &system() const override { return Slow; }

  private:
    SystemInfo Slow;
  };

  void SetUp() override {
    R.wrapBackend<SlowBackend>();
    X = toDevice(std::vector<float>(N, 1));
    Y = toDevice(std::vector<float>(N, 2));
  }
  /// Y += X, of all or the first elements.
  void add(int Count = N) {
    ASSERT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f,
                     static_cast<const float *>(X), Y, Count),
              cudaSuccess);
  }
  /// To = the five-point stencil of From, which are rows of 512 elements.
  void smooth(const float *From, float *To) {
    ASSERT_EQ(launch(fake::stencil(), dim3(32, N / 512 / 16), dim3(16, 16), 0,
                     nullptr, To, From, 512, N / 512),
              cudaSuccess);
  }
  KernelRecord record() { return R.kernel("saxpy"); }

  TestRuntime R{2, Schedule::Static, 1 << 18};
  float *X = nullptr, *Y = nullptr;
};

} // namespace

TEST_F(LateStreamedTest, LaunchesDoNotWaitForDevices) {
  add();
  EXPECT_TRUE(fromDevice(Y, N) == std::vector<float>(N, 3));
  EXPECT_EQ(record().OutOfCoreLaunches, 1U);
  EXPECT_EQ(record().DevicesMax, 1U);
  EXPECT_EQ(record().WhyUnsplit, "devices-not-open");
  add();
  add();
  EXPECT_TRUE(fromDevice(Y, N) == std::vector<float>(N, 5));
  EXPECT_EQ(record().ChainedLaunches, 2U);
  EXPECT_EQ(record().DevicesMax, 1U);
  EXPECT_EQ(LateBackend::Waited, 0);
  EXPECT_EQ(LateBackend::UsedTooEarly, 0);
}

TEST_F(LateStreamedTest, DevicesAreUsedWhenOpen) {
  add();
  EXPECT_EQ(fromDevice(Y, 1)[0], 3);
  LateBackend::IsOpen = true;
  // Also what copies bring comes to both.
  const std::vector<float> Twos(N, 2);
  ASSERT_EQ(
      __gridspan_cudaMemcpy(X, Twos.data(), 4 * N, cudaMemcpyHostToDevice),
      cudaSuccess);
  add();
  EXPECT_TRUE(fromDevice(Y, N) == std::vector<float>(N, 5));
  EXPECT_EQ(record().DevicesMax, 2U);
}

TEST_F(LateStreamedTest, LaunchesThatLoseEnoughHaveThemOpened) {
  // A part of the memory takes a sixteenth of the time.
  add(N / 16);
  EXPECT_EQ(fromDevice(Y, 1)[0], 3);
  EXPECT_EQ(LateBackend::Asked, 0);
  add();
  EXPECT_EQ(fromDevice(Y, N)[N - 1], 3);
  EXPECT_GT(LateBackend::Asked, 0);
  EXPECT_EQ(LateBackend::Waited, 0);
  EXPECT_EQ(LateBackend::UsedTooEarly, 0);
}

TEST_F(LateStreamedTest, AChainGoesOnWithDevicesThatOpenMeanwhile) {
  const auto Run = [&](int Steps) {
    std::vector<float> Values(N);
    for (int I = 0; I < N; ++I)
      Values[I] = static_cast<float>(I * 7 % 13);
    for (float *To : {X, Y})
      EXPECT_EQ(__gridspan_cudaMemcpy(To, Values.data(), 4 * N,
                                      cudaMemcpyHostToDevice),
                cudaSuccess);
    for (int I = 0; I < Steps; ++I)
      smooth(I % 2 ? Y : X, I % 2 ? X : Y);
    return fromDevice(X, N);
  };
  constexpr int Steps = 60;
  LateBackend::OpensAfter = 10;
  const std::vector<float> Late = Run(Steps);
  const KernelRecord K = R.kernel("stencil");
  EXPECT_EQ(K.ChainedLaunches, uint64_t(Steps));
  EXPECT_EQ(K.DevicesMax, 2U);
  EXPECT_GT(LateBackend::Asked, 0);
  EXPECT_EQ(LateBackend::Waited, 0);
  EXPECT_EQ(LateBackend::UsedTooEarly, 0);
  EXPECT_TRUE(Late == Run(Steps));
}

TEST_F(LateStreamedTest, ChainsUseDevicesThatOpenedBetweenThem) {
  constexpr int Steps = 20;
  // Returns the bytes that came over the buses for a chain.
  uint64_t Before = 0, Split = 0;
  const auto Run = [&] {
    for (int I = 0; I < Steps; ++I)
      smooth(I % 2 ? Y : X, I % 2 ? X : Y);
    EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
    const KernelRecord K = R.kernel("stencil");
    Split = K.SplitLaunches;
    return K.OutOfCoreBytesIn - std::exchange(Before, K.OutOfCoreBytesIn);
  };
  Run();
  const uint64_t OnOne = Run();
  EXPECT_EQ(Split, 0U);
  LateBackend::IsOpen = true;
  Run();
  // Twice as much stays on two.
  EXPECT_LT(Run(), OnOne * 3 / 4);
  EXPECT_EQ(Split, uint64_t(2 * Steps));
}

TEST_F(LateStreamedTest, TheFirstDoesAllWhereOthersCannotBeOpened) {
  LateBackend::Fails = true;
  for (int I = 0; I < 3; ++I) {
    add();
    EXPECT_EQ(fromDevice(Y, N)[N - 1], static_cast<float>(3 + I));
  }
  EXPECT_EQ(record().DevicesMax, 1U);
  EXPECT_EQ(LateBackend::UsedTooEarly, 0);
}

TEST_F(LateDevicesTest, LaunchesRunOnTheFirstUntilTheOthersAreOpen) {
  float *X = toDevice(std::vector<float>(Few, 1));
  float *Y = toDevice(std::vector<float>(Few, 2));
  add(X, Y, Few);
  add(X, Y, Few);
  EXPECT_TRUE(fromDevice(Y, Few) == std::vector<float>(Few, 4));
  EXPECT_EQ(record().WhyUnsplit, "devices-not-open");
  EXPECT_EQ(record().SplitLaunches, 0U);
  EXPECT_EQ(LateBackend::Waited, 0);
  LateBackend::IsOpen = true;
  // What was decided without them is decided again.
  add(X, Y, Few);
  EXPECT_EQ(record().SplitLaunches, 1U);
  EXPECT_TRUE(fromDevice(Y, Few) == std::vector<float>(Few, 5));
}

TEST_F(LateDevicesTest, TheyAreOpenedWhenLaunchesHaveLostEnough) {
  float *X = toDevice(std::vector<float>(Few, 1));
  float *Y = toDevice(std::vector<float>(Few, 2));
  add(X, Y, Few);
  EXPECT_EQ(LateBackend::Asked, 0);
  for (int I = 0; I != 1000 && LateBackend::Asked == 0; ++I)
    add(X, Y, Few);
  EXPECT_GT(LateBackend::Asked, 0);
  EXPECT_EQ(record().SplitLaunches, 0U);
}

TEST_F(LateTimedDevicesTest, ALongLaunchHasThemOpened) {
  constexpr int N = 1024;
  float *Out = toDevice(std::vector<float>(N, 0));
  LateBackend::StillRuns = true;
  launchTriangular(Out, N);
  EXPECT_GT(LateBackend::Asked, 0);
  EXPECT_EQ(LateBackend::Waited, 0);
}

TEST_F(LateTimedDevicesTest, APredictionThatIsWrongHasThemNotOpened) {
  constexpr int N = 1024;
  float *Out = toDevice(std::vector<float>(N, 0));
  LateBackend::StillRuns = false;
  launchTriangular(Out, N);
  EXPECT_EQ(LateBackend::Asked, 0);
  LateBackend::StillRuns.reset();
  for (int I = 0; I != 4; ++I)
    launchTriangular(Out, N);
  EXPECT_EQ(LateBackend::Asked, 0);
  EXPECT_EQ(R.kernel("triangular").SplitLaunches, 0U);
  EXPECT_EQ(fromDevice(Out, N)[N - 1], N);
}

TEST_F(LateUnreportedTest, LaunchesWithNewArgumentsCountWhatTheyLose) {
  float *X = toDevice(std::vector<float>(Few, 1));
  float *Y = toDevice(std::vector<float>(Few, 0));
  int Launches = 0;
  while (LateBackend::Asked == 0 && Launches != 1000) {
    ASSERT_EQ(launch(fake::saxpy(), Few / 256, 256, 0, nullptr,
                     static_cast<float>(++Launches), X, Y, Few),
              cudaSuccess);
    // What a launch took is known when it ended.
    ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  }
  EXPECT_LT(Launches, 1000);
}

/// What is predicted not to pay is not planned at first, and later by the times
/// of the kernel's other launches.
TEST_F(LateShortLaunchesTest, FirstLaunchesArePlannedLater) {
  float *Long = toDevice(std::vector<float>(Few, 1));
  for (int I = 0; I != 16; ++I) {
    add(Long, Long, Few);
    ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  }
  float *X = toDevice(std::vector<float>(Fewest, 1));
  float *Y = toDevice(std::vector<float>(Fewest, 0));
  EXPECT_GT(std::exchange(LateBackend::Recorded, 0), 0);
  for (int I = 0; I != 100; ++I)
    add(X, Y, I % 2 ? Fewest : Fewest - 256);
  EXPECT_EQ(LateBackend::Recorded, 0);
  for (int I = 0; I != 100; ++I)
    add(X, Y, I % 2 ? Fewest : Fewest - 256);
  EXPECT_GT(LateBackend::Recorded, 0);
  const std::vector<float> Sums = fromDevice(Y, Fewest);
  EXPECT_EQ(Sums.front(), 200);
  EXPECT_EQ(Sums.back(), 100);
}

TEST_F(LateDevicesTest, LargeMemoryHasThemOpened) {
  auto *X = allocateMany();
  EXPECT_GT(LateBackend::Asked, 0);
  EXPECT_EQ(LateBackend::Waited, 0);
  // Its pages are on all devices, and the launch waits for these.
  doubleMany(X);
  EXPECT_EQ(LateBackend::Waited, 1);
  EXPECT_EQ(record().SplitLaunches, 1U);
  expectDoubled(X);
}

TEST_F(LateDevicesTest, LaunchesAreNotSplitWhereOneCannotBeOpened) {
  LateBackend::Fails = true;
  auto *X = allocateMany();
  doubleMany(X);
  expectDoubled(X);
  doubleMany(X);
  EXPECT_EQ(record().SplitLaunches, 0U);
  EXPECT_EQ(record().WhyUnsplit, "devices-not-open");
  expectDoubled(X);
}
