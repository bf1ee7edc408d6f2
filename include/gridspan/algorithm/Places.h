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

#include "gridspan/algorithm/Accesses.h"
#include "gridspan/algorithm/Ranges.h"

namespace gridspan::detail {

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
    if (cudaError_t Error = Sorter<Accesses, ByPart>::findSegment(
            Count, false, Segment, usableDevices()))
      return Error;
    // A payload may be the number in the segment.
    Segment = std::min(Segment, Index(1) << 31);
    Index Room = 0;
    if (cudaError_t Error =
            findRoom(sizeof(T), 16, 1, Places, Room, usableDevices()))
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
      Sorter<Accesses, ByPart> Sort(By, Stream, isRadixFast(), LeastPart, 1);
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
