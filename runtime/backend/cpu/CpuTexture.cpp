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
#include <utility>

namespace gridspan {

namespace {

/// One or two indices along an axis, and the weight of the second.
struct Axis {
  int64_t First = 0;
  int64_t Second = 0;
  float Weight = 0;
};

} // namespace

//===--- Elements ---------------------------------------------------------===//

/// Returns true if lookups give floats.
static bool givesFloats(const CpuTexture &T) {
  return !T.Format.isInteger() ||
         T.Desc.readMode == cudaReadModeNormalizedFloat;
}

/// Returns the address of a texel, or null for a border.
static const std::byte *texelAt(const TexelGrid &G, size_t Bytes, int64_t X,
                                int64_t Y, int64_t Z) {
  if ((X | Y | Z) < 0)
    return nullptr;
  return G.Data + Z * G.SlicePitch + Y * G.Pitch + X * Bytes;
}

static TexelFloats texelAsFloats(const CpuTexture &T, const std::byte *Texel) {
  if (Texel)
    return texelFloats(T.Format, T.Desc.sRGB != 0, Texel);
  TexelFloats Border;
  std::memcpy(&Border, T.Desc.borderColor, sizeof(Border));
  return Border;
}

static TexelWords texelAsIntegers(const CpuTexture &T, const std::byte *Texel) {
  if (Texel)
    return texelIntegers(T.Format, Texel);
  TexelWords Border = {};
  for (unsigned I = 0; I != 4; ++I)
    Border[I] =
        T.Format.Kind == TexelFormat::Number::Signed
            ? static_cast<uint32_t>(static_cast<int32_t>(T.Desc.borderColor[I]))
            : static_cast<uint32_t>(T.Desc.borderColor[I]);
  return Border;
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

/// Returns the index of floor(X), in a range that later sums cannot leave, and
/// what X is beyond it.
static std::pair<int64_t, float> splitCoordinate(float X) {
  constexpr int Most = 1 << 30; // every number from there on is an integer
  if (!(std::fabs(X) < static_cast<float>(Most)))
    return {std::isnan(X) ? 0 : X < 0 ? -Most : Most, 0.0F};
  int I = static_cast<int>(X);
  I -= static_cast<float>(I) > X ? 1 : 0;
  return {I, X - static_cast<float>(I)};
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
  const auto [I, Fraction] = splitCoordinate(Linear ? X - 0.5F : X);
  Axis Out;
  Out.First = addressed(I, N, Mode);
  if (Linear) {
    Out.Second = addressed(I + 1, N, Mode);
    Out.Weight = weightOf(Fraction);
  }
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
  bool IsLine = false;
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
    Out.IsLine = true;
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

/// Returns the indices along the axes of a point; a third one that it lacks is
/// its slice.
template <unsigned Axes>
static std::array<Axis, 3> axesOf(const CpuTexture &T, const TexelGrid &G,
                                  const SlicePoint &P, bool Linear) {
  const uint32_t Size[] = {G.Width, G.Height, G.Depth};
  std::array<Axis, 3> Out;
  for (unsigned I = 0; I != Axes; ++I)
    Out[I] = P.IsCube
                 ? resolve(P.At[I], Size[I], cudaAddressModeClamp, true, Linear)
                 : resolve(P.At[I], Size[I], T.Desc.addressMode[I],
                           T.Desc.normalizedCoords != 0, Linear);
  if (Axes != 3)
    Out[2].First = Out[2].Second = std::min<int64_t>(P.Slice, G.Depth - 1);
  return Out;
}

static std::array<Axis, 3> axesOf(const CpuTexture &T, const TexelGrid &G,
                                  const SlicePoint &P, bool Linear) {
  return P.Axes == 1   ? axesOf<1>(T, G, P, Linear)
         : P.Axes == 2 ? axesOf<2>(T, G, P, Linear)
                       : axesOf<3>(T, G, P, Linear);
}

static TexelFloats mix(TexelFloats A, TexelFloats B, float Weight) {
  return (1 - Weight) * A + Weight * B;
}

/// Reads a point of a texture with as many axes, one code for each: a lookup
/// has to be a few nanoseconds.
template <unsigned Axes>
static TexelFloats sampleAxes(const CpuTexture &T, const TexelGrid &G,
                              const SlicePoint &P) {
  const size_t Bytes = T.Format.bytes();
  const auto Texel = [&](int64_t X, int64_t Y, int64_t Z) {
    return texelAsFloats(T, texelAt(G, Bytes, X, Y, Z));
  };
  if (T.Desc.filterMode != cudaFilterModeLinear) {
    const std::array<Axis, 3> A = axesOf<Axes>(T, G, P, false);
    return Texel(A[0].First, A[1].First, A[2].First);
  }
  const std::array<Axis, 3> A = axesOf<Axes>(T, G, P, true);
  const auto Row = [&](int64_t Y, int64_t Z) {
    return mix(Texel(A[0].First, Y, Z), Texel(A[0].Second, Y, Z), A[0].Weight);
  };
  const auto Plane = [&](int64_t Z) {
    if constexpr (Axes == 1)
      return Row(A[1].First, Z);
    else
      return mix(Row(A[1].First, Z), Row(A[1].Second, Z), A[1].Weight);
  };
  if constexpr (Axes == 1)
    // A GPU looks a line up at y = 0 of a plane with one row, half of which is
    // beyond it.
    return P.IsLine && T.Desc.addressMode[1] == cudaAddressModeBorder
               ? mix(texelAsFloats(T, nullptr), Plane(A[2].First), 0.5F)
               : Plane(A[2].First);
  else if constexpr (Axes == 2)
    return Plane(A[2].First);
  else
    return mix(Plane(A[2].First), Plane(A[2].Second), A[2].Weight);
}

static TexelFloats sampleLevel(const CpuTexture &T, const TexelGrid &G,
                               const TexturePoint &P) {
  const SlicePoint Slice = sliceOf(P, G);
  return Slice.Axes == 1   ? sampleAxes<1>(T, G, Slice)
         : Slice.Axes == 2 ? sampleAxes<2>(T, G, Slice)
                           : sampleAxes<3>(T, G, Slice);
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

static TexelFloats sample(const CpuTexture &T, const TexturePoint &P) {
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
    return wordsOf(T,
                   texelAt(G, T.Format.bytes(), X, Y, A[2].First))[P.Component];
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
    return wordsOf(*this, texelAt(G, Format.bytes(), P.Integer, 0, 0));
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
      *this, texelAt(G, Format.bytes(), A[0].First, A[1].First, A[2].First));
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
