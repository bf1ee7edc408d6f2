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

#include "TestRuntime.h"

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
        std::shared_lock Placed(Runtime::existing()->memory().placement());
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
