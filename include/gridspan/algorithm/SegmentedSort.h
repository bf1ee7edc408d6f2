//===- SegmentedSort.h - Sorting each of many segments -------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole segments as far as there is room are sorted at once, with the begin of
// its segment before each key. So what is larger than the devices crosses the
// bus once. Segments that are larger than half of the room are sorted on their
// own.
//
// Batches are cut where a segment begins. The bounds are multiples of half of
// the room, moved back to the begin of the segment there. So a batch with more
// elements than have room begins with a segment larger than half of it, and
// what is behind that one fits.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_SEGMENTEDSORT_H
#define GRIDSPAN_ALGORITHM_SEGMENTEDSORT_H

#include "gridspan/algorithm/Offsets.h"
#include "gridspan/algorithm/Sorter.h"

namespace gridspan {
namespace detail {

/// An element with its segment: how far its first element is from the batch's.
template <typename T> struct InSegment {
  unsigned Segment;
  T Element;
};

template <typename Compare> struct BySegment {
  Compare Less;
  template <typename T>
  __host__ __device__ bool operator()(const T &L, const T &R) const {
    return L.Segment < R.Segment ||
           (L.Segment == R.Segment && Less(L.Element, R.Element));
  }
};

/// A batch of an array from First on, and the ends of its segments.
template <typename Array, typename Offset> struct SegmentedArray {
  using Element = InSegment<typename Array::Element>;
  Array Data;
  Index First;
  const Offset *Ends;
  Index NumEnds;
  __device__ Element operator()(Index I) const {
    const Index Before = countUpTo(Ends, NumEnds, First + I);
    const Index Begin =
        Before > 0 ? static_cast<Index>(Ends[Before - 1]) - First : 0;
    return {static_cast<unsigned>(Begin), Data(I)};
  }
  __device__ void operator()(Index I, const Element &E) const {
    Data(I, E.Element);
  }
};

/// One segmented sort in a stream.
template <typename Array, typename Offset, typename Compare>
class SegmentSorter {
public:
  SegmentSorter(Array Data, Index Count, const Offset *Ends, Index NumEnds,
                Compare Less, cudaStream_t Stream)
      : Data(Data), Count(Count), Ends(Ends), NumEnds(NumEnds), Less(Less),
        Stream(Stream), Sort({Less}, Stream), HereEnds(Stream) {}

  cudaError_t sort(bool IsThere) {
    if (cudaError_t Error = Batches::findSegment(Count, IsThere, Room))
      return Error;
    // Places in a batch are 32-bit numbers.
    Room = std::min(Room, Index(1) << 31);
    const Index Half = std::max<Index>(Room / 2, 1);
    const Index NumBatches = Room == Count ? 1 : blocksFor(Count, Half);
    if (cudaError_t Error =
            cutOffsets(Ends, NumEnds, Count, Room == Count ? Count : Half,
                       NumBatches, true, Cuts, Stream))
      return Error;
    if (cudaError_t Error = allocate(NumBatches))
      return Error;
    for (Index B = 0; B < NumBatches; ++B)
      if (cudaError_t Error = sortBetween(Cuts[B], Cuts[B + 1], IsThere))
        return Error;
    // As in Sorter: nobody looks at the error of memory that is freed.
    return IsThere ? cudaSuccess : cudaStreamSynchronize(Stream);
  }

private:
  using Segments = SegmentedArray<Array, Offset>;
  using Batches = Sorter<Segments, BySegment<Compare>>;

  cudaError_t allocate(Index NumBatches) {
    Index Most = 0, MostEnds = 0;
    for (Index B = 0; B < NumBatches; ++B) {
      Most = std::max(Most, Cuts[B + 1].Last - Cuts[B].Last);
      MostEnds = std::max(MostEnds, Cuts[B + 1].Before - Cuts[B].Before);
    }
    if (cudaError_t Error = Sort.allocate(std::min(Most, Room)))
      return Error;
    return HereEnds.allocate(MostEnds);
  }

  /// Sorts the segments from the one at a cut on, up to that at another one.
  cudaError_t sortBetween(const OffsetCut &From, const OffsetCut &To,
                          bool IsThere) {
    Index Lo = From.Last;
    if (To.Last - Lo > Room) {
      if (cudaError_t Error =
              sortArray(Data.from(Lo), From.Next - Lo, IsThere, Less, Stream))
        return Error;
      Lo = From.Next;
    }
    const Index Here = To.Before - From.Before;
    if (To.Last - Lo <= 1 || Here == 0)
      return cudaSuccess;
    if (cudaError_t Error =
            copyOnDevices(Ends + From.Before, HereEnds.get(), Here, Stream))
      return Error;
    const Segments Batch = {Data.from(Lo), Lo, HereEnds.get(), Here};
    return Sort.sortSegment(Batch, Batch, To.Last - Lo);
  }

