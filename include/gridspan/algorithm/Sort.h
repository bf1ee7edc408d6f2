//===- Sort.h - Sorting --------------------------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorting of keys, and of keys with values. All of it is stable.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_SORT_H
#define GRIDSPAN_ALGORITHM_SORT_H

#include "gridspan/algorithm/Sorter.h"

namespace gridspan {

/// Sorts the elements so that Less is true for none and one before it. Of equal
/// elements the order stays.
template <
    typename Iterator, typename Compare,
    typename = std::enable_if_t<!std::is_convertible_v<Compare, cudaStream_t>>>
cudaError_t stable_sort(Iterator First, Iterator Last, Compare Less,
                        cudaStream_t Stream = nullptr) {
  using namespace detail;
  static_assert(IsContiguous<Iterator>, "elements in memory are sorted");
  const Index Count = Last - First;
  if (Count <= 1)
    return cudaSuccess;
  return withMemory(
      Stream,
      [&](const auto &Where, auto *K) {
        using Order = OrderFor<Compare, ValueOf<Iterator>>;
        return sortArray(Keys<ValueOf<Iterator>>{K}, Count,
                         Where.frameBytes() == 0, Order::make(Less), Stream,
                         Where.template gridOfLast<ValueOf<Iterator>>());
      },
      writes(First, Count));
}

template <typename Iterator>
cudaError_t stable_sort(Iterator First, Iterator Last,
                        cudaStream_t Stream = nullptr) {
  return stable_sort(First, Last, detail::Ascending(), Stream);
}

/// The same.
template <
    typename Iterator, typename Compare,
    typename = std::enable_if_t<!std::is_convertible_v<Compare, cudaStream_t>>>
cudaError_t sort(Iterator First, Iterator Last, Compare Less,
                 cudaStream_t Stream = nullptr) {
  return stable_sort(First, Last, Less, Stream);
}

template <typename Iterator>
cudaError_t sort(Iterator First, Iterator Last, cudaStream_t Stream = nullptr) {
  return stable_sort(First, Last, detail::Ascending(), Stream);
}

/// Sorts keys, and values as their keys. Of equal keys the order stays.
template <
    typename KeyIterator, typename ValueIterator, typename Compare,
    typename = std::enable_if_t<!std::is_convertible_v<Compare, cudaStream_t>>>
cudaError_t stable_sort_by_key(KeyIterator First, KeyIterator Last,
                               ValueIterator Values, Compare Less,
                               cudaStream_t Stream = nullptr) {
  using namespace detail;
  static_assert(IsContiguous<KeyIterator> && IsContiguous<ValueIterator>,
                "elements in memory are sorted");
  const Index Count = Last - First;
  if (Count <= 1)
    return cudaSuccess;
  return withMemory(
      Stream,
      [&](const auto &Where, auto *K, auto *V) {
        using Key = ValueOf<KeyIterator>;
        using Order = OrderFor<Compare, Key>;
        return sortArray(
            KeysAndValues<Key, ValueOf<ValueIterator>>{K, V}, Count,
            Where.frameBytes() == 0,
            ByKey<typename Order::Type>{Order::make(Less)}, Stream,
            Where.template gridOfLast<Key, ValueOf<ValueIterator>>());
      },
      writes(First, Count), writes(Values, Count));
}

template <typename KeyIterator, typename ValueIterator>
cudaError_t stable_sort_by_key(KeyIterator First, KeyIterator Last,
                               ValueIterator Values,
                               cudaStream_t Stream = nullptr) {
  return stable_sort_by_key(First, Last, Values, detail::Ascending(), Stream);
}

/// The same.
template <
    typename KeyIterator, typename ValueIterator, typename Compare,
    typename = std::enable_if_t<!std::is_convertible_v<Compare, cudaStream_t>>>
cudaError_t sort_by_key(KeyIterator First, KeyIterator Last,
                        ValueIterator Values, Compare Less,
                        cudaStream_t Stream = nullptr) {
  return stable_sort_by_key(First, Last, Values, Less, Stream);
}

template <typename KeyIterator, typename ValueIterator>
cudaError_t sort_by_key(KeyIterator First, KeyIterator Last,
                        ValueIterator Values, cudaStream_t Stream = nullptr) {
  return stable_sort_by_key(First, Last, Values, detail::Ascending(), Stream);
}

} // namespace gridspan

#endif // GRIDSPAN_ALGORITHM_SORT_H
