//===- CpuTexture.cpp - Textures and surfaces of CPU devices --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lookup is made axis by axis: the address mode folds a coordinate into the
// texture, and the filter makes one or two indices and a weight of it. Weights
// have eight bits of fraction, rounded to the nearest, so that 1 is one of
// them. An index of a border is -1.
//
// Source: CUDA C++ Programming Guide, "Texture Fetching"; "Cubemap Textures"
// for the faces. What the guide leaves open: levels are chosen by the longer
// derivative, as in OpenGL; anisotropic filters are linear.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/CpuTexture.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <cuda_fp16.h>

namespace gridspan {

namespace {

using Float4 = std::array<float, 4>;

/// One or two indices along an axis, and the weight of the second.
struct Axis {
  int64_t First = 0;
  int64_t Second = 0;
  float Weight = 0;
};

} // namespace

std::optional<TexelFormat> texelFormat(const cudaChannelFormatDesc &Desc) {
  using Number = TexelFormat::Number;
  TexelFormat Out;
  switch (Desc.f) {
  case cudaChannelFormatKindSigned:
    Out.Kind = Number::Signed;
    break;
  case cudaChannelFormatKindUnsigned:
    Out.Kind = Number::Unsigned;
    break;
  case cudaChannelFormatKindFloat:
    Out.Kind = Number::Float;
    break;
  case cudaChannelFormatKindUnsignedNormalized8X1:
  case cudaChannelFormatKindUnsignedNormalized8X2:
  case cudaChannelFormatKindUnsignedNormalized8X4:
  case cudaChannelFormatKindUnsignedNormalized16X1:
  case cudaChannelFormatKindUnsignedNormalized16X2:
  case cudaChannelFormatKindUnsignedNormalized16X4:
    Out.Kind = Number::Normalized;
    break;
  case cudaChannelFormatKindSignedNormalized8X1:
  case cudaChannelFormatKindSignedNormalized8X2:
  case cudaChannelFormatKindSignedNormalized8X4:
  case cudaChannelFormatKindSignedNormalized16X1:
  case cudaChannelFormatKindSignedNormalized16X2:
  case cudaChannelFormatKindSignedNormalized16X4:
    Out.Kind = Number::SignedNormalized;
    break;
  default:
    return std::nullopt;
  }
  const int Bits[] = {Desc.x, Desc.y, Desc.z, Desc.w};
  while (Out.Channels != 4 && Bits[Out.Channels])
    ++Out.Channels;
  for (unsigned I = 0; I != 4; ++I)
    if (Bits[I] != (I < Out.Channels ? Bits[0] : 0))
      return std::nullopt;
  Out.Bits = static_cast<unsigned>(Bits[0]);
  const bool IsWidth = Out.Bits == 8 || Out.Bits == 16 || Out.Bits == 32;
  if (!IsWidth || Out.Channels == 3 ||
      (Out.Kind == Number::Float && Out.Bits == 8))
    return std::nullopt;
  return Out;
}

//===--- Elements ---------------------------------------------------------===//

/// Returns the channel's bits, in the lower part.
static uint32_t loadChannel(const std::byte *Texel, unsigned Bits,
                            unsigned Channel) {
  uint32_t Out = 0;
  std::memcpy(&Out, Texel + Channel * (Bits / 8), Bits / 8);
  return Out;
}

static int32_t signExtend(uint32_t Value, unsigned Bits) {
  return static_cast<int32_t>(Value << (32 - Bits)) >> (32 - Bits);
}

static float fromSrgb(float X) {
  return X <= 0.04045F ? X / 12.92F : std::pow((X + 0.055F) / 1.055F, 2.4F);
}

/// Returns true if lookups give floats.
static bool givesFloats(const CpuTexture &T) {
  using Number = TexelFormat::Number;
  const bool IsInteger =
      T.Format.Kind == Number::Signed || T.Format.Kind == Number::Unsigned;
  return !IsInteger || T.Desc.readMode == cudaReadModeNormalizedFloat;
}

static float channelAsFloat(const CpuTexture &T, uint32_t Raw) {
  using Number = TexelFormat::Number;
  const unsigned Bits = T.Format.Bits;
  switch (T.Format.Kind) {
  case Number::Float:
    return Bits == 32 ? std::bit_cast<float>(Raw)
                      : __half2float(
                            std::bit_cast<__half>(static_cast<uint16_t>(Raw)));
  case Number::Signed:
  case Number::SignedNormalized: {
    const auto Most = static_cast<float>((1U << (Bits - 1)) - 1);
    return std::max(-1.0F, static_cast<float>(signExtend(Raw, Bits)) / Most);
  }
  default:
    return static_cast<float>(Raw) /
           static_cast<float>((uint64_t(1) << Bits) - 1);
  }
}

/// Returns the address of a texel, or null for a border.
static const std::byte *texelAt(const TexelGrid &G, const TexelFormat &F,
                                int64_t X, int64_t Y, int64_t Z) {
  if (X < 0 || Y < 0 || Z < 0)
    return nullptr;
  return G.Data + Z * G.SlicePitch + Y * G.Pitch + X * F.bytes();
}

static Float4 texelAsFloats(const CpuTexture &T, const std::byte *Texel) {
  Float4 Out = {};
  if (!Texel) {
    std::copy_n(T.Desc.borderColor, 4, Out.begin());
    return Out;
  }
  for (unsigned I = 0; I != T.Format.Channels; ++I)
    Out[I] = channelAsFloat(T, loadChannel(Texel, T.Format.Bits, I));
  if (T.Desc.sRGB && T.Format.Bits == 8)
    for (unsigned I = 0; I != std::min(T.Format.Channels, 3U); ++I)
      Out[I] = fromSrgb(Out[I]);
  return Out;
}

static TexelWords texelAsIntegers(const CpuTexture &T, const std::byte *Texel) {
  TexelWords Out = {};
  const bool IsSigned = T.Format.Kind == TexelFormat::Number::Signed;
  if (!Texel) {
    for (unsigned I = 0; I != 4; ++I)
      Out[I] = IsSigned ? static_cast<uint32_t>(
                              static_cast<int32_t>(T.Desc.borderColor[I]))
                        : static_cast<uint32_t>(T.Desc.borderColor[I]);
    return Out;
  }
  for (unsigned I = 0; I != T.Format.Channels; ++I) {
    Out[I] = loadChannel(Texel, T.Format.Bits, I);
    if (IsSigned)
      Out[I] = static_cast<uint32_t>(signExtend(Out[I], T.Format.Bits));
  }
  return Out;
}

//===--- Axes -------------------------------------------------------------===//

/// Returns floor(X), without a call where the host has no instruction for it.
static float floorOf(float X) {
  constexpr float Whole = 1 << 23; // every number from here on is an integer
  if (!(std::fabs(X) < Whole))
    return X;
  const auto Truncated = static_cast<float>(static_cast<int>(X));
  return Truncated > X ? Truncated - 1 : Truncated;
}

/// Returns floor(X) as an index, in a range that later sums cannot leave.
static int64_t indexOf(float X) {
  constexpr float Most = 1U << 30;
  if (std::isnan(X))
    return 0;
  return static_cast<int64_t>(floorOf(std::clamp(X, -Most, Most)));
}

static int64_t addressed(int64_t I, uint32_t N, cudaTextureAddressMode Mode) {
  const int64_t Count = N;
  if (I >= 0 && I < Count)
    return I;
  switch (Mode) {
  case cudaAddressModeBorder:
    return -1;
  case cudaAddressModeWrap:
    return (I % Count + Count) % Count;
  default: // a mirrored coordinate is at most one texel outside
    return std::clamp<int64_t>(I, 0, Count - 1);
  }
}

static float weightOf(float Fraction) {
  constexpr float Steps = 256;
  return static_cast<float>(static_cast<int>(Fraction * Steps + 0.5F)) / Steps;
}

/// Returns the indices and the weight for a coordinate.
static Axis resolve(float X, uint32_t N, cudaTextureAddressMode Mode,
                    bool Normalized, bool Linear) {
  if (!Normalized &&
      (Mode == cudaAddressModeWrap || Mode == cudaAddressModeMirror))
    Mode = cudaAddressModeClamp; // they need normalized coordinates
  if (Normalized) {
    const float Floor = floorOf(X);
    if (Mode == cudaAddressModeWrap)
      X -= Floor;
    else if (Mode == cudaAddressModeMirror)
      X = Floor / 2 == floorOf(Floor / 2) ? X - Floor : 1 - (X - Floor);
    X *= static_cast<float>(N);
  }
  Axis Out;
  if (Linear)
    X -= 0.5F;
  const int64_t I = indexOf(X);
  Out.First = addressed(I, N, Mode);
  if (!Linear)
    return Out;
  Out.Second = addressed(I + 1, N, Mode);
  if (std::isfinite(X))
    Out.Weight = weightOf(X - floorOf(X));
  return Out;
}

//===--- Lookups ----------------------------------------------------------===//

namespace {
/// A point of one level: the coordinates of as many axes as there are, in a
/// slice unless the shape is a volume.
struct SlicePoint {
  float At[3] = {};
  unsigned Axes = 1;
  int64_t Slice = 0;
  bool IsCube = false;
};
} // namespace

/// Finds the face of a cube, and the coordinates on it in [0, 1].
static void projectOnFace(const TexturePoint &P, SlicePoint &Out,
                          int64_t Cube) {
  const float X = P.At[0], Y = P.At[1], Z = P.At[2];
  const float Ax = std::fabs(X), Ay = std::fabs(Y), Az = std::fabs(Z);
  int Face;
  float M, S, T;
  if (Ax >= Ay && Ax >= Az) {
    Face = X >= 0 ? 0 : 1;
    M = Ax;
    S = X >= 0 ? -Z : Z;
    T = -Y;
  } else if (Ay >= Az) {
    Face = Y >= 0 ? 2 : 3;
    M = Ay;
    S = X;
    T = Y >= 0 ? Z : -Z;
  } else {
    Face = Z >= 0 ? 4 : 5;
    M = Az;
    S = Z >= 0 ? X : -X;
    T = -Y;
  }
  Out.At[0] = (S / M + 1) / 2;
  Out.At[1] = (T / M + 1) / 2;
  Out.Slice = Cube * 6 + Face;
  Out.IsCube = true;
}

static SlicePoint sliceOf(const TexturePoint &P, const TexelGrid &G) {
  SlicePoint Out;
  std::copy_n(P.At, 3, Out.At);
  const int64_t Slices = G.Depth;
  const auto Layer = [&](int64_t Count) {
    return std::clamp<int64_t>(P.Integer, 0, std::max<int64_t>(Count, 1) - 1);
  };
  switch (P.Shape) {
  case TextureShape::Line:
    break;
  case TextureShape::Lines:
    Out.Slice = Layer(Slices);
    break;
  case TextureShape::Plane:
    Out.Axes = 2;
    break;
  case TextureShape::Planes:
    Out.Axes = 2;
    Out.Slice = Layer(Slices);
    break;
  case TextureShape::Volume:
    Out.Axes = 3;
    break;
  case TextureShape::Cube:
    Out.Axes = 2;
    projectOnFace(P, Out, 0);
    break;
  case TextureShape::Cubes:
    Out.Axes = 2;
    projectOnFace(P, Out, Layer(Slices / 6));
    break;
  }
  return Out;
}

/// Returns the indices along all axes; those that the point lacks are its
/// slice.
static std::array<Axis, 3> axesOf(const CpuTexture &T, const TexelGrid &G,
                                  const SlicePoint &P, bool Linear) {
  const uint32_t Size[] = {G.Width, G.Height, G.Depth};
  std::array<Axis, 3> Out;
  for (unsigned I = 0; I != P.Axes; ++I)
    Out[I] = P.IsCube
                 ? resolve(P.At[I], Size[I], cudaAddressModeClamp, true, Linear)
                 : resolve(P.At[I], Size[I], T.Desc.addressMode[I],
                           T.Desc.normalizedCoords != 0, Linear);
  if (P.Axes != 3)
    Out[2].First = Out[2].Second = std::min<int64_t>(P.Slice, G.Depth - 1);
  return Out;
}

static Float4 mix(const Float4 &A, const Float4 &B, float Weight) {
  Float4 Out;
  for (unsigned I = 0; I != 4; ++I)
    Out[I] = (1 - Weight) * A[I] + Weight * B[I];
  return Out;
}

static Float4 sampleLevel(const CpuTexture &T, const TexelGrid &G,
                          const TexturePoint &P) {
  const bool Linear = T.Desc.filterMode == cudaFilterModeLinear;
  const SlicePoint Slice = sliceOf(P, G);
  const std::array<Axis, 3> A = axesOf(T, G, Slice, Linear);
  const auto Texel = [&](int64_t X, int64_t Y, int64_t Z) {
    return texelAsFloats(T, texelAt(G, T.Format, X, Y, Z));
  };
  if (!Linear)
    return Texel(A[0].First, A[1].First, A[2].First);
  const auto Row = [&](int64_t Y, int64_t Z) {
    return mix(Texel(A[0].First, Y, Z), Texel(A[0].Second, Y, Z), A[0].Weight);
  };
  const auto Plane = [&](int64_t Z) {
    return Slice.Axes == 1
               ? Row(A[1].First, Z)
               : mix(Row(A[1].First, Z), Row(A[1].Second, Z), A[1].Weight);
  };
  return Slice.Axes < 3
             ? Plane(A[2].First)
             : mix(Plane(A[2].First), Plane(A[2].Second), A[2].Weight);
}

/// Returns the level of detail that the derivatives ask for.
static float levelFor(const CpuTexture &T, const TexturePoint &P) {
  const TexelGrid &G = T.Levels.front();
  const float Size[] = {static_cast<float>(G.Width),
                        static_cast<float>(G.Height),
                        static_cast<float>(G.Depth)};
  const bool IsCube =
      P.Shape == TextureShape::Cube || P.Shape == TextureShape::Cubes;
  const auto Length = [&](const float(&D)[3]) {
    float Sum = 0;
    for (unsigned I = 0; I != 3; ++I) {
      // A face of a cube is two long.
      const float Scale = IsCube                    ? Size[0] / 2
                          : T.Desc.normalizedCoords ? Size[I]
                                                    : 1;
      Sum += D[I] * Scale * (D[I] * Scale);
    }
    return std::sqrt(Sum);
  };
  const float Longest = std::max(Length(P.Dx), Length(P.Dy));
  return Longest > 0 ? std::log2(Longest) : 0;
}

static Float4 sample(const CpuTexture &T, const TexturePoint &P) {
  if (T.Levels.size() == 1 || P.Lookup == TextureLookup::Base) {
    const auto First = static_cast<size_t>(
        std::clamp<float>(T.Desc.minMipmapLevelClamp, 0,
                          static_cast<float>(T.Levels.size() - 1)));
    return sampleLevel(T, T.Levels[First], P);
  }
  float Level = P.Lookup == TextureLookup::Level ? P.Dx[0] : levelFor(T, P);
  Level += T.Desc.mipmapLevelBias;
  Level = std::min(Level, T.Desc.maxMipmapLevelClamp);
  Level = std::max(Level, T.Desc.minMipmapLevelClamp);
  const auto Last = static_cast<float>(T.Levels.size() - 1);
  Level = std::isnan(Level) ? 0 : std::clamp(Level, 0.0F, Last);
  if (T.Desc.mipmapFilterMode == cudaFilterModePoint)
    return sampleLevel(T, T.Levels[static_cast<size_t>(Level + 0.5F)], P);
  const auto Lower = static_cast<size_t>(Level);
  const size_t Upper = std::min(Lower + 1, T.Levels.size() - 1);
  return mix(sampleLevel(T, T.Levels[Lower], P),
             sampleLevel(T, T.Levels[Upper], P),
             weightOf(Level - static_cast<float>(Lower)));
}

static TexelWords wordsOf(const CpuTexture &T, const std::byte *Texel) {
  if (!givesFloats(T))
    return texelAsIntegers(T, Texel);
  return std::bit_cast<TexelWords>(texelAsFloats(T, Texel));
}

/// The component of the four texels of a linear filter, counterclockwise from
/// the lower left one.
static TexelWords gather(const CpuTexture &T, const TexturePoint &P) {
  const TexelGrid &G = T.Levels.front();
  const std::array<Axis, 3> A = axesOf(T, G, sliceOf(P, G), true);
  const auto One = [&](int64_t X, int64_t Y) {
    return wordsOf(T, texelAt(G, T.Format, X, Y, A[2].First))[P.Component];
  };
  return {One(A[0].First, A[1].Second), One(A[0].Second, A[1].Second),
          One(A[0].Second, A[1].First), One(A[0].First, A[1].First)};
}

TexelWords CpuTexture::read(const TexturePoint &P) const {
  const TexelGrid &G = Levels.front();
  switch (P.Lookup) {
  case TextureLookup::Fetch: {
    const bool IsInside =
        P.Integer >= 0 && static_cast<uint32_t>(P.Integer) < G.Width;
    if (!IsInside)
      return {}; // documented for linear memory
    return wordsOf(*this, texelAt(G, Format, P.Integer, 0, 0));
  }
  case TextureLookup::Gather:
    return gather(*this, P);
  default:
    break;
  }
  if (givesFloats(*this))
    return std::bit_cast<TexelWords>(sample(*this, P));
  // Integers are not filtered.
  const std::array<Axis, 3> A = axesOf(*this, G, sliceOf(P, G), false);
  return texelAsIntegers(
      *this, texelAt(G, Format, A[0].First, A[1].First, A[2].First));
}

uint32_t CpuTexture::query(TextureQuery Query) const {
  const TexelGrid &G = Levels.front();
  switch (Query) {
  case TextureQuery::Width:
    return G.Width;
  case TextureQuery::Height:
    return G.Height;
  case TextureQuery::Depth:
  case TextureQuery::ArraySize:
    return G.Depth;
  case TextureQuery::NormalizedCoordinates:
    return Desc.normalizedCoords != 0;
  case TextureQuery::MipmapLevels:
    return static_cast<uint32_t>(Levels.size());
  default:
    return 0;
  }
}

std::byte *CpuSurface::at(int X, int Y, int Z, unsigned Bytes,
                          SurfaceBoundary Boundary) const {
  const int64_t Row = static_cast<int64_t>(Grid.Width * Format.bytes());
  const int64_t LastX = Row - Bytes;
  const int64_t LastY = static_cast<int64_t>(Grid.Height) - 1;
  const int64_t LastZ = static_cast<int64_t>(Grid.Depth) - 1;
  if (LastX < 0)
    return nullptr;
  int64_t At[] = {X, Y, Z};
  const int64_t Last[] = {LastX, LastY, LastZ};
  for (unsigned I = 0; I != 3; ++I) {
    if (At[I] >= 0 && At[I] <= Last[I])
      continue;
    if (Boundary != SurfaceBoundary::Clamp)
      return nullptr;
    At[I] = std::clamp<int64_t>(At[I], 0, Last[I]);
  }
  return Grid.Data + At[2] * Grid.SlicePitch + At[1] * Grid.Pitch + At[0];
}

} // namespace gridspan
