//===- TextureTest.cpp - Texture objects of all GPUs ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects that the CUDA runtime made on device 0, and what each other device
// reads by its own object.
//
//===----------------------------------------------------------------------===//

#include "test/gpu/GpuTest.h"
#include <cuda_runtime_api.h>
#include <utility>

using namespace gridspan;

namespace {

constexpr unsigned W = 64, H = 32;

class GpuTextureTest : public GpuTest {
protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped())
      return;
    if (numDevices() < 2)
      GTEST_SKIP() << "one device";
    // The context of device 0 becomes current, if none is.
    ASSERT_OK(backend().synchronize(stream(0)));
  }
  void TearDown() override {
    if (Texture)
      EXPECT_OK(cudaDestroyTextureObject(Texture));
  }

  static std::vector<float> numbers(unsigned Count, float First) {
    std::vector<float> Out(Count);
    for (unsigned I = 0; I != Count; ++I)
      Out[I] = First + static_cast<float>(I * 7 % 101);
    return Out;
  }

  void create(const cudaResourceDesc &Resource, bool Normalized = false) {
    cudaTextureDesc Desc = {};
    Desc.addressMode[0] = Desc.addressMode[1] = cudaAddressModeClamp;
    Desc.normalizedCoords = Normalized;
    Desc.maxMipmapLevelClamp = 1;
    ASSERT_OK(cudaCreateTextureObject(&Texture, &Resource, &Desc, nullptr));
  }

  /// Returns what Device reads by Handle.
  std::vector<float> read(int Device, cudaTextureObject_t Handle,
                          unsigned Kind) {
    SpreadRange Range(backend());
    Range.create({Device}, 1);
    void *Out = Range.bytes();
    unsigned Width = W, Height = H;
    EXPECT_OK(launch(stream(Device), LookUpKernel, dim3(W * H / 64), dim3(64),
                     {&Handle, &Out, &Kind, &Width, &Height}));
    std::vector<float> Host(W * H, -1);
    EXPECT_OK(backend().copy(stream(Device), Host.data(), Out,
                             W * H * sizeof(float)));
    EXPECT_OK(backend().synchronize(stream(Device)));
    return Host;
  }

  /// Compares what the other devices read with device 0, before and after
  /// Change, which writes the array.
  template <typename Function>
  void compareArrays(unsigned Kind, Function Change) {
    struct Copy {
      std::unique_ptr<ArrayCopy> Array;
      std::unique_ptr<TextureCopy> Texture;
    };
    std::vector<Copy> Copies(numDevices());
    for (int Round = 0; Round != 2; ++Round) {
      const std::vector<float> Expected = read(0, Texture, Kind);
      for (int D = 1; D != static_cast<int>(numDevices()); ++D) {
        Copy &C = Copies[D];
        if (!C.Array)
          ASSERT_OK(backend().createArray(D, Texture, C.Array));
        ASSERT_OK(backend().copyArray(stream(D), *C.Array, Texture));
        if (!C.Texture)
          ASSERT_OK(
              backend().createTexture(D, Texture, C.Array.get(), C.Texture));
        EXPECT_EQ(read(D, C.Texture->handle(), Kind), Expected)
            << "device " << D << ", round " << Round;
      }
      Change();
    }
  }

  cudaTextureObject_t Texture = 0;
  const cudaChannelFormatDesc Float = {32, 0, 0, 0, cudaChannelFormatKindFloat};
};

/// Writes a level, or an array, as a plane.
void write(cudaArray_t Array, unsigned Width, unsigned Height,
           const std::vector<float> &Texels) {
  ASSERT_OK(cudaMemcpy2DToArray(Array, 0, 0, Texels.data(), Width * 4ULL,
                                Width * 4ULL, Height, cudaMemcpyHostToDevice));
  ASSERT_OK(cudaDeviceSynchronize());
}

TEST_F(GpuTextureTest, PlanesAreCopied) {
  cudaArray_t Array = nullptr;
  ASSERT_OK(cudaMallocArray(&Array, &Float, W, H, 0));
  write(Array, W, H, numbers(W * H, 1));
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeArray;
  R.res.array.array = Array;
  ASSERT_NO_FATAL_FAILURE(create(R));
  EXPECT_EQ(read(0, Texture, 0), numbers(W * H, 1));
  compareArrays(0, [&] { write(Array, W, H, numbers(W * H, 1000)); });
  EXPECT_OK(cudaFreeArray(Array));
}

