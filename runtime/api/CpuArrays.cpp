//===- CpuArrays.cpp - CUDA arrays of the CPU device ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers and the faces of cubes are slices. The levels of a mipmapped array
// stand one behind the other in one allocation, which begins with level 0.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/CpuArrays.h"
#include <algorithm>

namespace gridspan {

CpuArrays &CpuArrays::get() {
  static auto *Arrays = new CpuArrays;
  return *Arrays;
}

/// Returns the elements of a level, with 1 for axes that it lacks, or nothing
/// for a combination of extents and flags that CUDA refuses.
static std::optional<TexelGrid> gridOf(const cudaExtent &E, unsigned Flags) {
  constexpr size_t Most = 1 << 20, MostTexels = size_t(1) << 43;
  const bool Layered = Flags & cudaArrayLayered;
  const bool Cube = Flags & cudaArrayCubemap;
  if (E.width == 0 || E.width > size_t(Most) << 7 || E.height > Most ||
      E.depth > Most)
    return std::nullopt;
  // Sizes in bytes fit into 64 bits.
  if (E.width >
      MostTexels / std::max<size_t>(E.height, 1) / std::max<size_t>(E.depth, 1))
    return std::nullopt;
  if (Cube && (E.width != E.height || E.depth % 6 || E.depth == 0 ||
               (!Layered && E.depth != 6)))
    return std::nullopt;
  if (!Cube && Layered ? E.depth == 0 : E.height == 0 && E.depth != 0)
    return std::nullopt;
  TexelGrid G;
  G.Width = static_cast<uint32_t>(E.width);
  G.Height = static_cast<uint32_t>(std::max<size_t>(E.height, 1));
  G.Depth = static_cast<uint32_t>(std::max<size_t>(E.depth, 1));
  return G;
}

/// Lays out a level, without memory yet.
static std::shared_ptr<CpuArray> layOut(const cudaChannelFormatDesc &Desc,
                                        const TexelFormat &Format,
                                        const cudaExtent &Extent,
                                        unsigned Flags, TexelGrid Grid) {
  auto A = std::make_shared<CpuArray>();
  A->Desc = Desc;
  A->Format = Format;
  A->Extent = Extent;
  A->Flags = Flags;
  A->Grid = Grid;
  A->Grid.Pitch = Grid.Width * Format.bytes();
  A->Grid.SlicePitch = A->Grid.Pitch * Grid.Height;
  return A;
}

Expected<cudaMipmappedArray_t>
CpuArrays::createMipmap(Runtime &R, const cudaChannelFormatDesc &Desc,
                        cudaExtent Extent, unsigned NumLevels, unsigned Flags) {
  constexpr size_t Alignment = 256;
  const std::optional<TexelFormat> Format = texelFormat(Desc);
  std::optional<TexelGrid> Grid = gridOf(Extent, Flags);
  if (!Format)
    return cudaErrorInvalidChannelDescriptor;
  if (!Grid || NumLevels == 0)
    return cudaErrorInvalidValue;
  auto Mipmap = std::make_shared<CpuMipmap>();
  std::vector<size_t> Offsets;
  size_t Bytes = 0;
  const bool IsVolume = !(Flags & (cudaArrayLayered | cudaArrayCubemap));
  for (unsigned I = 0; I != NumLevels; ++I) {
    Mipmap->Levels.push_back(layOut(Desc, *Format, Extent, Flags, *Grid));
    Offsets.push_back(Bytes);
    const size_t Level = bytesOf(*Mipmap->Levels.back());
    Bytes += (Level + Alignment - 1) / Alignment * Alignment;
    const bool Last = Grid->Width == 1 && Grid->Height == 1 &&
                      (!IsVolume || Grid->Depth == 1);
    if (Last)
      break; // as CUDA, which makes no more levels than there can be
    Extent.width = Grid->Width = std::max(1U, Grid->Width / 2);
    Grid->Height = std::max(1U, Grid->Height / 2);
    if (Extent.height)
      Extent.height = Grid->Height;
    if (IsVolume) {
      Grid->Depth = std::max(1U, Grid->Depth / 2);
      if (Extent.depth)
        Extent.depth = Grid->Depth;
    }
  }
  const Expected<void *> Memory =
      R.memory().allocate(Bytes, AllocationKind::Device);
  if (!Memory)
    return Memory.error();
  for (size_t I = 0; I != Offsets.size(); ++I) {
    const std::shared_ptr<CpuArray> &A = Mipmap->Levels[I];
    A->Grid.Data = static_cast<std::byte *>(*Memory) + Offsets[I];
    Arrays.insert(A.get(), A);
  }
  const CpuMipmap *Handle = Mipmap.get();
  Mipmaps.insert(Handle, std::move(Mipmap));
  return reinterpret_cast<cudaMipmappedArray_t>(
      const_cast<CpuMipmap *>(Handle));
}

Expected<cudaArray_t> CpuArrays::create(Runtime &R,
                                        const cudaChannelFormatDesc &Desc,
                                        cudaExtent Extent, unsigned Flags) {
  const std::optional<TexelFormat> Format = texelFormat(Desc);
  const std::optional<TexelGrid> Grid = gridOf(Extent, Flags);
  if (!Format)
    return cudaErrorInvalidChannelDescriptor;
  if (!Grid)
    return cudaErrorInvalidValue;
  std::shared_ptr<CpuArray> A = layOut(Desc, *Format, Extent, Flags, *Grid);
  const Expected<void *> Memory =
      R.memory().allocate(bytesOf(*A), AllocationKind::Device);
  if (!Memory)
    return Memory.error();
  A->Grid.Data = static_cast<std::byte *>(*Memory);
  CpuArray *Handle = A.get();
  Arrays.insert(Handle, std::move(A));
  return reinterpret_cast<cudaArray_t>(Handle);
}

cudaError_t CpuArrays::destroy(Runtime &R, cudaArray_t Array) {
  const std::shared_ptr<CpuArray> A = Arrays.remove(Array);
  if (!A)
    return cudaErrorInvalidResourceHandle;
  return R.memory().free(A->Grid.Data);
}

cudaError_t CpuArrays::destroyMipmap(Runtime &R, cudaMipmappedArray_t Array) {
  const std::shared_ptr<CpuMipmap> M = Mipmaps.remove(Array);
  if (!M)
    return cudaErrorInvalidResourceHandle;
  for (const std::shared_ptr<CpuArray> &Level : M->Levels)
    Arrays.remove(Level.get());
  return R.memory().free(M->Levels.front()->Grid.Data);
}

void CpuArrays::clear() {
  for (const std::shared_ptr<CpuMipmap> &M : Mipmaps.all())
    Mipmaps.remove(M.get());
  for (const std::shared_ptr<CpuArray> &A : Arrays.all())
    Arrays.remove(A.get());
}

std::shared_ptr<CpuArray> CpuArrays::find(cudaArray_const_t Array) const {
  return Arrays.find(Array);
}

std::shared_ptr<CpuMipmap>
CpuArrays::find(cudaMipmappedArray_const_t Array) const {
  return Mipmaps.find(Array);
}

cudaArray_t CpuArrays::level(const CpuMipmap &Mipmap, unsigned Level) const {
  return Level < Mipmap.Levels.size()
             ? reinterpret_cast<cudaArray_t>(Mipmap.Levels[Level].get())
             : nullptr;
}

} // namespace gridspan
