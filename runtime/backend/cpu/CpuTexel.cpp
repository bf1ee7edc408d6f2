//===- CpuTexel.cpp - Elements of textures on CPU devices -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Source: CUDA C++ Programming Guide, "Texture Fetching"; the formulas of sRGB
// are those of IEC 61966-2-1.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/CpuTexel.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cuda_fp16.h>

namespace gridspan {

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

static float channelAsFloat(const TexelFormat &F, uint32_t Raw) {
  using Number = TexelFormat::Number;
  switch (F.Kind) {
  case Number::Float:
    return F.Bits == 32 ? std::bit_cast<float>(Raw)
                        : __half2float(std::bit_cast<__half>(
                              static_cast<uint16_t>(Raw)));
  case Number::Signed:
  case Number::SignedNormalized: {
    const auto Most = static_cast<float>((1U << (F.Bits - 1)) - 1);
    return std::max(-1.0F, static_cast<float>(signExtend(Raw, F.Bits)) / Most);
  }
  default:
    return static_cast<float>(Raw) /
           static_cast<float>((uint64_t(1) << F.Bits) - 1);
  }
}

TexelFloats convertTexel(const TexelFormat &F, bool IsSrgb,
                         const std::byte *Texel) {
  TexelFloats Out = {};
  for (unsigned I = 0; I != F.Channels; ++I)
    Out[I] = channelAsFloat(F, loadChannel(Texel, F.Bits, I));
  if (IsSrgb && F.Bits == 8)
    for (unsigned I = 0; I != std::min(F.Channels, 3U); ++I)
      Out[I] = fromSrgb(Out[I]);
  return Out;
}

TexelWords texelIntegers(const TexelFormat &F, const std::byte *Texel) {
  TexelWords Out = {};
  for (unsigned I = 0; I != F.Channels; ++I) {
    Out[I] = loadChannel(Texel, F.Bits, I);
    if (F.Kind == TexelFormat::Number::Signed)
      Out[I] = static_cast<uint32_t>(signExtend(Out[I], F.Bits));
  }
  return Out;
}

} // namespace gridspan