TEST_F(GpuTextureTest, LayersAreCopied) {
  cudaArray_t Array = nullptr;
  ASSERT_OK(cudaMalloc3DArray(&Array, &Float, {W, H, 2}, cudaArrayLayered));
  auto Write = [&](float First) {
    std::vector<float> Texels = numbers(2 * W * H, First);
    cudaMemcpy3DParms P = {};
    P.srcPtr = {Texels.data(), W * sizeof(float), W, H};
    P.dstArray = Array;
    P.extent = {W, H, 2};
    P.kind = cudaMemcpyHostToDevice;
    ASSERT_OK(cudaMemcpy3D(&P));
    ASSERT_OK(cudaDeviceSynchronize());
  };
  Write(3);
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeArray;
  R.res.array.array = Array;
  ASSERT_NO_FATAL_FAILURE(create(R));
  compareArrays(1, [&] { Write(500); });
  EXPECT_OK(cudaFreeArray(Array));
}

TEST_F(GpuTextureTest, LevelsAreCopied) {
  cudaMipmappedArray_t Mipmap = nullptr;
  ASSERT_OK(cudaMallocMipmappedArray(&Mipmap, &Float, {W, H, 0}, 2, 0));
  cudaArray_t Levels[2] = {};
  for (unsigned I = 0; I != 2; ++I) {
    ASSERT_OK(cudaGetMipmappedArrayLevel(&Levels[I], Mipmap, I));
    write(Levels[I], W >> I, H >> I,
          numbers(W * H, 100.0f * static_cast<float>(I)));
  }
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeMipmappedArray;
  R.res.mipmap.mipmap = Mipmap;
  ASSERT_NO_FATAL_FAILURE(create(R, true));
  compareArrays(2,
                [&] { write(Levels[1], W / 2, H / 2, numbers(W * H, 900)); });
  EXPECT_OK(cudaFreeMipmappedArray(Mipmap));
}

TEST_F(GpuTextureTest, MemoryIsReadWhereItIs) {
  if (!backend().system().allReachAll())
    GTEST_SKIP() << "devices do not reach each other's memory";
  for (int Home = 0; Home != static_cast<int>(numDevices()); ++Home) {
    SpreadRange Range(backend());
    ASSERT_NO_FATAL_FAILURE(Range.create({Home}, 1));
    cudaResourceDesc R = {};
    R.resType = cudaResourceTypeLinear;
    R.res.linear.devPtr = Range.bytes();
    R.res.linear.desc = Float;
    R.res.linear.sizeInBytes = W * H * sizeof(float);
    ASSERT_NO_FATAL_FAILURE(create(R));
    std::vector<std::unique_ptr<TextureCopy>> Copies(numDevices());
    for (float First : {2.0f, 800.0f}) {
      const std::vector<float> Texels = numbers(W * H, First);
      ASSERT_OK(backend().copy(stream(0), Range.bytes(), Texels.data(),
                               W * H * sizeof(float)));
      ASSERT_OK(backend().synchronize(stream(0)));
      EXPECT_EQ(read(0, Texture, 3), Texels) << "pages on " << Home;
      for (int D = 1; D != static_cast<int>(numDevices()); ++D) {
        if (!Copies[D])
          ASSERT_OK(backend().createTexture(D, Texture, nullptr, Copies[D]));
        EXPECT_EQ(read(D, Copies[D]->handle(), 3), Texels)
            << "device " << D << ", pages on " << Home;
      }
    }
    Copies.clear();
    EXPECT_OK(cudaDestroyTextureObject(std::exchange(Texture, 0)));
  }
}

TEST_F(GpuTextureTest, AnObjectOfMemoryHasNoArray) {
  SpreadRange Range(backend());
  ASSERT_NO_FATAL_FAILURE(Range.create({0}, 1));
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeLinear;
  R.res.linear.devPtr = Range.bytes();
  R.res.linear.desc = Float;
  R.res.linear.sizeInBytes = W * sizeof(float);
  ASSERT_NO_FATAL_FAILURE(create(R));
  std::unique_ptr<ArrayCopy> Array;
  EXPECT_EQ(backend().createArray(1, Texture, Array), cudaErrorInvalidValue);
  EXPECT_FALSE(Array);
  EXPECT_OK(cudaDestroyTextureObject(std::exchange(Texture, 0)));
}

} // namespace
