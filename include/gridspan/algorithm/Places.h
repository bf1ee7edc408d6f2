//===- Places.h - Places that only contents say --------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers from, and scatters to, memory that is not on devices. Places are
// known to kernels only, so parts of that memory come to work space one by one,
// and what belongs to a part is done together.
//
// Accesses are first sorted by parts: a segment of them at a time, which then
// is a run for each part. A launch finds where these begin. Then each part
// meets its runs, whose ranges the host knows. So each byte crosses the bus a
// few times, whatever the places are.
//
// A gather keeps the values in the order of the runs, and puts those of a
// segment in their own order at the end.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_PLACES_H
#define GRIDSPAN_ALGORITHM_PLACES_H

#include "gridspan/algorithm/Ranges.h"
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
  static constexpr bool Exists = sizeof(Element) <= 32;

  static cudaError_t sort(Accesses From, Keys<Element> To, Index Count,
                          Element *Work0, Element *Work1, const ByPart &Less,
                          cudaStream_t Stream) {
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
      return cub::DeviceRadixSort::SortPairs(Memory, Bytes, OfParts, OfElements,
                                             Count, 0, int(Less.Bits), Stream);
    };
    if (cudaError_t Error = withCubMemory(Sort, Stream))
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

/// The accesses of one gather or scatter to Places places of T, sorted by parts
/// in segments.
template <typename T, typename Accesses> class PartedAccesses {
public:
  using Element = typename Accesses::Element;

  PartedAccesses(Accesses From, Index Count, Index Places, cudaStream_t Stream)
      : From(From), Count(Count), Places(Places), Stream(Stream),
        Sorted(Stream) {}

  /// Finds how many parts and segments there are.
  cudaError_t measure() {
    if (cudaError_t Error =
            Sorter<Accesses, ByPart>::findSegment(Count, false, Segment))
      return Error;
    // A payload may be the number in the segment.
    Segment = std::min(Segment, Index(1) << 31);
    Index Room = 0;
    if (cudaError_t Error = findRoom(sizeof(T), 16, 1, Places, Room))
      return Error;
    unsigned &Shift = By.Shift;
    while (Index(1) << Shift < Places && Index(2) << Shift <= Room)
      ++Shift;
    // All places may have room where half of a power of two has.
    if (Room == Places && Index(1) << Shift < Places)
      ++Shift;
    Parts = blocksFor(Places, Index(1) << Shift);
    while (By.Bits == 0 || Parts > Index(1) << By.Bits)
      ++By.Bits;
    return cudaSuccess;
  }

  bool isOnePart() const { return Parts == 1; }

  cudaError_t sort() {
    if (cudaError_t Error = Sorted.allocate(Count))
      return Error;
    {
      Sorter<Accesses, ByPart> Sort(By, Stream);
      if (cudaError_t Error = Sort.allocate(Segment))
        return Error;
      for (Index Lo = 0; Lo < Count; Lo += Segment)
        if (cudaError_t Error =
                Sort.sortSegment(From.from(Lo), Keys<Element>{at(Lo)},
                                 std::min(Segment, Count - Lo)))
          return Error;
    }
    const Index All = segments() * (Parts + 1);
    WorkSpace<Index> Found(Stream);
    if (cudaError_t Error = Found.allocate(All))
      return Error;
    if (cudaError_t Error =
            launchForEach(findRuns<Element>, All, Stream, at(0), Count, Segment,
                          By.Shift, Parts, All, Found.get()))
      return Error;
    return tellHost(Found.get(), All, Begins, Stream);
  }

  /// Calls Do(begin, elements) for each run of a part that is not empty.
  template <typename Work> cudaError_t forRuns(Index Part, Work Do) {
    for (Index S = 0; S < segments(); ++S) {
      const Index *const Mine = &Begins[S * (Parts + 1) + Part];
      if (Mine[0] != Mine[1])
        if (cudaError_t Error = Do(S * Segment + Mine[0], Mine[1] - Mine[0]))
          return Error;
    }
    return cudaSuccess;
  }

  /// Calls Do(work space, first place, places) for each part.
  template <typename Work> cudaError_t forParts(Work Do) {
    // One part comes while another one is worked on.
    WorkSpace<T> Space[] = {WorkSpace<T>(Stream), WorkSpace<T>(Stream)};
    for (WorkSpace<T> &Half : Space)
      if (cudaError_t Error =
              Half.allocate(std::min(Index(1) << By.Shift, Places)))
        return Error;
    for (Index P = 0; P < Parts; ++P) {
      const Index First = P << By.Shift;
      if (cudaError_t Error =
              Do(P, Space[P % 2].get(), First,
                 std::min(Index(1) << By.Shift, Places - First)))
        return Error;
    }
    return cudaSuccess;
  }

  Element *at(Index I) const { return Sorted.get() + I; }
  Index segment() const { return Segment; }

private:
  Index segments() const { return blocksFor(Count, Segment); }

  const Accesses From;
  const Index Count, Places;
  const cudaStream_t Stream;
  WorkSpace<Element> Sorted;
  std::unique_ptr<Index[]> Begins;
  Index Segment = 0, Parts = 0;
  ByPart By = {0, 0};
};

