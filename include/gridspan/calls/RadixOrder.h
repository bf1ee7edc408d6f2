//===- RadixOrder.h - The order of CUB's radix sorting -------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUB sorts keys by bits Begin to End of unsigned integers, and is stable. Of
// floating types zeros of both signs are equal, negative NaN come first, and
// positive ones last. Merging by the same order gives the same result, bit for
// bit; where radix sorting is fast, CUB does it in the work space.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_RADIXORDER_H
#define GRIDSPAN_CALLS_RADIXORDER_H

#include "gridspan/algorithm/Sorter.h"
#include "gridspan/calls/Call.h"

namespace gridspan::calls {

template <typename Key, bool IsDescending> struct RadixOrder {
  using Traits = cub::Traits<Key>;
  using Bits = typename Traits::UnsignedBits;
  int Begin = 0;
  int End = 8 * int(sizeof(Key));

  __host__ __device__ Bits of(const Key &K) const {
    Bits B = Traits::TwiddleIn(__builtin_bit_cast(Bits, K));
    if constexpr (::cuda::is_floating_point_v<Key>) {
      const Bits MinusZero =
          static_cast<Bits>(Bits(1) << static_cast<Bits>(8 * sizeof(Bits) - 1));
      if (B == Traits::TwiddleIn(MinusZero))
        B = Traits::TwiddleIn(Bits(0));
    }
    const int Unused = 8 * int(sizeof(Bits)) - End;
    B = static_cast<Bits>(static_cast<Bits>(B << Unused) >> Unused);
    return static_cast<Bits>(B >> Begin);
  }
  __host__ __device__ bool operator()(const Key &L, const Key &R) const {
    // No bits at all: keys are equal.
    if (Begin >= End)
      return false;
    return IsDescending ? of(R) < of(L) : of(L) < of(R);
  }
};

/// True for keys that CUB has bits of.
template <typename Key>
inline constexpr bool HasRadixOrder = cub::detail::is_primitive_v<Key>;

/// The order of keys by all bits: that of the primitives is the same, and
/// known to be that of numbers, for integers.
template <typename Key, bool IsDescending>
using WholeOrder = std::conditional_t<
    std::is_integral_v<Key> && detail::HasOrderedBits<Key>,
    std::conditional_t<IsDescending, detail::Descending, detail::Ascending>,
    RadixOrder<Key, IsDescending>>;

} // namespace gridspan::calls

namespace gridspan::detail {

/// Keys, by CUB itself.
template <typename Key, bool IsDescending>
struct RadixSort<Keys<Key>, calls::RadixOrder<Key, IsDescending>> {
  using Order = calls::RadixOrder<Key, IsDescending>;
  static constexpr bool Exists = true, InParts = true;

  static cudaError_t findMemory(Index Count, const Order &By, size_t &Bytes) {
    return findCubMemory<AsTheyAre<Key>, IsDescending>(Count, By.Begin, By.End,
                                                       Bytes);
  }

  static cudaError_t take(Keys<Key> From, Index Count, Key *Half, Index At,
                          Index, cudaStream_t Stream) {
    return copyOnDevices(From.K, Half + At, Count, Stream);
  }

  template <typename Function>
  static cudaError_t order(Index Count, Key *Work0, Key *Work1, const Order &By,
                           Function Place, CubMemory &Cub,
                           cudaStream_t Stream) {
    return orderKeys<AsTheyAre<Key>, IsDescending>(
        Count, Work0, Work1, By.Begin, By.End, Place, Cub, Stream);
  }

  static cudaError_t orderBrought(Index Count, Key *&Half, Key *&Other,
                                  const Order &By, CubMemory &Cub,
                                  cudaStream_t Stream) {
    return orderHalf<AsTheyAre<Key>, IsDescending>(Count, Half, Other, By.Begin,
                                                   By.End, Cub, Stream);
  }
};

/// Keys with values.
template <typename Key, typename Value, bool IsDescending>
struct RadixSort<KeysAndValues<Key, Value>,
                 ByKey<calls::RadixOrder<Key, IsDescending>>> {
  using Pair = KeyedValue<Key, Value>;
  using Order = ByKey<calls::RadixOrder<Key, IsDescending>>;
  static constexpr bool Exists = sizeof(Value) <= 16, InParts = true;

  static cudaError_t findMemory(Index Count, const Order &By, size_t &Bytes) {
    return findCubMemory<AsTheyAre<Key>, IsDescending, Value>(
        Count, By.Less.Begin, By.Less.End, Bytes);
  }

  static cudaError_t take(KeysAndValues<Key, Value> From, Index Count,
                          Pair *Half, Index At, Index All,
                          cudaStream_t Stream) {
    return takeToHalf<AsTheyAre<Key>>(From, Count, Half, At, All, Stream);
  }

  template <typename Function>
  static cudaError_t order(Index Count, Pair *Work0, Pair *Work1,
                           const Order &By, Function Place, CubMemory &Cub,
                           cudaStream_t Stream) {
    return orderPairs<AsTheyAre<Key>, IsDescending>(
        Count, Work0, Work1, By.Less.Begin, By.Less.End, Place, Cub, Stream);
  }

  static cudaError_t orderBrought(Index Count, Pair *&Half, Pair *&Other,
                                  const Order &By, CubMemory &Cub,
                                  cudaStream_t Stream) {
    return orderHalf<AsTheyAre<Key>, IsDescending>(
        Count, Half, Other, By.Less.Begin, By.Less.End, Cub, Stream);
  }
};

} // namespace gridspan::detail

#endif // GRIDSPAN_CALLS_RADIXORDER_H
