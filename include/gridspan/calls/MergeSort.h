//===- MergeSort.h - CUB's sorting by comparison -------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cub::DeviceMergeSort, and how Thrust sorts what has no bits. All of it is
// stable here, as CUB's is.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_MERGESORT_H
#define GRIDSPAN_CALLS_MERGESORT_H

#include "gridspan/calls/RadixSort.h"

namespace gridspan::calls {

template <typename KeyIn, typename ValueIn, typename KeyOut, typename ValueOut>
constexpr GridspanCallReason whyNotMergeSort() {
  if constexpr (!IsContiguous<KeyIn> || !IsContiguous<KeyOut> ||
                !IsContiguous<ValueIn> || !IsContiguous<ValueOut>) {
    return GridspanCallNotContiguous;
  } else {
    using Key = detail::ValueOf<KeyOut>;
    using Value = detail::ValueOf<ValueOut>;
    if constexpr (!std::is_same_v<detail::ValueOf<KeyIn>, Key> ||
                  !std::is_same_v<detail::ValueOf<ValueIn>, Value>)
      return GridspanCallKeyType;
    else if constexpr (std::is_same_v<Value, cub::NullType>)
      return firstOf(whyNotElement<Key>(), whyNotInTile<Key>());
    else
      return firstOf(whyNotElement<Key>(), whyNotElement<Value>(),
                     whyNotInTile<detail::KeyedValue<Key, Value>>());
  }
}

/// The order by which keys are merged: of integers the libraries' comparisons
/// are known to be those of numbers.
template <typename Compare, typename Key>
using MergeOrder = std::conditional_t<
    std::is_integral_v<Key> &&
        !std::is_same_v<typename detail::OrderFor<Compare, Key>::Type, Compare>,
    typename detail::OrderFor<Compare, Key>::Type, Callable<Compare>>;

template <typename KeyIn, typename ValueIn, typename KeyOut, typename ValueOut,
          typename Compare>
cudaError_t mergeSort(KeyIn Keys, ValueIn Values, KeyOut KeysOut,
                      ValueOut ValuesOut, Index Count, Compare Less,
                      cudaStream_t Stream) {
  using Order = MergeOrder<Compare, detail::ValueOf<KeyOut>>;
  const auto By = [&] {
    if constexpr (std::is_same_v<Order, Callable<Compare>>)
      return Order{Less};
    else
      return Order{};
  };
  using Value = detail::ValueOf<ValueOut>;
  if constexpr (std::is_same_v<Value, cub::NullType>) {
    const Value *None = nullptr;
    return sortArrays(detail::addressOf(Keys), detail::addressOf(KeysOut), None,
                      const_cast<Value *>(None), Count, By(), Stream);
  } else {
    return sortArrays<detail::ValueOf<KeyOut>, Value>(
        detail::addressOf(Keys), detail::addressOf(KeysOut),
        detail::addressOf(Values), detail::addressOf(ValuesOut), Count, By(),
        Stream);
  }
}

} // namespace gridspan::calls

CUB_NAMESPACE_BEGIN

template <typename KeyIn, typename ValueIn, typename KeyOut, typename ValueOut,
          typename Offset, typename Compare, typename Source, typename Launcher,
          typename MemoryHelper, typename Key, typename Value>
struct DispatchMergeSort<KeyIn, ValueIn, KeyOut, ValueOut, Offset, Compare,
                         detail::merge_sort::policy_hub<KeyOut>, Source,
                         Launcher, MemoryHelper, Key, Value>
    : DispatchMergeSort<
          KeyIn, ValueIn, KeyOut, ValueOut, Offset, Compare,
          ::gridspan::calls::Untouched<detail::merge_sort::policy_hub<KeyOut>>,
          Source, Launcher, MemoryHelper, Key, Value> {
  using Own = DispatchMergeSort<
      KeyIn, ValueIn, KeyOut, ValueOut, Offset, Compare,
      ::gridspan::calls::Untouched<detail::merge_sort::policy_hub<KeyOut>>,
      Source, Launcher, MemoryHelper, Key, Value>;
  using Own::Own;

  template <typename... Rest>
  CUB_RUNTIME_FUNCTION static cudaError_t
  Dispatch(void *Storage, size_t &Bytes, KeyIn Keys, ValueIn Values,
           KeyOut KeysOut, ValueOut ValuesOut, Offset Count, Compare Less,
           cudaStream_t Stream, Rest... Others) {
    namespace calls = ::gridspan::calls;
    const auto AskCub = [&](void *At, size_t &Room) {
      return Own::Dispatch(At, Room, Keys, Values, KeysOut, ValuesOut, Count,
                           Less, Stream, Others...);
    };
    if (Storage) {
      constexpr auto WhyNot =
          calls::whyNotMergeSort<KeyIn, ValueIn, KeyOut, ValueOut>();
      const auto Elements = static_cast<calls::Index>(Count);
      calls::MemoryList Memory;
      Memory.add(Keys, Elements);
      Memory.add(KeysOut, Elements);
      if constexpr (!Own::KEYS_ONLY) {
        Memory.add(Values, Elements);
        Memory.add(ValuesOut, Elements);
      }
      if (Memory.isTaken("merge_sort", WhyNot, Stream))
        if constexpr (!WhyNot)
          if (calls::isRoomEnough(Bytes, AskCub))
            return calls::mergeSort(Keys, Values, KeysOut, ValuesOut, Elements,
                                    Less, Stream);
    }
    return AskCub(Storage, Bytes);
  }
};

CUB_NAMESPACE_END

#endif // GRIDSPAN_CALLS_MERGESORT_H
