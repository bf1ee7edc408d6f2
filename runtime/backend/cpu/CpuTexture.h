//===- CpuTexture.h - Textures and surfaces of CPU devices ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a cudaTextureObject_t or a cudaSurfaceObject_t of a CPU device points
// to, and how it is read: addressing and filters by the formulas of the CUDA
// C++ Programming Guide, appendix "Texture Fetching".
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_CPUTEXTURE_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_CPUTEXTURE_H

#include "gridspan/CpuCodes.h"
#include "runtime/backend/cpu/CpuTexel.h"
#include <cstddef>
#include <cuda_runtime_api.h>
#include <optional>
#include <vector>

namespace gridspan {

/// Elements in memory, row by row and slice by slice. Layers and the faces of
/// cubes are slices.
struct TexelGrid {
  std::byte *Data = nullptr;
  size_t Pitch = 0;      ///< bytes from row to row
  size_t SlicePitch = 0; ///< bytes from slice to slice
  uint32_t Width = 1;
  uint32_t Height = 1;
  uint32_t Depth = 1;
};

/// The place that an instruction reads.
struct TexturePoint {
  TextureShape Shape = TextureShape::Line;
  TextureLookup Lookup = TextureLookup::Base;
  unsigned Component = 0; ///< of Gather
  int Integer = 0;        ///< the index of Fetch, or the layer
  float At[3] = {};
  float Dx[3] = {}; ///< derivatives; Dx[0] is the level of Level
  float Dy[3] = {};
};

struct CpuTexture {
  cudaResourceDesc Resource = {};
  cudaTextureDesc Desc = {};
  std::optional<cudaResourceViewDesc> View;
  TexelFormat Format;
  std::vector<TexelGrid> Levels; ///< the finest first; not empty
  /// The memory of the array that it reads, all levels of it, also those that
  /// are not in View; null if it reads no array.
  std::byte *Array = nullptr;
  size_t ArrayBytes = 0;

  TexelWords read(const TexturePoint &P) const;
  uint32_t query(TextureQuery Query) const;
};

struct CpuSurface {
  cudaResourceDesc Resource = {};
  TexelFormat Format;
  TexelGrid Grid;

  /// Returns where Bytes at byte X of a row are, moved inside for
  /// SurfaceBoundary::Clamp; null if they are outside.
  std::byte *at(int X, int Y, int Z, unsigned Bytes,
                SurfaceBoundary Boundary) const;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_CPUTEXTURE_H
