//===- DeviceTextures.cpp - Textures and surfaces for device code ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that lowered device code calls for tex, tld4, txq, suld, sust
// and suq (passes/cpu/CpuAsmTexture.cpp). Objects are addresses, as nothing
// else fits into the 64 bits of a handle without a lookup.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/BlockState.h"
#include "runtime/backend/cpu/CpuTexture.h"
#include "runtime/backend/cpu/KernelFaults.h"
#include <algorithm>
#include <cstring>

using namespace gridspan;

#define GRIDSPAN_DEVICE_CALL extern "C" __attribute__((visibility("hidden")))

using Words [[gnu::vector_size(16)]] = uint32_t;
using Floats [[gnu::vector_size(16)]] = float;

GRIDSPAN_DEVICE_CALL Words __gridspan_own_cpu_texture(
    const GridspanCpuBlock *B, uint64_t Object, uint32_t Code, uint32_t Integer,
    Floats At, Floats Dx, Floats Dy) {
  if (!Object)
    failThread(B, cudaErrorIllegalAddress, "read a texture object that is 0");
  TexturePoint P;
  P.Shape = TextureShape(Code & 0xff);
  P.Lookup = TextureLookup(Code >> TextureLookupShift & 0xff);
  P.Component = Code >> TextureComponentShift;
  P.Integer = static_cast<int>(Integer);
  for (unsigned I = 0; I != 3; ++I) {
    P.At[I] = At[I];
    P.Dx[I] = Dx[I];
    P.Dy[I] = Dy[I];
  }
  const TexelWords Out = reinterpret_cast<const CpuTexture *>(Object)->read(P);
  return Words{Out[0], Out[1], Out[2], Out[3]};
}

GRIDSPAN_DEVICE_CALL uint32_t __gridspan_own_cpu_texture_query(uint64_t Object,
                                                               uint32_t Query) {
  return Object ? reinterpret_cast<const CpuTexture *>(Object)->query(
                      TextureQuery(Query))
                : 0;
}

/// Returns where an access of a surface goes; null if it has no effect. A
/// thread that may not leave the surface ends.
static std::byte *locate(const GridspanCpuBlock *B, uint64_t Object,
                         uint32_t Code, int X, int Y, int Z) {
  if (!Object)
    failThread(B, cudaErrorIllegalAddress, "used a surface object that is 0");
  const auto Boundary = SurfaceBoundary(Code >> TextureLookupShift & 0xff);
  std::byte *At = reinterpret_cast<const CpuSurface *>(Object)->at(
      X, Y, Z, Code >> TextureComponentShift, Boundary);
  if (!At && Boundary == SurfaceBoundary::Trap)
    failThread(B, cudaErrorLaunchFailure, "left the bounds of a surface");
  return At;
}

GRIDSPAN_DEVICE_CALL Words __gridspan_own_cpu_surface_load(
    const GridspanCpuBlock *B, uint64_t Object, uint32_t Code, uint32_t X,
    uint32_t Y, uint32_t Z) {
  Words Out = {};
  if (const std::byte *At = locate(B, Object, Code, static_cast<int>(X),
                                   static_cast<int>(Y), static_cast<int>(Z)))
    std::memcpy(&Out, At, Code >> TextureComponentShift);
  return Out;
}

GRIDSPAN_DEVICE_CALL void
__gridspan_own_cpu_surface_store(const GridspanCpuBlock *B, uint64_t Object,
                                 uint32_t Code, uint32_t X, uint32_t Y,
                                 uint32_t Z, Words Value) {
  if (std::byte *At = locate(B, Object, Code, static_cast<int>(X),
                             static_cast<int>(Y), static_cast<int>(Z)))
    std::memcpy(At, &Value, Code >> TextureComponentShift);
}
