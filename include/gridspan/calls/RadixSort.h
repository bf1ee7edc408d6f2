//===- RadixSort.h - CUB's radix sorting ---------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cub::DeviceRadixSort, and how Thrust sorts numbers.
//
// With two buffers of which both may be overwritten, the result stays in the
// one that has the keys. Else CUB's caller finds it in the other one.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_RADIXSORT_H
#define GRIDSPAN_CALLS_RADIXSORT_H

#include "gridspan/calls/RadixOrder.h"

namespace gridspan::calls {

template <typename Key, typename Value, typename Decomposer>
constexpr GridspanCallReason whyNotRadixSort() {
  using detail::KeyedValue;
  if constexpr (!HasRadixOrder<Key> ||
                !std::is_same_v<Decomposer, cub::detail::identity_decomposer_t>)
    return GridspanCallKeyType;
  else if constexpr (std::is_same_v<Value, cub::NullType>)
    return firstOf(whyNotElement<Key>(), whyNotInTile<Key>());
  else
    return firstOf(whyNotElement<Value>(),
                   whyNotInTile<KeyedValue<Key, Value>>());
}

/// Sorts keys, and values if there are some, from one array to another, which
/// may be the same.
template <typename Key, typename Value, typename Order>
cudaError_t sortArrays(const Key *Keys, Key *KeysOut, const Value *Values,
                       Value *ValuesOut, Index Count, Order Less,
                       cudaStream_t Stream) {
  using namespace detail;
  if (Count <= 0)
    return cudaSuccess;
  const bool IsInPlace = Keys == KeysOut;
  if constexpr (std::is_same_v<Value, cub::NullType>) {
    using Array = detail::Keys<Key>;
    const auto Sort = [&](const auto &Where, Key *From, Key *To) {
      return sortArray(Array{From}, Array{To}, Count, Where.frameBytes() == 0,
                       Less, Stream, Where.template gridOfLast<Key>());
    };
    Key *const In = const_cast<Key *>(Keys);
    return IsInPlace ? withMemory(
                           Stream,
                           [&](const auto &Where, Key *K) {
                             return Sort(Where, K, K);
                           },
                           writes(In, Count))
                     : withMemory(Stream, Sort, reads(In, Count),
                                  overwrites(KeysOut, Count));
  } else {
    using Array = KeysAndValues<Key, Value>;
    const auto Sort = [&](const auto &Where, Key *K, Value *V, Key *KTo,
                          Value *VTo) {
      return sortArray(Array{K, V}, Array{KTo, VTo}, Count,
                       Where.frameBytes() == 0, ByKey<Order>{Less}, Stream,
                       Where.template gridOfLast<Key, Value>());
    };
    Key *const KeysIn = const_cast<Key *>(Keys);
    Value *const ValuesIn = const_cast<Value *>(Values);
    return IsInPlace
               ? withMemory(
                     Stream,
                     [&](const auto &Where, Key *K, Value *V) {
                       return Sort(Where, K, V, K, V);
                     },
                     writes(KeysIn, Count), writes(ValuesIn, Count))
               : withMemory(Stream, Sort, reads(KeysIn, Count),
                            reads(ValuesIn, Count), overwrites(KeysOut, Count),
                            overwrites(ValuesOut, Count));
  }
}

/// The same for CUB's buffers and bits.
template <bool IsDescending, typename Key, typename Value>
cudaError_t radixSort(cub::DoubleBuffer<Key> &Keys,
                      cub::DoubleBuffer<Value> &Values, Index Count, int Begin,
                      int End, bool MayOverwrite, cudaStream_t Stream) {
  Key *const In = Keys.Current();
  Value *const ValuesIn = Values.Current();
  if (!MayOverwrite) {
    Keys.selector ^= 1;
    Values.selector ^= 1;
  }
  const auto By = [&](auto Less) {
    return sortArrays(In, Keys.Current(), ValuesIn, Values.Current(), Count,
                      Less, Stream);
  };
  using Whole = WholeOrder<Key, IsDescending>;
  using Some = RadixOrder<Key, IsDescending>;
  if constexpr (std::is_same_v<Whole, Some>)
    return By(Some{Begin, End});
  else
    return Begin <= 0 && End >= 8 * int(sizeof(Key)) ? By(Whole{})
                                                     : By(Some{Begin, End});
}

} // namespace gridspan::calls

CUB_NAMESPACE_BEGIN

template <SortOrder Order, typename Key, typename Value, typename Offset,
          typename Decomposer>
struct DispatchRadixSort<Order, Key, Value, Offset, Decomposer,
                         detail::radix::policy_hub<Key, Value, Offset>>
    : DispatchRadixSort<Order, Key, Value, Offset, Decomposer,
                        ::gridspan::calls::Untouched<
                            detail::radix::policy_hub<Key, Value, Offset>>> {
  using Own =
      DispatchRadixSort<Order, Key, Value, Offset, Decomposer,
                        ::gridspan::calls::Untouched<
                            detail::radix::policy_hub<Key, Value, Offset>>>;
  using Own::Own;

  template <typename... Rest>
  CUB_RUNTIME_FUNCTION static cudaError_t
  Dispatch(void *Storage, size_t &Bytes, DoubleBuffer<Key> &Keys,
           DoubleBuffer<Value> &Values, Offset Count, int Begin, int End,
           bool MayOverwrite, cudaStream_t Stream, Rest... Others) {
    namespace calls = ::gridspan::calls;
    const auto AskCub = [&](void *At, size_t &Room) {
      return Own::Dispatch(At, Room, Keys, Values, Count, Begin, End,
                           MayOverwrite, Stream, Others...);
    };
    if (Storage) {
      constexpr auto WhyNot = calls::whyNotRadixSort<Key, Value, Decomposer>();
      const auto Elements = static_cast<calls::Index>(Count);
      calls::MemoryList Memory;
      Memory.add(Keys.Current(), Elements);
      Memory.add(Keys.Alternate(), Elements);
      if constexpr (!Own::KEYS_ONLY)
        Memory.add(Values.Current(), Elements);
      if (Memory.isTaken("radix_sort", WhyNot, Stream))
        if constexpr (!WhyNot)
          if (calls::isRoomEnough(Bytes, AskCub))
            return calls::radixSort < Order ==
                   SortOrder::Descending > (Keys, Values, Elements, Begin, End,
                                            MayOverwrite, Stream);
    }
    return AskCub(Storage, Bytes);
  }
};

CUB_NAMESPACE_END

#endif // GRIDSPAN_CALLS_RADIXSORT_H