template <typename T, typename Input, typename Map, typename Output>
cudaError_t scatterByParts(Input In, Map Places, Index Count, Output Out,
                           Index To, cudaStream_t Stream) {
  using Accesses = ScatterAccesses<T, Input, Map>;
  PartedAccesses<T, Accesses> Parted(Accesses{In, Places}, Count, To, Stream);
  if (cudaError_t Error = Parted.measure())
    return Error;
  if (!Parted.isOnePart())
    if (cudaError_t Error = Parted.sort())
      return Error;
  return Parted.forParts([&](Index P, T *Part, Index First,
                             Index Elements) -> cudaError_t {
    if (cudaError_t Error = copyOnDevices(Out + First, Part, Elements, Stream))
      return Error;
    if (Parted.isOnePart()) {
      if (cudaError_t Error =
              launchForEach(scatterElements<Input, Map, T *>, Count, Stream, In,
                            Places, Part, Count))
        return Error;
    } else if (cudaError_t Error = Parted.forRuns(P, [&](Index Lo, Index Here) {
                 return launchForEach(scatterRun<T>, Here, Stream,
                                      Parted.at(Lo), Part, First, Here);
               })) {
      return Error;
    }
    return copyOnDevices(Part, Out + First, Elements, Stream);
  });
}

template <typename T, typename Map, typename Input, typename Output>
cudaError_t gatherByParts(Map Places, Input In, Index From, Output Out,
                          Index Count, cudaStream_t Stream) {
  using Accesses = GatherAccesses<Map>;
  PartedAccesses<T, Accesses> Parted(Accesses{Places}, Count, From, Stream);
  if (cudaError_t Error = Parted.measure())
    return Error;
  if (Parted.isOnePart())
    return Parted.forParts(
        [&](Index, T *Part, Index, Index Elements) -> cudaError_t {
          if (cudaError_t Error = copyOnDevices(In, Part, Elements, Stream))
            return Error;
          return launchForEach(gatherElements<Map, const T *, Output>, Count,
                               Stream, Places, Part, Out, Count);
        });
  if (cudaError_t Error = Parted.sort())
    return Error;
  WorkSpace<T> Values(Stream);
  if (cudaError_t Error = Values.allocate(Count))
    return Error;
  if (cudaError_t Error = Parted.forParts(
          [&](Index P, T *Part, Index First, Index Elements) -> cudaError_t {
            if (cudaError_t Error =
                    copyOnDevices(In + First, Part, Elements, Stream))
              return Error;
            return Parted.forRuns(P, [&](Index Lo, Index Here) {
              return launchForEach(gatherRun<T>, Here, Stream, Parted.at(Lo),
                                   Part, First, Values.get() + Lo, Here);
            });
          }))
    return Error;
  WorkSpace<T> Unsorted(Stream);
  const Index Segment = Parted.segment();
  if (cudaError_t Error = Unsorted.allocate(Segment))
    return Error;
  for (Index Lo = 0; Lo < Count; Lo += Segment) {
    const Index Here = std::min(Segment, Count - Lo);
    if (cudaError_t Error =
            launchForEach(unsortValues<T>, Here, Stream, Parted.at(Lo),
                          Values.get() + Lo, Unsorted.get(), Here))
      return Error;
    if (cudaError_t Error =
            copyOnDevices(Unsorted.get(), Out + Lo, Here, Stream))
      return Error;
  }
  return cudaSuccess;
}

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_PLACES_H
