//===- CpuArrays.h - CUDA arrays of the CPU device --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where there are GPUs, arrays are CUDA's. On the CPU device an array is an
// allocation of device memory, row by row, so that its copies are copies of
// memory, in the order of their stream.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_API_CPUARRAYS_H
#define GRIDSPAN_RUNTIME_API_CPUARRAYS_H

#include "runtime/Runtime.h"
#include "runtime/backend/cpu/CpuTexture.h"
#include "runtime/support/Expected.h"
#include "runtime/support/HandleTable.h"

namespace gridspan {

struct CpuArray {
  cudaChannelFormatDesc Desc = {};
  TexelFormat Format;
  cudaExtent Extent = {}; ///< in elements, with 0 for axes that it lacks
  unsigned Flags = 0;
  TexelGrid Grid;
};

/// Returns the bytes of all elements.
inline size_t bytesOf(const CpuArray &A) {
  return A.Grid.SlicePitch * A.Grid.Depth;
}

/// Arrays of one allocation, each half as long as the one before.
struct CpuMipmap {
  std::vector<std::shared_ptr<CpuArray>> Levels;
};

class CpuArrays {
public:
  /// Returns the arrays of the process. Never destroyed, as static destructors
  /// of the program may free arrays.
  static CpuArrays &get();

  Expected<cudaArray_t> create(Runtime &R, const cudaChannelFormatDesc &Desc,
                               cudaExtent Extent, unsigned Flags);
  Expected<cudaMipmappedArray_t>
  createMipmap(Runtime &R, const cudaChannelFormatDesc &Desc, cudaExtent Extent,
               unsigned NumLevels, unsigned Flags);
  /// Waits for all work, as CUDA does, and frees the memory.
  cudaError_t destroy(Runtime &R, cudaArray_t Array);
  cudaError_t destroyMipmap(Runtime &R, cudaMipmappedArray_t Array);
  /// Forgets everything: the memory was freed.
  void clear();

  /// Return null if there is no such array.
  std::shared_ptr<CpuArray> find(cudaArray_const_t Array) const;
  std::shared_ptr<CpuMipmap> find(cudaMipmappedArray_const_t Array) const;
  cudaArray_t level(const CpuMipmap &Mipmap, unsigned Level) const;

private:
  HandleTable<const void *, CpuArray> Arrays;
  HandleTable<const void *, CpuMipmap> Mipmaps;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_API_CPUARRAYS_H
