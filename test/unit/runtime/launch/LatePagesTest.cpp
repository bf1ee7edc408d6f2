//===- LatePagesTest.cpp - Pages that move when devices are open ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two devices like those of a real machine, a thousandth as fast, of which the
// second one is open some launches after it was asked for. Nothing runs; what
// launches take is made up. The program steps a stencil with two buffers that
// were allocated while the first device alone was there.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ForwardingBackend.h"
#include "test/unit/runtime/TestRuntime.h"
#include <map>

using namespace gridspan;

namespace {

class MadeUpBackend : public ForwardingBackend {
public:
  explicit MadeUpBackend(std::unique_ptr<Backend> Inner)
      : ForwardingBackend(std::move(Inner)) {
    Info = ForwardingBackend::system();
    Info.TimesTell = true;
    for (DeviceInfo &D : Info.Devices) {
      D.InstructionRate = 3.3e10;
      D.MemoryBandwidth = 4e9;
    }
    Info.PeerBandwidth = {{4e9, 3.8e8}, {3.8e8, 4e9}};
    Info.FanOutSeconds[2] = 8e-6;
    Info.PageMoveSeconds = 1e-4;
    Launched = AskedAt = FirstSplit = 0;
    IsSplit.clear();
  }
  const SystemInfo &system() const override { return Info; }
  bool isReady() const override { return AskedAt && Launched > AskedAt + 300; }
  void prepare() override {
    if (!AskedAt)
      AskedAt = Launched;
  }
  cudaError_t launch(Stream &S, const LaunchTarget &, const LaunchShape &Shape,
                     void *const *, const GridspanTile *Tile) override {
    IsPart = Tile &&
             (Tile->Grid[0] != Shape.Grid.x || Tile->Grid[1] != Shape.Grid.y);
    if (S.device() != 0)
      return cudaSuccess;
    ++Launched;
    if (IsPart && !FirstSplit)
      FirstSplit = Launched;
    return cudaSuccess;
  }
  cudaError_t record(Event &E, Stream &S) override {
    IsSplit[&E] = IsPart;
    return ForwardingBackend::record(E, S);
  }
  cudaError_t elapsed(Event &, Event &To, float &Ms) override {
    Ms = IsSplit[&To] ? 0.5F : 1.0F;
    return cudaSuccess;
  }
  static inline int Launched, AskedAt, FirstSplit;

private:
  SystemInfo Info;
  bool IsPart = false;
  std::map<const Event *, bool> IsSplit;
};

class LatePagesTest : public testing::Test {
protected:
  static constexpr int Width = 512;
  static constexpr size_t Bytes = sizeof(float) * Width * Width;

  void SetUp() override {
    R.countNoBytes();
    R.wrapBackend<MadeUpBackend>();
    for (float *&Field : Fields) {
      void *Out = nullptr;
      ASSERT_EQ(__gridspan_cudaMalloc(&Out, Bytes), cudaSuccess);
      Field = static_cast<float *>(Out);
    }
  }
  void step(int Steps) {
    for (int I = 0; I != Steps; ++I) {
      ASSERT_EQ(launch(fake::stencil(), dim3(Width / 16, Width / 16),
                       dim3(16, 16), 0, nullptr, Fields[1],
                       static_cast<const float *>(Fields[0]), Width, Width),
                cudaSuccess);
      std::swap(Fields[0], Fields[1]);
    }
  }

  TestRuntime R{2, Schedule::Auto};
  float *Fields[2] = {};
};

} // namespace

// What launches lose by where their pages are opens devices, before the moves
// are paid for.
TEST_F(LatePagesTest, LossesByPlacesOfPagesOpenDevices) {
  // How many launches it takes depends on what plans take on this machine.
  for (int I = 0; I != 20000 && !MadeUpBackend::AskedAt; ++I)
    step(1);
  EXPECT_GT(MadeUpBackend::AskedAt, 0);
  EXPECT_EQ(MadeUpBackend::FirstSplit, 0);
  EXPECT_EQ(R.kernel("stencil").SplitLaunches, 0U);
}

// What was lost until they are open counts for the moves.
TEST_F(LatePagesTest, PagesMoveWhenDevicesAreOpen) {
  step(1500);
  EXPECT_GT(MadeUpBackend::FirstSplit, MadeUpBackend::AskedAt);
  const KernelRecord Stencil = R.kernel("stencil");
  EXPECT_GT(Stencil.SplitLaunches, 300u);
  // Rows, whose pages can be apart.
  unsigned Splits = 0;
  for (const MeasuredDivision &M : Stencil.Measured)
    if (M.Devices == 2) {
      ++Splits;
      EXPECT_EQ(M.Axis, 1u);
    }
  EXPECT_GT(Splits, 0u);
}
