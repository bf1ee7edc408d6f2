//===- CpuTexel.h - Elements of textures on CPU devices ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formats of elements, and what a lookup makes of an element: floats or
// integers of 32 bits. Programs look up billions of elements, nearly all of two
// formats, floats and bytes that become floats; these are inline.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_CPUTEXEL_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_CPUTEXEL_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cuda_runtime_api.h>
#include <optional>

namespace gridspan {

/// The format of an element: up to four channels of the same width.
struct TexelFormat {
  enum class Number { Signed, Unsigned, Float, SignedNormalized, Normalized };
  Number Kind = Number::Unsigned;
  unsigned Bits = 0; ///< of a channel: 8, 16 or 32
  unsigned Channels = 0;

  size_t bytes() const { return Bits / 8 * Channels; }
  bool isInteger() const {
    return Kind == Number::Signed || Kind == Number::Unsigned;
  }
};

/// Returns nothing for formats that arrays cannot have, and for compressed
/// ones.
std::optional<TexelFormat> texelFormat(const cudaChannelFormatDesc &Desc);

/// Four channels: bits of a float or of an integer, as the texture says.
using TexelWords = std::array<uint32_t, 4>;

/// Four channels as floats, added and scaled together.
using TexelFloats [[gnu::vector_size(16)]] = float;

/// Returns the channels of an element of any format, integers as normalized
/// ones. Channels that the format lacks are 0.
TexelFloats convertTexel(const TexelFormat &F, bool IsSrgb,
                         const std::byte *Texel);

/// Does what convertTexel does.
inline TexelFloats texelFloats(const TexelFormat &F, bool IsSrgb,
                               const std::byte *Texel) {
  using Number = TexelFormat::Number;
  TexelFloats Out = {};
  if (F.Kind == Number::Float && F.Bits == 32) {
    if (F.Channels == 1)
      std::memcpy(&Out, Texel, sizeof(float));
    else if (F.Channels == 4)
      std::memcpy(&Out, Texel, 4 * sizeof(float));
    else
      std::memcpy(&Out, Texel, 2 * sizeof(float));
    return Out;
  }
  const bool IsUnsigned =
      F.Kind == Number::Unsigned || F.Kind == Number::Normalized;
  if (!IsUnsigned || F.Bits != 8 || F.Channels != 4 || IsSrgb)
    return convertTexel(F, IsSrgb, Texel);
  for (unsigned I = 0; I != 4; ++I)
    Out[I] = static_cast<float>(std::to_integer<int>(Texel[I]));
  return Out / 255.0F;
}

/// Returns the channels of an element of integers. Those that the format lacks
/// are 0.
TexelWords texelIntegers(const TexelFormat &F, const std::byte *Texel);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_CPUTEXEL_H
