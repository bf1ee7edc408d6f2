//===- CpuTextureTest.cpp - Lookups of textures ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Levels, faces, layers and formats, against values worked out by hand from the
// formulas of the CUDA C++ Programming Guide. test/e2e/textures has address
// modes and filters.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/CpuTexture.h"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

/// A texture of floats with levels of the given widths, each of which has one
/// value everywhere.
struct Levels {
  std::vector<std::vector<float>> Data;
  CpuTexture T;

  explicit Levels(const std::vector<float> &Values) {
    T.Format = {TexelFormat::Number::Float, 32, 1};
    T.Desc.normalizedCoords = 1;
    T.Desc.maxMipmapLevelClamp = 1000;
    uint32_t Width = 1U << (Values.size() - 1);
    for (float Value : Values) {
      Data.emplace_back(size_t(Width) * Width, Value);
      TexelGrid G;
      G.Data = reinterpret_cast<std::byte *>(Data.back().data());
      G.Width = G.Height = Width;
      G.Pitch = Width * sizeof(float);
      G.SlicePitch = G.Pitch * Width;
      T.Levels.push_back(G);
      Width = std::max(1U, Width / 2);
    }
  }
};

float read(const CpuTexture &T, const TexturePoint &P, unsigned Channel = 0) {
  return std::bit_cast<float>(T.read(P)[Channel]);
}

TexturePoint level(float Level) {
  TexturePoint P;
  P.Shape = TextureShape::Plane;
  P.Lookup = TextureLookup::Level;
  P.At[0] = P.At[1] = 0.5F;
  P.Dx[0] = Level;
  return P;
}

} // namespace

TEST(CpuTexture, LevelsAreTheNearestOrMixed) {
  Levels L({10, 20, 40});
  L.T.Desc.mipmapFilterMode = cudaFilterModePoint;
  EXPECT_EQ(read(L.T, level(0)), 10);
  EXPECT_EQ(read(L.T, level(0.4F)), 10);
  EXPECT_EQ(read(L.T, level(0.6F)), 20);
  EXPECT_EQ(read(L.T, level(9)), 40);
  EXPECT_EQ(read(L.T, level(-1)), 10);
  L.T.Desc.mipmapFilterMode = cudaFilterModeLinear;
  EXPECT_EQ(read(L.T, level(0.5F)), 15);
  EXPECT_EQ(read(L.T, level(1.25F)), 25);
  L.T.Desc.mipmapLevelBias = 1;
  EXPECT_EQ(read(L.T, level(0.5F)), 30);
  L.T.Desc.maxMipmapLevelClamp = 1;
  EXPECT_EQ(read(L.T, level(0.5F)), 20);
  L.T.Desc.minMipmapLevelClamp = 1;
  EXPECT_EQ(read(L.T, level(-5)), 20);
}

TEST(CpuTexture, TheLongerDerivativeChoosesTheLevel) {
  Levels L({10, 20, 40}); // four elements wide
  TexturePoint P = level(0);
  P.Lookup = TextureLookup::Gradient;
  P.Dx[0] = 0.25F; // one element
  P.Dy[1] = 0.5F;  // two
  EXPECT_EQ(read(L.T, P), 20);
  P.Dy[1] = 1;
  EXPECT_EQ(read(L.T, P), 40);
  P.Dy[1] = 0;
  EXPECT_EQ(read(L.T, P), 10);
}

TEST(CpuTexture, FacesOfACube) {
  std::vector<float> Data(6 * 4);
  for (size_t I = 0; I != Data.size(); ++I)
    Data[I] = static_cast<float>(I / 4 * 10 + I % 4);
  CpuTexture T;
  T.Format = {TexelFormat::Number::Float, 32, 1};
  T.Desc.normalizedCoords = 1;
  T.Levels.push_back(
      {reinterpret_cast<std::byte *>(Data.data()), 8, 16, 2, 2, 6});
  const auto At = [&](float X, float Y, float Z) {
    TexturePoint P;
    P.Shape = TextureShape::Cube;
    P.At[0] = X;
    P.At[1] = Y;
    P.At[2] = Z;
    return read(T, P);
  };
  // (s, t) = (-z, -y), (z, -y), (x, z), (x, -z), (x, -y), (-x, -y).
  EXPECT_EQ(At(1, 0.5F, 0.5F), 0);
  EXPECT_EQ(At(1, -0.5F, -0.5F), 3);
  EXPECT_EQ(At(-1, 0.5F, 0.5F), 11);
  EXPECT_EQ(At(0.5F, 1, -0.5F), 21);
  EXPECT_EQ(At(0.5F, -1, -0.5F), 33);
  EXPECT_EQ(At(-0.5F, -0.5F, 1), 42);
  EXPECT_EQ(At(-0.5F, 0.5F, -1), 51);
}

TEST(CpuTexture, LayersAreClampedAndNotFiltered) {
  std::vector<float> Data = {1, 2, 3, 4, 5, 6};
  CpuTexture T;
  T.Format = {TexelFormat::Number::Float, 32, 1};
  T.Desc.filterMode = cudaFilterModeLinear;
  for (cudaTextureAddressMode &Mode : T.Desc.addressMode)
    Mode = cudaAddressModeClamp;
  T.Levels.push_back(
      {reinterpret_cast<std::byte *>(Data.data()), 8, 8, 2, 1, 3});
  TexturePoint P;
  P.Shape = TextureShape::Lines;
  P.At[0] = 1;
  for (const auto &[Layer, Value] :
       {std::pair(0, 1.5F), {1, 3.5F}, {2, 5.5F}, {7, 5.5F}, {-1, 1.5F}}) {
    P.Integer = Layer;
    EXPECT_EQ(read(T, P), Value) << Layer;
  }
}

