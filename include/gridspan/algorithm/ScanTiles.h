//===- ScanTiles.h - Prefix sums tile by tile ----------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of a scan: one block makes of the sums of tiles (reduceTiles)
// what comes before each, and tiles are scanned behind that. No block waits for
// another one, so that launches may be divided.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_SCANTILES_H
#define GRIDSPAN_ALGORITHM_SCANTILES_H

#include "gridspan/algorithm/Reduce.h"
#include "gridspan/algorithm/Room.h"

namespace gridspan::detail {

/// The sum of all that comes before some place, if anything does.
template <typename T> struct Carry {
  T Sum;
  bool Any;
};

template <typename T> __global__ void setCarry(Carry<T> *Out, T Sum) {
  Out->Sum = Sum;
  Out->Any = true;
}

template <typename T> __global__ void clearCarry(Carry<T> *Out) {
  Out->Any = false;
}

/// Scans one element of each thread. Sum becomes the sum of those of the
/// threads before; returns false, and leaves it alone, if there are none.
/// Scratch has the sums up to each thread's own.
template <typename T, typename Operation>
__device__ bool scanThreads(T *Scratch, T &Sum, Operation Op) {
  Scratch[threadIdx.x] = Sum;
  __syncthreads();
  for (unsigned Step = 1; Step < TileOf<T>::Threads; Step *= 2) {
    T Here = Scratch[threadIdx.x];
    if (threadIdx.x >= Step)
      Here = Op(Scratch[threadIdx.x - Step], Here);
    __syncthreads();
    Scratch[threadIdx.x] = Here;
    __syncthreads();
  }
  if (threadIdx.x != 0)
    Sum = Scratch[threadIdx.x - 1];
  return threadIdx.x != 0;
}

/// Replaces the Count elements of a tile, not 0, by their prefix sums behind
/// Before, if there is Any; not Inclusive needs it.
template <bool Inclusive, typename T, typename Operation>
__device__ void scanTile(T *Tile, T *Scratch, unsigned Count, T Before,
                         bool Any, Operation Op) {
  constexpr unsigned Items = TileOf<T>::Items;
  const unsigned First = threadIdx.x * Items;
  // Threads behind the end have any value, which only they see.
  T Prefix = Tile[First < Count ? First : Count - 1];
  for (unsigned I = 1; I < Items; ++I)
    if (First + I < Count)
      Prefix = Op(Prefix, Tile[First + I]);
  const bool Follows = scanThreads(Scratch, Prefix, Op);
  if (Any)
    Prefix = Follows ? Op(Before, Prefix) : Before;
  bool Has = Follows || Any;
  for (unsigned I = 0; I < Items; ++I)
    if (First + I < Count) {
      const T Here = Tile[First + I];
      const T Next = Has ? Op(Prefix, Here) : Here;
      Tile[First + I] = Inclusive ? Next : Prefix;
      Prefix = Next;
      Has = true;
    }
  __syncthreads();
}

/// Runs as one block. Replaces the sums of tiles by what comes before each,
/// behind *Before, to which it adds them all. Of the very first, before which
/// nothing comes, the contents do not matter.
template <typename T, typename Operation>
__global__ void __launch_bounds__(TileOf<T>::Threads)
    scanSums(T *Sums, Index Count, Carry<T> *Before, Operation Op) {
  __shared__ TileScratch<T> Memory;
  T *const Scratch = Memory.get();
  constexpr unsigned Threads = TileOf<T>::Threads;
  bool Any = Before->Any;
  T Sum = Before->Sum;
  for (Index First = 0; First < Count; First += Threads) {
    const unsigned Here = Count - First < Threads
                              ? static_cast<unsigned>(Count - First)
                              : Threads;
    const bool IsMine = threadIdx.x < Here;
    T Prefix = Sums[First + (IsMine ? threadIdx.x : Here - 1)];
    const bool Follows = scanThreads(Scratch, Prefix, Op);
    if (Any)
      Prefix = Follows ? Op(Sum, Prefix) : Sum;
    if (IsMine)
      Sums[First + threadIdx.x] = Prefix;
    Sum = Any ? Op(Sum, Scratch[Here - 1]) : Scratch[Here - 1];
    Any = true;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    Before->Sum = Sum;
    Before->Any = Any;
  }
}

/// Has is true if something comes before the first tile. To(place, prefix)
/// puts the results away.
template <bool Inclusive, typename T, typename Load, typename Store,
          typename Operation>
__global__ void __launch_bounds__(TileOf<T>::Threads)
    scanTiles(Load From, Store To, Index Count, const T *Before, bool Has,
              Operation Op) {
  __shared__ TileMemory<T> Memory;
  __shared__ TileScratch<T> ScratchMemory;
  T *const Tile = Memory.get();
  const unsigned Here = loadTile<T>(Tile, From, Count);
  scanTile<Inclusive>(Tile, ScratchMemory.get(), Here, Before[blockIdx.x],
                      Has || blockIdx.x != 0, Op);
  storeTile(Tile, To, Index(blockIdx.x) * TileOf<T>::Elements, Here);
}

/// Sets what comes before the first element: *Init, or nothing.
template <typename T>
cudaError_t begin(Carry<T> *Before, const T *Init, cudaStream_t Stream) {
  return Init ? launch(setCarry<T>, 1, 1, Stream, Before, *Init)
              : launch(clearCarry<T>, 1, 1, Stream, Before);
}

/// Sets Sums to what comes before each tile of Count elements, at least one,
/// and Before to what comes behind them.
template <typename T, typename Load, typename Operation>
cudaError_t sumTiles(Load From, Index Count, T *Sums, Carry<T> *Before,
                     Operation Op, cudaStream_t Stream) {
  using Shape = TileOf<T>;
  const Index Tiles = Shape::blocks(Count);
  if (cudaError_t Error = launch(reduceTiles<T, Load, Operation>, Tiles,
                                 Shape::Threads, Stream, From, Count, Sums, Op))
    return Error;
  return launch(scanSums<T, Operation>, 1, Shape::Threads, Stream, Sums, Tiles,
                Before, Op);
}

/// Returns the elements of a segment: whole groups of tiles, which scanSums()
/// takes at once.
template <typename T> Index segmentOf(Index Count, uint64_t FrameBytes) {
  if (FrameBytes == 0)
    return Count;
  constexpr Index Group = Index(TileOf<T>::Threads) * TileOf<T>::Elements;
  const Index Wanted =
      static_cast<Index>(FrameBytes / sizeof(T)) * FramesPerSegment;
  const Index Segment = blocksFor(Wanted, Group) * Group;
  return Segment < Count ? Segment : Count;
}

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_SCANTILES_H