  const Array Data;
  const Index Count;
  const Offset *const Ends;
  const Index NumEnds;
  const Compare Less;
  const cudaStream_t Stream;
  Batches Sort;
  WorkSpace<Offset> HereEnds;
  std::unique_ptr<OffsetCut[]> Cuts;
  Index Room = 0;
};

template <typename Array, typename Offset, typename Compare>
cudaError_t sortSegments(Array Data, Index Count, const Offset *Ends,
                         Index NumEnds, Compare Less, bool IsThere,
                         cudaStream_t Stream) {
  return SegmentSorter<Array, Offset, Compare>(Data, Count, Ends, NumEnds, Less,
                                               Stream)
      .sort(IsThere);
}

} // namespace detail

/// Sorts each of Segments segments, from element Offsets[s] to Offsets[s + 1].
/// There is one more offset than segments; none is less than the one before it,
/// nor more than the number of elements. Of equal elements the order stays.
template <
    typename Iterator, typename OffsetInput, typename Compare,
    typename = std::enable_if_t<!std::is_convertible_v<Compare, cudaStream_t>>>
cudaError_t segmented_sort(Iterator First, Iterator Last, OffsetInput Offsets,
                           size_t Segments, Compare Less,
                           cudaStream_t Stream = nullptr) {
  using namespace detail;
  static_assert(IsContiguous<Iterator> && IsContiguous<OffsetInput>,
                "elements in memory are sorted");
  const Index Count = Last - First;
  const Index NumEnds = static_cast<Index>(Segments) + 1;
  if (Count <= 1 || Segments == 0)
    return cudaSuccess;
  return withMemory(
      Stream,
      [&](const auto &Where, auto *K, auto *Ends) {
        using Key = ValueOf<Iterator>;
        return sortSegments(Keys<Key>{K}, Count, Ends, NumEnds,
                            OrderFor<Compare, Key>::make(Less),
                            Where.frameBytes() == 0, Stream);
      },
      writes(First, Count), reads(Offsets, NumEnds));
}

template <typename Iterator, typename OffsetInput>
cudaError_t segmented_sort(Iterator First, Iterator Last, OffsetInput Offsets,
                           size_t Segments, cudaStream_t Stream = nullptr) {
  return segmented_sort(First, Last, Offsets, Segments, detail::Ascending(),
                        Stream);
}

/// Sorts the keys of each segment, and values as their keys.
template <
    typename KeyIterator, typename ValueIterator, typename OffsetInput,
    typename Compare,
    typename = std::enable_if_t<!std::is_convertible_v<Compare, cudaStream_t>>>
cudaError_t segmented_sort_by_key(KeyIterator First, KeyIterator Last,
                                  ValueIterator Values, OffsetInput Offsets,
                                  size_t Segments, Compare Less,
                                  cudaStream_t Stream = nullptr) {
  using namespace detail;
  static_assert(IsContiguous<KeyIterator> && IsContiguous<ValueIterator> &&
                    IsContiguous<OffsetInput>,
                "elements in memory are sorted");
  const Index Count = Last - First;
  const Index NumEnds = static_cast<Index>(Segments) + 1;
  if (Count <= 1 || Segments == 0)
    return cudaSuccess;
  return withMemory(
      Stream,
      [&](const auto &Where, auto *K, auto *V, auto *Ends) {
        using Key = ValueOf<KeyIterator>;
        using Order = OrderFor<Compare, Key>;
        return sortSegments(KeysAndValues<Key, ValueOf<ValueIterator>>{K, V},
                            Count, Ends, NumEnds,
                            ByKey<typename Order::Type>{Order::make(Less)},
                            Where.frameBytes() == 0, Stream);
      },
      writes(First, Count), writes(Values, Count), reads(Offsets, NumEnds));
}

template <typename KeyIterator, typename ValueIterator, typename OffsetInput>
cudaError_t segmented_sort_by_key(KeyIterator First, KeyIterator Last,
                                  ValueIterator Values, OffsetInput Offsets,
                                  size_t Segments,
                                  cudaStream_t Stream = nullptr) {
  return segmented_sort_by_key(First, Last, Values, Offsets, Segments,
                               detail::Ascending(), Stream);
}

} // namespace gridspan

#endif // GRIDSPAN_ALGORITHM_SEGMENTEDSORT_H