TEST(CpuTexture, FormatsBecomeFloats) {
  const uint16_t Raw[] = {0x8000, 0x7fff, 0xffff, 0x3c00};
  CpuTexture T;
  T.Levels.push_back(
      {reinterpret_cast<std::byte *>(const_cast<uint16_t *>(Raw)), 8, 8, 1});
  T.Desc.readMode = cudaReadModeNormalizedFloat;
  TexturePoint P;
  T.Format = {TexelFormat::Number::Signed, 16, 4};
  EXPECT_EQ(read(T, P, 0), -1);
  EXPECT_EQ(read(T, P, 1), 1);
  T.Format = {TexelFormat::Number::Unsigned, 16, 4};
  EXPECT_EQ(read(T, P, 2), 1);
  T.Format = {TexelFormat::Number::Float, 16, 4};
  EXPECT_EQ(read(T, P, 3), 1);
  T.Format = {TexelFormat::Number::Unsigned, 8, 4};
  T.Desc.sRGB = 1;
  EXPECT_NEAR(read(T, P, 1), 0.2158605F, 1e-6F); // of 128 / 255
  EXPECT_NEAR(read(T, P, 3), 127.0F / 255, 1e-6F);
}

TEST(CpuTexture, InlineConversionsAreThoseOfAllFormats) {
  const float Floats[] = {1.5F, -2, 1e30F, 0.25F};
  const uint8_t Bytes[] = {0, 1, 128, 255};
  using Number = TexelFormat::Number;
  const auto Same = [](const TexelFormat &F, bool IsSrgb, const void *Data) {
    const auto *Texel = static_cast<const std::byte *>(Data);
    const TexelFloats A = texelFloats(F, IsSrgb, Texel);
    const TexelFloats B = convertTexel(F, IsSrgb, Texel);
    return std::bit_cast<TexelWords>(A) == std::bit_cast<TexelWords>(B);
  };
  for (unsigned Channels : {1U, 2U, 4U}) {
    EXPECT_TRUE(Same({Number::Float, 32, Channels}, false, Floats));
    EXPECT_TRUE(Same({Number::Unsigned, 8, Channels}, false, Bytes));
    EXPECT_TRUE(Same({Number::Normalized, 8, Channels}, false, Bytes));
    EXPECT_TRUE(Same({Number::Normalized, 8, Channels}, true, Bytes));
  }
}

TEST(CpuTexture, CoordinatesFarOutsideAndNoNumbers) {
  std::vector<float> Data = {1, 2, 3, 4};
  CpuTexture T;
  T.Format = {TexelFormat::Number::Float, 32, 1};
  T.Desc.addressMode[0] = cudaAddressModeClamp;
  T.Levels.push_back({reinterpret_cast<std::byte *>(Data.data()), 16, 16, 4});
  TexturePoint P;
  for (cudaTextureFilterMode Mode :
       {cudaFilterModePoint, cudaFilterModeLinear}) {
    T.Desc.filterMode = Mode;
    for (const auto &[X, Value] : {std::pair(-0.25F, 1.0F),
                                   {-3e9F, 1.0F},
                                   {3e9F, 4.0F},
                                   {16777218.0F, 4.0F},
                                   {-HUGE_VALF, 1.0F},
                                   {HUGE_VALF, 4.0F},
                                   {NAN, 1.0F}}) {
      P.At[0] = X;
      EXPECT_EQ(read(T, P), Value) << X;
    }
  }
}

TEST(CpuTexture, FormatsThatArraysCannotHave) {
  const auto Float = cudaChannelFormatKindFloat;
  EXPECT_FALSE(texelFormat({8, 0, 0, 0, Float}));
  EXPECT_FALSE(texelFormat({32, 32, 32, 0, Float}));
  EXPECT_FALSE(texelFormat({32, 16, 0, 0, Float}));
  EXPECT_FALSE(texelFormat({0, 32, 0, 0, Float}));
  EXPECT_FALSE(texelFormat({0, 0, 0, 0, Float}));
  EXPECT_TRUE(texelFormat({16, 16, 0, 0, Float}));
  EXPECT_EQ(texelFormat({8, 8, 8, 8, cudaChannelFormatKindUnsigned})->bytes(),
            4U);
}

TEST(CpuTexture, PlacesOutsideOfASurface) {
  std::byte Data[32];
  CpuSurface S;
  S.Format = {TexelFormat::Number::Unsigned, 32, 1};
  S.Grid = {Data, 16, 32, 4, 2, 1};
  const auto Zero = SurfaceBoundary::Zero;
  EXPECT_EQ(S.at(12, 1, 0, 4, Zero), Data + 28);
  EXPECT_EQ(S.at(13, 1, 0, 4, Zero), nullptr);
  EXPECT_EQ(S.at(0, 2, 0, 4, Zero), nullptr);
  EXPECT_EQ(S.at(0, 0, -1, 4, SurfaceBoundary::Trap), nullptr);
  EXPECT_EQ(S.at(99, 99, 99, 4, SurfaceBoundary::Clamp), Data + 28);
  EXPECT_EQ(S.at(-4, -1, 0, 8, SurfaceBoundary::Clamp), Data);
}
