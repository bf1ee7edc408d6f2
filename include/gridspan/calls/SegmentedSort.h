//===- SegmentedSort.h - CUB's sorting of segments ------------ -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cub::DeviceSegmentedSort and cub::DeviceSegmentedRadixSort. Elements in no
// segment stay as they are, in both arrays.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_SEGMENTEDSORT_H
#define GRIDSPAN_CALLS_SEGMENTEDSORT_H

#include "gridspan/algorithm/SegmentedSort.h"
#include "gridspan/algorithm/Transform.h"
#include "gridspan/calls/RadixSort.h"
#include "gridspan/calls/Segments.h"

namespace gridspan::calls {

template <typename Key, typename Value, typename Decomposer, typename Begins,
          typename Ends>
constexpr GridspanCallReason whyNotSegmentedSort() {
  return firstOf(whyNotRadixSort<Key, Value, Decomposer>(),
                 whyNotInTile<detail::KeyedValue<Key, Value>, 8>(),
                 whyNotOffsets<Begins, Ends>());
}

struct Unchanged {
  template <typename T> __host__ __device__ T operator()(const T &V) const {
    return V;
  }
};

/// Copies the elements of all segments to another array.
template <typename T>
cudaError_t copyBetween(const T *From, T *To, Index Lo, Index Hi,
                        cudaStream_t Stream) {
  return From == To ? cudaSuccess
                    : gridspan::transform(From + Lo, From + Hi, To + Lo,
                                          Unchanged(), Stream);
}

template <typename Key, typename Value, typename Offsets, typename Order>
cudaError_t segmentedSortBy(const Key *Keys, Key *KeysOut, const Value *Values,
                            Value *ValuesOut, Index Segments, Offsets Of,
                            Order Less, cudaStream_t Stream) {
  Index Lo = 0, Hi = 0;
  if (cudaError_t Error =
          readBounds(detail::addressOf(Of), Segments, Lo, Hi, Stream))
    return Error;
  if (Hi <= Lo)
    return cudaSuccess;
  const auto Number = static_cast<size_t>(Segments);
  if (cudaError_t Error = copyBetween(Keys, KeysOut, Lo, Hi, Stream))
    return Error;
  if constexpr (std::is_same_v<Value, cub::NullType>) {
    return gridspan::segmented_sort(KeysOut, KeysOut + Hi, Of, Number, Less,
                                    Stream);
  } else {
    if (cudaError_t Error = copyBetween(Values, ValuesOut, Lo, Hi, Stream))
      return Error;
    return gridspan::segmented_sort_by_key(KeysOut, KeysOut + Hi, ValuesOut, Of,
                                           Number, Less, Stream);
  }
}

/// Sorts from the present buffers to the others, or in place.
template <bool IsDescending, typename Key, typename Value, typename Offsets>
cudaError_t segmentedSort(cub::DoubleBuffer<Key> &Keys,
                          cub::DoubleBuffer<Value> &Values, Index Segments,
                          Offsets Of, int Begin, int End, bool MayOverwrite,
                          cudaStream_t Stream) {
  Key *const In = Keys.Current();
  Value *const ValuesIn = Values.Current();
  if (!MayOverwrite) {
    Keys.selector ^= 1;
    Values.selector ^= 1;
  }
  const auto By = [&](auto Less) {
    return segmentedSortBy<Key, Value>(In, Keys.Current(), ValuesIn,
                                       Values.Current(), Segments, Of, Less,
                                       Stream);
  };
  using Whole = WholeOrder<Key, IsDescending>;
  using Some = RadixOrder<Key, IsDescending>;
  if constexpr (std::is_same_v<Whole, Some>)
    return By(Some{Begin, End});
  else
    return Begin <= 0 && End >= 8 * int(sizeof(Key)) ? By(Whole{})
                                                     : By(Some{Begin, End});
}

/// What both structures do with their arguments.
template <bool IsDescending, typename Decomposer, typename Key, typename Value,
          typename Begins, typename Ends, typename Ask>
cudaError_t redirectSegmentedSort(void *Storage, size_t &Bytes,
                                  cub::DoubleBuffer<Key> &Keys,
                                  cub::DoubleBuffer<Value> &Values,
                                  Index Elements, Index Segments, Begins From,
                                  Ends To, int Begin, int End,
                                  bool MayOverwrite, cudaStream_t Stream,
                                  const Ask &AskCub) {
  if (Storage && Segments > 0) {
    constexpr auto WhyNot =
        whyNotSegmentedSort<Key, Value, Decomposer, Begins, Ends>();
    MemoryList Memory;
    Memory.add(Keys.Current(), Elements);
    Memory.add(Keys.Alternate(), Elements);
    if constexpr (!std::is_same_v<Value, cub::NullType>)
      Memory.add(Values.Current(), Elements);
    if (Memory.isTaken("segmented_sort", whyNotSegments(WhyNot, From, To),
                       Stream))
      if constexpr (!WhyNot)
        if (isRoomEnough(Bytes, AskCub))
          return segmentedSort<IsDescending>(Keys, Values, Segments, From,
                                             Begin, End, MayOverwrite, Stream);
  }
  return AskCub(Storage, Bytes);
}

} // namespace gridspan::calls

#endif // GRIDSPAN_CALLS_SEGMENTEDSORT_H
