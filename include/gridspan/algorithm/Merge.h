//===- Merge.h - Sorted runs to longer ones ------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Merging and sorting within a block and from run to run, by merge paths: the
// elements that come first in two sorted runs end, in each, where a binary
// search says (Odeh et al., Merge Path, 2012). Each thread and each block finds
// its part by itself, and all parts are equally long, whatever the values.
//
// Of equal elements those of the first run come first, so that sorting is
// stable.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_MERGE_H
#define GRIDSPAN_ALGORITHM_MERGE_H

#include "gridspan/algorithm/Tile.h"

namespace gridspan::detail {

/// Returns how many of the first Diagonal elements of the merged runs are A's.
template <typename First, typename Second, typename Count, typename Compare>
__device__ __forceinline__ Count mergePath(First A, Count InA, Second B,
                                           Count InB, Count Diagonal,
                                           Compare Less) {
  Count Lo = Diagonal > InB ? Diagonal - InB : 0;
  Count Hi = Diagonal < InA ? Diagonal : InA;
  while (Lo < Hi) {
    const Count Mid = (Lo + Hi) / 2;
    if (Less(B[Diagonal - 1 - Mid], A[Mid]))
      Hi = Mid;
    else
      Lo = Mid + 1;
  }
  return Lo;
}

template <typename Function, unsigned... I>
__device__ __forceinline__ void forEachOf(std::integer_sequence<unsigned, I...>,
                                          const Function &F) {
  (F(I), ...);
}

/// Calls F(0) ... F(Count - 1), which are inlined: what they index by their
/// number is in registers.
template <unsigned Count, typename Function>
__device__ __forceinline__ void unrolled(const Function &F) {
  forEachOf(std::make_integer_sequence<unsigned, Count>(), F);
}

/// A thread's elements. Bytes where they have constructors.
template <typename T, bool = std::is_trivially_default_constructible_v<T>>
struct ThreadItems {
  alignas(T) unsigned char Bytes[TileOf<T>::Items * sizeof(T)];
  __device__ T *get() { return reinterpret_cast<T *>(Bytes); }
};
template <typename T> struct ThreadItems<T, true> {
  T Items[TileOf<T>::Items];
  __device__ T *get() { return Items; }
};

/// Merges the runs A and B, neighbours in shared memory, to a thread's
/// elements, of which the first is number First of both.
template <typename T, typename Compare>
__device__ __forceinline__ void mergeItems(const T *A, unsigned InA, const T *B,
                                           unsigned InB, unsigned First,
                                           T *Mine, Compare Less) {
  unsigned FromA = mergePath(A, InA, B, InB, First, Less);
  unsigned FromB = First - FromA;
  unrolled<TileOf<T>::Items>([&](unsigned I) __attribute__((always_inline)) {
    // Behind the end of both it is any element, which nobody puts anywhere.
    const unsigned LastB = FromB < InB ? FromB : InB - 1;
    const bool TakesB =
        FromA >= InA || (FromB < InB && Less(B[FromB], A[FromA]));
    Mine[I] = TakesB ? B[static_cast<int>(LastB)] : A[FromA];
    FromB += TakesB;
    FromA += !TakesB;
  });
}

/// Writes a thread's elements of the first Count to their places in Tile.
template <typename T>
__device__ __forceinline__ void putItems(T *Tile, const T *Mine,
                                         unsigned Count) {
  const unsigned First = threadIdx.x * TileOf<T>::Items;
  unrolled<TileOf<T>::Items>([&](unsigned I) __attribute__((always_inline)) {
    if (First + I < Count)
      Tile[First + I] = Mine[I];
  });
}

/// Sorts Count of a thread's elements by exchanging neighbours, in odd and even
/// places by turns.
template <typename T, typename Compare>
__device__ __forceinline__ void sortItems(T *Mine, unsigned Count,
                                          Compare Less) {
  constexpr unsigned Items = TileOf<T>::Items;
  unrolled<Items>([&](unsigned Round) __attribute__((always_inline)) {
    unrolled<Items / 2>([&](unsigned Pair) __attribute__((always_inline)) {
      const unsigned I = 2 * Pair + Round % 2;
      if (I + 1 >= Items)
        return;
      const bool Swaps = I + 1 < Count && Less(Mine[I + 1], Mine[I]);
      const T Left = Mine[I], Right = Mine[I + 1];
      Mine[I] = Swaps ? Right : Left;
      Mine[I + 1] = Swaps ? Left : Right;
    });
  });
}

/// Sorts the Count elements of a tile.
template <typename T, typename Compare>
__device__ __forceinline__ void sortTile(T *Tile, unsigned Count,
                                         Compare Less) {
  using Shape = TileOf<T>;
  ThreadItems<T> Memory;
  T *const Mine = Memory.get();
  const unsigned First = threadIdx.x * Shape::Items;
  unrolled<Shape::Items>([&](unsigned I) __attribute__((always_inline)) {
    Mine[I] = Tile[First + I < Count ? First + I : Count - 1];
  });
  sortItems(Mine, First < Count ? Count - First : 0, Less);
  putItems(Tile, Mine, Count);
  __syncthreads();
  for (unsigned Run = Shape::Items; Run < Count; Run *= 2) {
    const unsigned Pair = First / (2 * Run) * (2 * Run);
    const unsigned Middle = Pair + Run < Count ? Pair + Run : Count;
    const unsigned End = Pair + 2 * Run < Count ? Pair + 2 * Run : Count;
    if (First < Count)
      mergeItems(Tile + Pair, Middle - Pair, Tile + Middle, End - Middle,
                 First - Pair, Mine, Less);
    __syncthreads();
    putItems(Tile, Mine, Count);
    __syncthreads();
  }
}

/// Sorts each tile on its own.
template <typename T, typename Load, typename Store, typename Compare>
__global__ void __launch_bounds__(TileOf<T>::Threads)
    sortTiles(Load From, Store To, Index Count, Compare Less) {
  __shared__ TileMemory<T> Memory;
  T *const Tile = Memory.get();
  const unsigned Here = loadTile<T>(Tile, From, Count);
  sortTile(Tile, Here, Less);
  storeTile(Tile, To, Index(blockIdx.x) * TileOf<T>::Elements, Here);
}

/// Two sorted runs, of which elements are A[I] and B[I].
template <typename First, typename Second> struct RunPair {
  First A;
  Index InA;
  Second B;
  Index InB;
};

/// Merges the elements of two runs from number Place on, Count of them, and
/// puts them to the places from First on.
template <typename T, typename Pair, typename Store, typename Compare>
__device__ __forceinline__ void mergeTile(const Pair &Runs, Index Place,
                                          const Store &To, Index First,
                                          unsigned Count, Compare Less) {
  __shared__ TileMemory<T> Memory;
  __shared__ Index Bounds[2];
  using Shape = TileOf<T>;
  T *const Tile = Memory.get();
  if (threadIdx.x < 2)
    Bounds[threadIdx.x] = mergePath(Runs.A, Runs.InA, Runs.B, Runs.InB,
                                    Place + (threadIdx.x ? Count : 0), Less);
  __syncthreads();
  const Index LoA = Bounds[0], LoB = Place - LoA;
  const auto InA = static_cast<unsigned>(Bounds[1] - LoA);
  for (unsigned At = threadIdx.x; At < Count; At += Shape::Threads)
    Tile[At] = At < InA ? Runs.A[LoA + At] : Runs.B[LoB + (At - InA)];
  __syncthreads();
  ThreadItems<T> Mine;
  const unsigned Begin = threadIdx.x * Shape::Items;
  if (Begin < Count)
    mergeItems(Tile, InA, Tile + InA, Count - InA, Begin, Mine.get(), Less);
  __syncthreads();
  putItems(Tile, Mine.get(), Count);
  __syncthreads();
  storeTile(Tile, To, First, Count);
}

/// Returns the elements of the block's tile, of Count.
template <typename T> __device__ unsigned tileCount(Index First, Index Count) {
  constexpr Index Elements = TileOf<T>::Elements;
  return static_cast<unsigned>(Count - First < Elements ? Count - First
                                                        : Elements);
}

/// Merges pairs of neighbouring runs, of Run elements each but for the last, to
/// the tiles from number FirstTile on. Run is a multiple of a tile.
template <typename T, typename Store, typename Compare>
__global__ void __launch_bounds__(TileOf<T>::Threads)
    mergeRuns(const T *Runs, Store To, Index Count, Index Run, Index FirstTile,
              Compare Less) {
  const Index First = (FirstTile + Index(blockIdx.x)) * TileOf<T>::Elements;
  const Index Lo = First / (2 * Run) * (2 * Run);
  const Index Middle = Lo + Run < Count ? Lo + Run : Count;
  const Index Hi = Lo + 2 * Run < Count ? Lo + 2 * Run : Count;
  const RunPair<const T *, const T *> Pair = {Runs + Lo, Middle - Lo,
                                              Runs + Middle, Hi - Middle};
  mergeTile<T>(Pair, First - Lo, To, First, tileCount<T>(First, Count), Less);
}

/// Merges two runs.
template <typename T, typename Pair, typename Store, typename Compare>
__global__ void __launch_bounds__(TileOf<T>::Threads)
    mergeTwo(Pair Runs, Store To, Compare Less) {
  const Index First = Index(blockIdx.x) * TileOf<T>::Elements;
  mergeTile<T>(Runs, First, To, First, tileCount<T>(First, Runs.InA + Runs.InB),
               Less);
}

template <typename T, typename First, typename Second, typename Store,
          typename Compare>
cudaError_t launchMerge(RunPair<First, Second> Runs, Store To, Compare Less,
                        cudaStream_t Stream) {
  return launch(mergeTwo<T, RunPair<First, Second>, Store, Compare>,
                TileOf<T>::blocks(Runs.InA + Runs.InB), TileOf<T>::Threads,
                Stream, Runs, To, Less);
}

/// Finds, in many sorted runs, where the first elements of the merged ones end:
/// for each multiple of Run, one block, one Splits[] for each run. The array
/// has Count positions, of which the first Before hold no elements; a run is
/// what is from one multiple of Run to the next, and counts from there. Narrows
/// a window in each run, which holds the place, by the middle of the largest
/// window: that one becomes half of what it was. Scratch has as many places
/// twice.
template <typename Array, typename Compare>
__global__ void findSplits(Array Runs, Index Count, Index Before, Index Run,
                           Index NumRuns, Index *Splits, Index *Scratch,
                           Compare Less) {
  __shared__ Index Largest, Sum;
  const Index Skipped = Index(blockIdx.x) * NumRuns;
  Index *const Lo = Splits + Skipped;
  Index *const Hi = Scratch + 2 * Skipped, *const At = Hi + NumRuns;
  const Index Wanted = Index(blockIdx.x) * Run;
  const Index Rank = Wanted < Count ? Wanted : Count;
  for (Index J = threadIdx.x; J < NumRuns; J += blockDim.x) {
    Lo[J] = J ? 0 : Before;
    Hi[J] = Count - J * Run < Run ? Count - J * Run : Run;
  }
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0) {
      Largest = 0;
      for (Index J = 1; J < NumRuns; ++J)
        if (Hi[J] - Lo[J] > Hi[Largest] - Lo[Largest])
          Largest = J;
    }
    __syncthreads();
    const Index Of = Largest;
    if (Hi[Of] == Lo[Of])
      return;
    const Index Middle = (Lo[Of] + Hi[Of]) / 2;
    const typename Array::Element Pivot = Runs(Of * Run + Middle);
    for (Index J = threadIdx.x; J < NumRuns; J += blockDim.x) {
      Index First = Lo[J], Last = Hi[J];
      const Index Mine = J * Run;
      // Equal elements of earlier runs come before, those of later ones behind.
      while (J != Of && First < Last) {
        const Index Here = (First + Last) / 2;
        if (J < Of ? !Less(Pivot, Runs(Mine + Here))
                   : Less(Runs(Mine + Here), Pivot))
          First = Here + 1;
        else
          Last = Here;
      }
      At[J] = J == Of ? Middle : First;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      Sum = 0;
      for (Index J = 0; J < NumRuns; ++J)
        Sum += At[J];
    }
    __syncthreads();
    const bool IsBefore = Sum < Rank;
    for (Index J = threadIdx.x; J < NumRuns; J += blockDim.x)
      if (IsBefore)
        Lo[J] = J == Of ? Middle + 1 : At[J];
      else
        Hi[J] = At[J];
  }
}

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_MERGE_H
