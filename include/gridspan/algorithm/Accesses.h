//===- Accesses.h - Elements by places, and their kernels ----- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accesses of gathers and scatters, how they are sorted by parts of the
// memory that they lead to, and the kernels that carry them out.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_ACCESSES_H
#define GRIDSPAN_ALGORITHM_ACCESSES_H

#include "gridspan/algorithm/Sorter.h"

namespace gridspan::detail {

/// One access, of a payload, by the part that it belongs to: the high bits of
/// the place.
template <typename Payload> struct Access {
  Index Place;
  Payload With;
};

struct ByPart {
  unsigned Shift;
  unsigned Bits; ///< of the numbers of parts
  template <typename T>
  __host__ __device__ bool operator()(const T &L, const T &R) const {
    return (L.Place >> Shift) < (R.Place >> Shift);
  }
};

/// The accesses of a gather: their payload is the number in the segment.
template <typename Map> struct GatherAccesses {
  using Element = Access<unsigned>;
  Map Places;
  GatherAccesses from(Index I) const { return {Places + I}; }
  __device__ Element operator()(Index I) const {
    return {static_cast<Index>(Places[I]), static_cast<unsigned>(I)};
  }
};

/// Those of a scatter: what is to be put there.
template <typename T, typename Input, typename Map> struct ScatterAccesses {
  using Element = Access<T>;
  Input In;
  Map Places;
  ScatterAccesses from(Index I) const { return {In + I, Places + I}; }
  __device__ Element operator()(Index I) const {
    return {static_cast<Index>(Places[I]), static_cast<T>(In[I])};
  }
};

template <typename Accesses>
__global__ void __launch_bounds__(ElementThreads)
    takeAccesses(Accesses From, typename Accesses::Element *Out,
                 unsigned *Parts, unsigned Shift, Index Elements) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < Elements) {
    const typename Accesses::Element E = From(I);
    Out[I] = E;
    Parts[I] = static_cast<unsigned>(E.Place >> Shift);
  }
}

/// Sorting by parts takes one or two passes of a radix sort.
template <typename Accesses> struct RadixSortAccesses {
  using Element = typename Accesses::Element;
  static constexpr bool Exists = sizeof(Element) <= 32, InParts = false;

  static cudaError_t sort(Accesses From, Keys<Element> To, Index Count,
                          Element *Work0, Element *Work1, const ByPart &Less,
                          CubMemory &Cub, cudaStream_t Stream) {
    WorkSpace<unsigned> Parts[] = {WorkSpace<unsigned>(Stream),
                                   WorkSpace<unsigned>(Stream)};
    for (WorkSpace<unsigned> &Half : Parts)
      if (cudaError_t Error = Half.allocate(Count))
        return Error;
    cub::DoubleBuffer<unsigned> OfParts(Parts[0].get(), Parts[1].get());
    cub::DoubleBuffer<Element> OfElements(Work0, Work1);
    if (cudaError_t Error = launchForEach(takeAccesses<Accesses>, Count, Stream,
                                          From, OfElements.Current(),
                                          OfParts.Current(), Less.Shift, Count))
      return Error;
    const auto Sort = [&](void *Memory, size_t &Bytes) {
      return sortByCub<false>(Memory, Bytes, OfParts, OfElements, Count, 0,
                              int(Less.Bits), Stream);
    };
    if (cudaError_t Error = Cub.call(Sort, Stream))
      return Error;
    return copyOnDevices(OfElements.Current(), To.K, Count, Stream);
  }
};
template <typename Map>
struct RadixSort<GatherAccesses<Map>, ByPart>
    : RadixSortAccesses<GatherAccesses<Map>> {};
template <typename T, typename Input, typename Map>
struct RadixSort<ScatterAccesses<T, Input, Map>, ByPart>
    : RadixSortAccesses<ScatterAccesses<T, Input, Map>> {};

/// Returns each thread's place by way of shared memory. So the compiler does
/// not know where it is loaded from, and the runtime looks at no places before
/// it plans a launch: they would cross the bus for that, and the memory that
/// they lead to is on devices. All threads call it.
__device__ __forceinline__ Index placeInShared(Index Place) {
  __shared__ Index Places[ElementThreads];
  Places[threadIdx.x] = Place;
  __syncthreads();
  return Places[threadIdx.x];
}

template <typename Map, typename Input, typename Output>
__global__ void __launch_bounds__(ElementThreads)
    gatherElements(Map Places, Input In, Output Out, Index Elements) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const Index Place =
      placeInShared(I < Elements ? static_cast<Index>(Places[I]) : 0);
  if (I < Elements)
    Out[I] = In[Place];
}

template <typename Input, typename Map, typename Output>
__global__ void __launch_bounds__(ElementThreads)
    scatterElements(Input In, Map Places, Output Out, Index Elements) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const Index Place =
      placeInShared(I < Elements ? static_cast<Index>(Places[I]) : 0);
  if (I < Elements)
    Out[Place] = In[I];
}

/// Finds where the runs of parts begin in each segment, and the last one ends.
template <typename T>
__global__ void __launch_bounds__(ElementThreads)
    findRuns(const T *Accesses, Index Count, Index Segment, unsigned Shift,
             Index Parts, Index All, Index *Begins) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I >= All)
    return;
  const Index S = I / (Parts + 1), Part = I % (Parts + 1);
  const T *const Mine = Accesses + S * Segment;
  Index Lo = 0,
        Hi = Count - S * Segment < Segment ? Count - S * Segment : Segment;
  while (Lo < Hi) {
    const Index Mid = (Lo + Hi) / 2;
    if ((Mine[Mid].Place >> Shift) < Part)
      Lo = Mid + 1;
    else
      Hi = Mid;
  }
  Begins[I] = Lo;
}

template <typename T>
__global__ void __launch_bounds__(ElementThreads)
    gatherRun(const Access<unsigned> *Run, const T *Part, Index First,
              T *Values, Index Elements) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const Index Place = placeInShared(I < Elements ? Run[I].Place - First : 0);
  if (I < Elements)
    Values[I] = Part[Place];
}

template <typename T>
__global__ void __launch_bounds__(ElementThreads)
    scatterRun(const Access<T> *Run, T *Part, Index First, Index Elements) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const Index Place = placeInShared(I < Elements ? Run[I].Place - First : 0);
  if (I < Elements)
    Part[Place] = Run[I].With;
}

/// Puts a segment's values in the order of the accesses as they were.
template <typename T>
__global__ void __launch_bounds__(ElementThreads)
    unsortValues(const Access<unsigned> *Accesses, const T *Values, T *Out,
                 Index Elements) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const Index Place = placeInShared(I < Elements ? Accesses[I].With : 0);
  if (I < Elements)
    Out[Place] = Values[I];
}

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_ACCESSES_H
