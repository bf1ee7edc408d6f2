//===- SortSegments.h - The way from DeviceSegmentedSort ------ -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The specialization of what cub::DeviceSegmentedSort calls.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_SORTSEGMENTS_H
#define GRIDSPAN_CALLS_SORTSEGMENTS_H

#include "gridspan/calls/SegmentedSort.h"

CUB_NAMESPACE_BEGIN

template <SortOrder Order, typename Key, typename Value, typename Offset,
          typename Begins, typename Ends>
struct DispatchSegmentedSort<Order, Key, Value, Offset, Begins, Ends,
                             detail::segmented_sort::policy_hub<Key, Value>>
    : DispatchSegmentedSort<
          Order, Key, Value, Offset, Begins, Ends,
          ::gridspan::calls::Untouched<
              detail::segmented_sort::policy_hub<Key, Value>>> {
  using Own = DispatchSegmentedSort<
      Order, Key, Value, Offset, Begins, Ends,
      ::gridspan::calls::Untouched<
          detail::segmented_sort::policy_hub<Key, Value>>>;
  using Own::Own;

  template <typename... Rest>
  CUB_RUNTIME_FUNCTION static cudaError_t
  Dispatch(void *Storage, size_t &Bytes, DoubleBuffer<Key> &Keys,
           DoubleBuffer<Value> &Values, ::cuda::std::int64_t Count,
           typename Own::global_segment_offset_t Segments, Begins From, Ends To,
           bool MayOverwrite, cudaStream_t Stream, Rest... Others) {
    return ::gridspan::calls::redirectSegmentedSort < Order ==
               SortOrder::Descending,
           detail::identity_decomposer_t >
               (Storage, Bytes, Keys, Values, Count, Segments, From, To, 0,
                8 * int(sizeof(Key)), MayOverwrite, Stream,
                [&](void *At, size_t &Room) {
                  return Own::Dispatch(At, Room, Keys, Values, Count, Segments,
                                       From, To, MayOverwrite, Stream,
                                       Others...);
                });
  }
};

CUB_NAMESPACE_END

#endif // GRIDSPAN_CALLS_SORTSEGMENTS_H
