//===- PagedContentsTest.cpp - Paged memory from one use to the next ------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever touches memory that devices hold a part of, by whatever entry point,
// finds what was written last, and what it writes is found.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ForwardingBackend.h"
#include "runtime/launch/OutOfBoundsPointers.h"
#include "runtime/outofcore/OutOfCoreExecutor.h"
#include "runtime/report/Progress.h"
#include "test/unit/runtime/TestRuntime.h"
#include <numeric>
#include <set>
#include <thread>

using namespace gridspan;

namespace {

constexpr int W = 512, H = 512;
constexpr size_t Count = size_t(W) * H;

/// Devices that hold one of the buffers of this test.
class PagedContents : public testing::TestWithParam<unsigned> {
protected:
  static constexpr uint64_t DeviceMemory = Count * sizeof(float);

  static float *allocate() {
    void *Out = nullptr;
    EXPECT_EQ(__gridspan_cudaMalloc(&Out, Count * sizeof(float)), cudaSuccess);
    return static_cast<float *>(Out);
  }
  static void stencil(float *Out, const float *In) {
    ASSERT_EQ(launch(fake::stencil(), dim3(W / 32, H / 8), dim3(32, 8), 0,
                     nullptr, Out, In, W, H),
              cudaSuccess);
  }
  /// Has devices hold nothing but frames of other buffers.
  void evict() {
    for (int I = 0; I < 3; ++I)
      stencil(Others[I % 2 ? 0 : 1], Others[I % 2 ? 1 : 0]);
  }
  static std::vector<float> values() {
    std::vector<float> Out(Count);
    for (size_t I = 0; I < Count; ++I)
      Out[I] = static_cast<float>(I * 2654435761u % 1009);
    return Out;
  }
  /// What the stencil makes of such values.
  static std::vector<float> after(const std::vector<float> &In) {
    std::vector<float> Out(Count);
    for (int Y = 0; Y < H; ++Y)
      for (int X = 0; X < W; ++X) {
        const float *At = &In[Y * W + X];
        float Sum = *At;
        Sum += X > 0 ? At[-1] : 0;
        Sum += X + 1 < W ? At[1] : 0;
        Sum += Y > 0 ? At[-W] : 0;
        Sum += Y + 1 < H ? At[W] : 0;
        Out[Y * W + X] = Sum / 5;
      }
    return Out;
  }

  void SetUp() override {
    R = std::make_unique<TestRuntime>(GetParam(), Schedule::Static,
                                      DeviceMemory / 2);
    for (float *&O : Others)
      O = toDevice(std::vector<float>(Count, 1));
  }

  std::unique_ptr<TestRuntime> R;
  float *Others[2];
};

/// A driver whose streams are captured: nobody may wait for them.
class CapturingBackend : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  static inline bool Captures;

  cudaError_t createStream(int Device, StreamKind Kind, int Priority,
                           std::unique_ptr<Stream> &Out) override {
    const cudaError_t Error =
        ForwardingBackend::createStream(Device, Kind, Priority, Out);
    if (!Error && Kind == StreamKind::Blocking)
      Programs.insert(Out.get());
    return Error;
  }
  bool isCapturing(Stream &S) override {
    return Captures && Programs.count(&S);
  }
  cudaError_t synchronize(Stream &S) override {
    return isCapturing(S) ? cudaErrorStreamCaptureUnsupported
                          : ForwardingBackend::synchronize(S);
  }
  cudaError_t query(Stream &S) override {
    return isCapturing(S) ? cudaErrorStreamCaptureUnsupported
                          : ForwardingBackend::query(S);
  }

private:
  std::set<Stream *> Programs;
};

/// Devices that are full, and whose copies fail once a kernel has run.
class FullBackend : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  static inline bool Full;

  cudaError_t createPages(Location Where, size_t Bytes,
                          std::unique_ptr<Pages> &Out) override {
    return Full && Where != Host
               ? cudaErrorMemoryAllocation
               : ForwardingBackend::createPages(Where, Bytes, Out);
  }
  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override {
    Ran = true;
    return ForwardingBackend::launch(S, Target, Shape, Args, Tile);
  }
  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   size_t Bytes) override {
    return Full && Ran ? cudaErrorUnknown
                       : ForwardingBackend::copy(S, Dst, Src, Bytes);
  }

private:
  bool Ran = false;
};

INSTANTIATE_TEST_SUITE_P(Devices, PagedContents, testing::Values(1u, 2u, 3u));

} // namespace

