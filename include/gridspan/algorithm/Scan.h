//===- Scan.h - Prefix sums ----------------------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three launches for a segment of the data: each block combines a tile, one
// block scans these sums from left to right, and each block scans its tile
// behind what comes before it.
//
// Data that devices hold are one segment. Of others a segment is a few frames,
// and the carry goes from one segment to the next in device memory: launches
// that wait run as one chain, in which the third finds on the devices what the
// first has brought there. So the data cross the bus once in each direction.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_SCAN_H
#define GRIDSPAN_ALGORITHM_SCAN_H

#include "gridspan/algorithm/Reduce.h"

namespace gridspan {
namespace detail {

/// Frames of a segment. Enough for the launches of a segment to be small beside
/// it, and few beside what a device holds.
inline constexpr Index FramesPerSegment = 8;

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

/// Has is true if something comes before the first tile.
template <bool Inclusive, typename T, typename Load, typename Output,
          typename Operation>
__global__ void __launch_bounds__(TileOf<T>::Threads)
    scanTiles(Load From, Output Out, Index Count, const T *Before, bool Has,
              Operation Op) {
  __shared__ TileMemory<T> Memory;
  __shared__ TileScratch<T> ScratchMemory;
  T *const Tile = Memory.get();
  const unsigned Here = loadTile<T>(Tile, From, Count);
  scanTile<Inclusive>(Tile, ScratchMemory.get(), Here, Before[blockIdx.x],
                      Has || blockIdx.x != 0, Op);
  const Index First = Index(blockIdx.x) * TileOf<T>::Elements;
  for (unsigned I = 0; I != TileOf<T>::Items; ++I) {
    const unsigned At = I * TileOf<T>::Threads + threadIdx.x;
    if (First + At < Count)
      Out[First + At] = Tile[At];
  }
}

/// Sets what comes before the first element: *Init, or nothing.
template <typename T>
cudaError_t begin(Carry<T> *Before, const T *Init, cudaStream_t Stream) {
  return Init ? launch(setCarry<T>, 1, 1, Stream, Before, *Init)
              : launch(clearCarry<T>, 1, 1, Stream, Before);
}

/// Scans in segments, which are whole groups of tiles that scanSums() takes at
/// once, so that the result does not depend on them.
template <bool Inclusive, typename T, typename Input, typename Output,
          typename Operation>
cudaError_t scanAll(Input In, Output Out, Index Count, Index Segment,
                    const T *Init, Operation Op, cudaStream_t Stream) {
  using Shape = TileOf<T>;
  using Load = Elements<T, Input>;
  WorkSpace<T> Sums(Stream);
  WorkSpace<Carry<T>> Before(Stream);
  if (cudaError_t Error = Sums.allocate(Shape::blocks(Segment)))
    return Error;
  if (cudaError_t Error = Before.allocate(1))
    return Error;
  if (cudaError_t Error = begin(Before.get(), Init, Stream))
    return Error;
  for (Index Lo = 0; Lo < Count; Lo += Segment) {
    const Index Here = Count - Lo < Segment ? Count - Lo : Segment;
    const Index Blocks = Shape::blocks(Here);
    const Load From{In + Lo};
    if (cudaError_t Error =
            launch(reduceTiles<T, Load, Operation>, Blocks, Shape::Threads,
                   Stream, From, Here, Sums.get(), Op))
      return Error;
    if (cudaError_t Error =
            launch(scanSums<T, Operation>, 1, Shape::Threads, Stream,
                   Sums.get(), Blocks, Before.get(), Op))
      return Error;
    if (cudaError_t Error =
            launch(scanTiles<Inclusive, T, Load, Output, Operation>, Blocks,
                   Shape::Threads, Stream, From, Out + Lo, Here, Sums.get(),
                   Init || Lo != 0, Op))
      return Error;
  }
  return cudaSuccess;
}

/// Returns the elements of a segment.
template <typename T> Index segmentOf(Index Count, uint64_t FrameBytes) {
  if (FrameBytes == 0)
    return Count;
  constexpr Index Group = Index(TileOf<T>::Threads) * TileOf<T>::Elements;
  const Index Wanted =
      static_cast<Index>(FrameBytes / sizeof(T)) * FramesPerSegment;
  const Index Segment = blocksFor(Wanted, Group) * Group;
  return Segment < Count ? Segment : Count;
}

template <bool Inclusive, typename T, typename Input, typename Output,
          typename Operation>
cudaError_t scan(Input First, Input Last, Output Result, const T *Init,
                 Operation Op, cudaStream_t Stream) {
  const Index Count = Last - First;
  if (Count <= 0)
    return cudaSuccess;
  Operands<2> Memory(Stream);
  const unsigned In = Memory.add(First, Count, GridspanOperandReads);
  const unsigned Out = Memory.add(Result, Count, GridspanOperandOverwrites);
  if (cudaError_t Error = Memory.borrow())
    return Error;
  return Memory.giveBack(scanAll<Inclusive, T>(
      Memory.at(In, First), Memory.at(Out, Result), Count,
      segmentOf<T>(Count, Memory.frameBytes()), Init, Op, Stream));
}

} // namespace detail

/// Sets Result[i] to First[0] Op ... Op First[i]. Result may be First.
template <typename Input, typename Output, typename Operation>
cudaError_t inclusive_scan(Input First, Input Last, Output Result, Operation Op,
                           cudaStream_t Stream = nullptr) {
  return detail::scan<true, detail::ValueOf<Input>>(First, Last, Result,
                                                    nullptr, Op, Stream);
}

template <typename Input, typename Output>
cudaError_t inclusive_scan(Input First, Input Last, Output Result,
                           cudaStream_t Stream = nullptr) {
  return inclusive_scan(First, Last, Result, detail::Plus(), Stream);
}

/// Sets Result[i] to Init Op First[0] Op ... Op First[i - 1]. Result may be
/// First.
template <typename Input, typename Output, typename T, typename Operation>
cudaError_t exclusive_scan(Input First, Input Last, Output Result, T Init,
                           Operation Op, cudaStream_t Stream = nullptr) {
  return detail::scan<false, T>(First, Last, Result, &Init, Op, Stream);
}

template <typename Input, typename Output, typename T,
          typename = std::enable_if_t<!std::is_convertible_v<T, cudaStream_t>>>
cudaError_t exclusive_scan(Input First, Input Last, Output Result, T Init,
                           cudaStream_t Stream = nullptr) {
  return exclusive_scan(First, Last, Result, Init, detail::Plus(), Stream);
}

} // namespace gridspan

#endif // GRIDSPAN_ALGORITHM_SCAN_H
