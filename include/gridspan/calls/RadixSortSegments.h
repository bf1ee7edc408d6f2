//===- RadixSortSegments.h - CUB's radix sorts of segments ---- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The specialization of what cub::DeviceSegmentedRadixSort calls.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_RADIXSORTSEGMENTS_H
#define GRIDSPAN_CALLS_RADIXSORTSEGMENTS_H

#include "gridspan/calls/SegmentedSort.h"

CUB_NAMESPACE_BEGIN

template <SortOrder Order, typename Key, typename Value, typename Begins,
          typename Ends, typename Offset, typename Decomposer>
struct DispatchSegmentedRadixSort<Order, Key, Value, Begins, Ends, Offset,
                                  detail::radix::policy_hub<Key, Value, Offset>,
                                  Decomposer>
    : DispatchSegmentedRadixSort<
          Order, Key, Value, Begins, Ends, Offset,
          ::gridspan::calls::Untouched<
              detail::radix::policy_hub<Key, Value, Offset>>,
          Decomposer> {
  using Own = DispatchSegmentedRadixSort<
      Order, Key, Value, Begins, Ends, Offset,
      ::gridspan::calls::Untouched<
          detail::radix::policy_hub<Key, Value, Offset>>,
      Decomposer>;
  using Own::Own;

  CUB_RUNTIME_FUNCTION static cudaError_t
  Dispatch(void *Storage, size_t &Bytes, DoubleBuffer<Key> &Keys,
           DoubleBuffer<Value> &Values, int Count, int Segments, Begins From,
           Ends To, int Begin, int End, bool MayOverwrite,
           cudaStream_t Stream) {
    return ::gridspan::calls::redirectSegmentedSort < Order ==
               SortOrder::Descending,
           Decomposer > (Storage, Bytes, Keys, Values, Count, Segments, From,
                         To, Begin, End, MayOverwrite, Stream,
                         [&](void *At, size_t &Room) {
                           return Own::Dispatch(At, Room, Keys, Values, Count,
                                                Segments, From, To, Begin, End,
                                                MayOverwrite, Stream);
                         });
  }
};

CUB_NAMESPACE_END

#endif // GRIDSPAN_CALLS_RADIXSORTSEGMENTS_H