TEST_P(PagedContents, AreKeptWhenAReaderHadThemSaved) {
  const std::vector<float> First = values(), Second = after(First);
  float *In = toDevice(First);
  std::vector<float> Host(Count);
  using Reader = std::function<void(float *)>;
  const Reader Readers[] = {
      [](float *) {}, // none
      [](float *From) {
        float *To = allocate();
        ASSERT_EQ(__gridspan_cudaMemcpy(To, From, 4 * Count, cudaMemcpyDefault),
                  cudaSuccess);
      },
      [&](float *From) {
        ASSERT_EQ(__gridspan_cudaMemcpy2D(Host.data(), 4 * W, From, 4 * W,
                                          4 * W, H, cudaMemcpyDefault),
                  cudaSuccess);
        EXPECT_EQ(Host, Second);
      },
      [](float *) {
        PlacementReader Placement(
            Runtime::existing()->memory().placementLock());
        ASSERT_EQ(Runtime::existing()->memory().accessEverything(false),
                  cudaSuccess);
      }};
  for (size_t I = 0; I < std::size(Readers); ++I) {
    SCOPED_TRACE(I);
    // Nothing but a launch has written it.
    float *Mid = allocate(), *Out = allocate();
    stencil(Mid, In);
    Readers[I](Mid);
    evict();
    stencil(Out, Mid);
    EXPECT_TRUE(fromDevice(Out, Count) == after(Second));
  }
}

TEST_P(PagedContents, CopiesAndFillsDoNotWaitForTheHostForever) {
  R->losePatience();
  const std::vector<float> First = values();
  float *In = toDevice(First), *Mid = allocate(), *Out = allocate();
  stencil(Mid, In);
  cudaStream_t S = nullptr;
  ASSERT_EQ(__gridspan_cudaStreamCreate(&S), cudaSuccess);
  Gate Held;
  Held.close(S);
  const size_t Half = 2 * Count;
  ASSERT_EQ(
      __gridspan_cudaMemcpyAsync(Out, Mid, 4 * Count, cudaMemcpyDefault, S),
      cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMemsetAsync(Out, 0, Half, S), cudaSuccess);
  // It is in the stream's order: nothing has happened yet.
  Held.open();
  ASSERT_EQ(__gridspan_cudaStreamSynchronize(S), cudaSuccess);
  std::vector<float> Expected = after(First);
  std::fill_n(Expected.begin(), Count / 2, 0.0f);
  EXPECT_TRUE(fromDevice(Out, Count) == Expected);
  stencil(Mid, Out);
  EXPECT_TRUE(fromDevice(Mid, Count) == after(Expected));
  EXPECT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess);
}

TEST_P(PagedContents, CapturedCopiesAndFillsWaitForNothing) {
  R->wrapBackend<CapturingBackend>();
  const std::vector<float> First = values();
  float *In = toDevice(First), *Mid = allocate(), *Out = allocate();
  stencil(Mid, In);
  cudaStream_t S = nullptr;
  ASSERT_EQ(__gridspan_cudaStreamCreate(&S), cudaSuccess);
  CapturingBackend::Captures = true;
  EXPECT_EQ(
      __gridspan_cudaMemcpyAsync(Out, Mid, 4 * Count, cudaMemcpyDefault, S),
      cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMemsetAsync(Out, 0, 2 * Count, S), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMemcpy2DAsync(In, 8, Out, 8, 4, Count / 2,
                                         cudaMemcpyDefault, S),
            cudaSuccess);
  CapturingBackend::Captures = false;
  // These streams run what they capture.
  ASSERT_EQ(__gridspan_cudaStreamSynchronize(S), cudaSuccess);
  std::vector<float> Expected = after(First);
  std::fill_n(Expected.begin(), Count / 2, 0.0f);
  EXPECT_TRUE(fromDevice(Out, Count) == Expected);
  for (size_t I = 1; I < Count; I += 2)
    Expected[I] = First[I];
  EXPECT_TRUE(fromDevice(In, Count) == Expected);
  EXPECT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess);
}

TEST_P(PagedContents, AreGoodAfterALaunchThatFailedOnPagesOfTheHost) {
  R->withoutChains();
  R->wrapBackend<FullBackend>();
  for (float *&O : Others)
    O = toDevice(std::vector<float>(Count, 1));
  const float *In = Others[0];
  float *Out = Others[1];
  auto Add = [&] {
    return launch(fake::saxpy(), Count / 256, 256, 0, nullptr, 1.0f, In, Out,
                  int(Count));
  };
  FullBackend::Full = true;
  EXPECT_NE(Add(), cudaSuccess);
  FullBackend::Full = false;
  (void)__gridspan_cudaGetLastError();
  // Blocks have run, or not.
  const std::vector<float> Now = fromDevice(Out, Count);
  EXPECT_EQ(std::count(Now.begin(), Now.end(), 1.0f) +
                std::count(Now.begin(), Now.end(), 2.0f),
            ptrdiff_t(Count));
  ASSERT_EQ(Add(), cudaSuccess);
  std::vector<float> Expected = Now;
  for (float &F : Expected)
    F += 1;
  EXPECT_TRUE(fromDevice(Out, Count) == Expected);
}

