//===- Ranges.h - Two sorted ranges, piece by piece ----------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For primitives that go through two sorted ranges at once. Where these are
// larger than the devices, a launch finds where pieces of equal length begin
// and end in each (Merge.h), over the bus, and the host is told. A piece of
// each, of which the place is then known, is brought to work space. What is
// made of it depends on that alone.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_RANGES_H
#define GRIDSPAN_ALGORITHM_RANGES_H

#include "gridspan/algorithm/Merge.h"
#include "gridspan/algorithm/Room.h"
#include <memory>
#include <new>

namespace gridspan::detail {

/// Sets Cuts[P] to how many of the first P * Piece merged elements are A's.
template <typename Pair, typename Compare>
__global__ void __launch_bounds__(ElementThreads)
    findCuts(Pair Runs, Index Piece, Index Pieces, Index *Cuts, Compare Less) {
  const Index P = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const Index All = Runs.InA + Runs.InB;
  if (P <= Pieces)
    Cuts[P] = mergePath(Runs.A, Runs.InA, Runs.B, Runs.InB,
                        P * Piece < All ? P * Piece : All, Less);
}

template <typename T, typename Array>
__global__ void __launch_bounds__(ElementThreads)
    loadElements(Array From, T *To, Index Elements) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < Elements)
    To[I] = From[I];
}

/// Copies what devices have made for the host to decide by.
template <typename T>
cudaError_t tellHost(const T *From, Index Count, std::unique_ptr<T[]> &To,
                     cudaStream_t Stream) {
  To.reset(new (std::nothrow) T[Count]);
  if (!To)
    return cudaErrorMemoryAllocation;
  if (cudaError_t Error = cudaMemcpyAsync(
          To.get(), From, static_cast<size_t>(Count) * sizeof(T),
          cudaMemcpyDeviceToHost, Stream))
    return Error;
  return cudaStreamSynchronize(Stream);
}

/// A piece of a range in work space: elements [First, First + Count) of it.
template <typename T> struct RangePiece {
  const T *Elements;
  Index First;
  Index Count;
};

/// Calls Do(piece of A, piece of B) for pieces of two ranges, in which those of
/// A come first of equal ones.
template <typename T, typename U, typename First, typename Second,
          typename Compare, typename Work>
cudaError_t forPieces(RunPair<First, Second> Runs, Compare Less, Work Do,
                      cudaStream_t Stream) {
  using Pair = RunPair<First, Second>;
  const Index All = Runs.InA + Runs.InB;
  Index Piece = 0;
  // Two halves, each for a piece of either range, and frames.
  constexpr Index Parts = 16;
  constexpr uint64_t Most = sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U);
  if (cudaError_t Error =
          findRoom(2 * Most, Parts / 2, TileOf<T>::Elements, All, Piece))
    return Error;
  const Index Pieces = blocksFor(All, Piece);
  std::unique_ptr<Index[]> Cuts;
  {
    WorkSpace<Index> Found(Stream);
    if (cudaError_t Error = Found.allocate(Pieces + 1))
      return Error;
    if (cudaError_t Error =
            launchForEach(findCuts<Pair, Compare>, Pieces + 1, Stream, Runs,
                          Piece, Pieces, Found.get(), Less))
      return Error;
    if (cudaError_t Error = tellHost(Found.get(), Pieces + 1, Cuts, Stream))
      return Error;
  }
  // A piece comes while the one before it is worked on.
  WorkSpace<T> OfA[] = {WorkSpace<T>(Stream), WorkSpace<T>(Stream)};
  WorkSpace<U> OfB[] = {WorkSpace<U>(Stream), WorkSpace<U>(Stream)};
  for (unsigned Half = 0; Half != 2; ++Half) {
    if (cudaError_t Error = OfA[Half].allocate(std::min(Piece, Runs.InA)))
      return Error;
    if (cudaError_t Error = OfB[Half].allocate(std::min(Piece, Runs.InB)))
      return Error;
  }
  for (Index P = 0; P < Pieces; ++P) {
    const Index LoA = Cuts[P], LoB = P * Piece - LoA;
    const Index HiA = Cuts[P + 1], HiB = std::min((P + 1) * Piece, All) - HiA;
    T *const A = OfA[P % 2].get();
    U *const B = OfB[P % 2].get();
    if (HiA > LoA)
      if (cudaError_t Error =
              launchForEach(loadElements<T, First>, HiA - LoA, Stream,
                            Runs.A.from(LoA), A, HiA - LoA))
        return Error;
    if (HiB > LoB)
      if (cudaError_t Error =
              launchForEach(loadElements<U, Second>, HiB - LoB, Stream,
                            Runs.B.from(LoB), B, HiB - LoB))
        return Error;
    if (cudaError_t Error = Do(RangePiece<T>{A, LoA, HiA - LoA},
                               RangePiece<U>{B, LoB, HiB - LoB}))
      return Error;
  }
  return cudaSuccess;
}

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_RANGES_H
