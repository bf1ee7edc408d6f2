//===- Tile.h - The elements that one block works on ---------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block takes a tile of consecutive elements to shared memory, in the order
// that memory likes, and each thread works on some consecutive ones there. So
// operations need be associative only, not commutative, and the result depends
// on the number of elements alone: neither on devices nor on chunks.
//
// Each thread's elements are an odd number where several fit, so that the
// threads of a warp are in different banks.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_TILE_H
#define GRIDSPAN_ALGORITHM_TILE_H

#include "gridspan/algorithm/Memory.h"

namespace gridspan::detail {

/// The shape of tiles of T.
template <typename T> struct TileOf {
  /// With one more element a thread, what all architectures have of static
  /// shared memory is enough.
  static constexpr unsigned Bytes = 32768;
  static constexpr unsigned Threads = sizeof(T) <= 48 ? 256 : 32;
  static_assert(sizeof(T) <= 512, "elements of 512 bytes at most");
  static constexpr unsigned Fitting = Bytes / (sizeof(T) * Threads);
  /// Elements of each thread.
  static constexpr unsigned Items =
      Fitting >= 15 ? 15 : (Fitting % 2 ? Fitting : Fitting - 1);
  static constexpr unsigned Elements = Threads * Items;

  static Index blocks(Index Count) { return blocksFor(Count, Elements); }
};

/// Shared memory for elements that need not have constructors.
template <typename T> struct TileMemory {
  alignas(T) unsigned char Bytes[TileOf<T>::Elements * sizeof(T)];
  __device__ T *get() { return reinterpret_cast<T *>(Bytes); }
};

/// The same, for one element a thread.
template <typename T> struct TileScratch {
  alignas(T) unsigned char Bytes[TileOf<T>::Threads * sizeof(T)];
  __device__ T *get() { return reinterpret_cast<T *>(Bytes); }
};

/// Reads the block's tile to Tile and returns the number of its elements.
template <typename T, typename Load>
__device__ unsigned loadTile(T *Tile, const Load &From, Index Count) {
  const Index First = Index(blockIdx.x) * TileOf<T>::Elements;
  for (unsigned I = 0; I != TileOf<T>::Items; ++I) {
    const unsigned At = I * TileOf<T>::Threads + threadIdx.x;
    if (First + At < Count)
      Tile[At] = From(First + At);
  }
  __syncthreads();
  const Index Rest = Count - First;
  return static_cast<unsigned>(
      Rest < TileOf<T>::Elements ? Rest : Index(TileOf<T>::Elements));
}

/// Writes the Count elements of a tile by To(place, element), from First on.
template <typename T, typename Store>
__device__ void storeTile(const T *Tile, const Store &To, Index First,
                          unsigned Count) {
  for (unsigned I = 0; I != TileOf<T>::Items; ++I) {
    const unsigned At = I * TileOf<T>::Threads + threadIdx.x;
    if (At < Count)
      To(First + At, Tile[At]);
  }
}

/// Combines the Count elements of a tile, not 0, in their order; the result is
/// thread 0's. The tile's contents are lost.
template <typename T, typename Operation>
__device__ T reduceTile(T *Tile, unsigned Count, Operation Op) {
  constexpr unsigned Items = TileOf<T>::Items;
  const unsigned First = threadIdx.x * Items;
  T Sum = Tile[First < Count ? First : 0];
  for (unsigned I = 1; I < Items; ++I)
    if (First + I < Count)
      Sum = Op(Sum, Tile[First + I]);
  __syncthreads();
  Tile[threadIdx.x] = Sum;
  __syncthreads();
  const unsigned Sums = (Count + Items - 1) / Items;
  for (unsigned Step = 1; Step < TileOf<T>::Threads; Step *= 2) {
    const unsigned At = 2 * Step * threadIdx.x;
    if (At + Step < Sums)
      Tile[At] = Op(Tile[At], Tile[At + Step]);
    __syncthreads();
  }
  return Tile[0];
}

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_TILE_H