TEST_P(PagedContents, AreFoundByPointersBesideThem) {
  const std::vector<float> First = values();
  float *In = toDevice(First), *Mid = allocate(), *Out = allocate();
  std::vector<int> Numbers(Count);
  std::iota(Numbers.begin(), Numbers.end(), 1);
  int *FromOne = toDevice(Numbers);
  for (int Round = 0; Round < 2; ++Round) {
    stencil(Mid, In);
    ASSERT_EQ(launch(fake::gather(), Count / 256, 256, 0, nullptr,
                     static_cast<const int *>(FromOne),
                     static_cast<const float *>(Mid - 1), Out, int(Count)),
              cudaSuccess);
    EXPECT_TRUE(fromDevice(Out, Count) == after(First));
  }
  const KernelRecord K = R->kernel("gather");
  ASSERT_EQ(K.InPlace.size(), 1U);
  EXPECT_EQ(K.InPlace[0].Param, -1);
  EXPECT_EQ(K.InPlace[0].Why, LaunchReason::PointerOutside);
}

TEST_P(PagedContents, ALaunchWithoutAPlanIsAnError) {
  Backend &B = Runtime::existing()->backend();
  Progress Line = Progress::onStderr(false);
  OutOfCoreExecutor Executor(B, Runtime::existing()->memory().pager(), Line, 0);
  const LaunchShape Shape;
  const auto S =
      Runtime::existing()->streams().find(nullptr, DefaultStream::Legacy);
  ASSERT_TRUE(S);
  const LaunchRequest Request = {{}, Shape, nullptr, **S};
  const std::vector<PlacedPointer> None;
  EXPECT_EQ(Executor.run({}, {}, {}, {}, {{Request, None}}).Error,
            cudaErrorLaunchOutOfResources);
}

TEST_P(PagedContents, RangesSayWherePointersLead) {
  float *A = allocate(), *B = allocate();
  MemoryManager &Memory = Runtime::existing()->memory();
  Backend &Devices = Runtime::existing()->backend();
  static GridspanRange Range;
  GridspanKernel K = fake::triangular(); // (float *out, int n)
  K.Ranges = [](const GridspanBox *, GridspanRange *Out) { *Out = Range; };
  auto Reaches = [&](void *Pointer, int64_t Lo, int64_t Bytes, uint32_t State) {
    Range = {Lo, Bytes, 0, 1, 0, 1, State, 0};
    int N = 1;
    void *Args[] = {&Pointer, &N};
    PlanInput In;
    In.Kernel = &K;
    In.Box = {Args, {1, 1, 1}, {1, 1, 1}, {}, {1, 1, 1}};
    In.Pointers = {{0, 0}};
    return mayReachOtherPaged(In, {Memory.find(Pointer)}, Memory, Devices);
  };
  const int64_t Size = 4 * Count;
  float *const Outside = A < B ? A - 1 : B - 1;
  float *const Lower = Outside + 1;
  const auto Exact = GridspanRangeExact, May = GridspanRangeMay;
  EXPECT_FALSE(Reaches(A, 0, Size, Exact));
  EXPECT_FALSE(Reaches(A, 0, Size, GridspanRangeUnknown));
  ASSERT_EQ(Memory.find(Outside), nullptr);
  EXPECT_TRUE(Reaches(Outside, 4, Size, Exact));
  EXPECT_TRUE(Reaches(Outside, 4, 4, May));
  EXPECT_TRUE(Reaches(Outside, 0, 0, GridspanRangeUnknown));
  EXPECT_FALSE(Reaches(Outside, 0, 4, Exact));
  // From one allocation into the other.
  const int64_t Between = std::abs(A - B) * 4;
  EXPECT_TRUE(Reaches(Lower, Between, 4, May));
  EXPECT_TRUE(Reaches(Lower, 0, Between + 4, Exact));
  EXPECT_FALSE(Reaches(Lower, 0, Between + 4, May)); // perhaps too wide
  EXPECT_FALSE(Reaches(Lower, -4, 8, Exact));        // into nothing
  // Memory that the devices know is not beside ours.
  void *Pinned = nullptr;
  ASSERT_EQ(__gridspan_cudaMallocHost(&Pinned, 64), cudaSuccess);
  EXPECT_FALSE(Reaches(Pinned, 0, 0, GridspanRangeUnknown));
  EXPECT_EQ(__gridspan_cudaFreeHost(Pinned), cudaSuccess);
}
