//===- Order.h - The order of keys ---------------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers are sorted as unsigned integers of as many bits, which radix sorting
// and merging agree on, so that the result does not depend on which of them
// works where. Each number has one such integer and the other way round. The
// order of floating numbers is then total: numbers by value, -0.0 before 0.0,
// and behind infinity all NaN, the positive ones first.
//
// The integer of a floating number: with the sign bit set if it is positive,
// all bits turned over if it is negative, which is IEEE 754's total order; then
// the negative NaN, which come first there, go round to the end.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_ORDER_H
#define GRIDSPAN_ALGORITHM_ORDER_H

#include <cuda/std/functional>
#include <functional>
#include <type_traits>

namespace gridspan::detail {

template <size_t Bytes> struct UnsignedOf;
template <> struct UnsignedOf<1> {
  using Type = unsigned char;
};
template <> struct UnsignedOf<2> {
  using Type = unsigned short;
};
template <> struct UnsignedOf<4> {
  using Type = unsigned;
};
template <> struct UnsignedOf<8> {
  using Type = unsigned long long;
};

/// The order of Key as that of unsigned integers. Key is arithmetic, of 8 bytes
/// at most.
template <typename Key> struct OrderedBits {
  using Type = typename UnsignedOf<sizeof(Key)>::Type;
  static constexpr Type Sign =
      static_cast<Type>(Type(1) << (8 * sizeof(Key) - 1));
  /// The integer of negative infinity in the total order.
  static constexpr Type LeastNumber =
      sizeof(Key) == 4 ? Type(0x007fffff) : Type(0x000fffffffffffffULL);

  static __host__ __device__ Type of(Key K) {
    if constexpr (std::is_floating_point_v<Key>) {
      const Type Bits = __builtin_bit_cast(Type, K);
      return (Bits & Sign ? ~Bits : Bits | Sign) - LeastNumber;
    } else if constexpr (std::is_signed_v<Key>) {
      return static_cast<Type>(static_cast<Type>(K) ^ Sign);
    } else {
      return static_cast<Type>(K);
    }
  }
  static __host__ __device__ Key key(Type Ordered) {
    if constexpr (std::is_floating_point_v<Key>) {
      const Type Bits = Ordered + LeastNumber;
      return __builtin_bit_cast(Key, Bits & Sign ? Bits & ~Sign : ~Bits);
    } else if constexpr (std::is_signed_v<Key>) {
      return static_cast<Key>(static_cast<Type>(Ordered ^ Sign));
    } else {
      return static_cast<Key>(Ordered);
    }
  }
};

template <typename Key>
inline constexpr bool HasOrderedBits =
    std::is_arithmetic_v<Key> && sizeof(Key) <= 8;

/// The order of OrderedBits, of other types that of <.
struct Ascending {
  template <typename T>
  __host__ __device__ bool operator()(const T &L, const T &R) const {
    if constexpr (std::is_floating_point_v<T>)
      return OrderedBits<T>::of(L) < OrderedBits<T>::of(R);
    else
      return L < R;
  }
};

/// The same the other way round.
struct Descending {
  template <typename T>
  __host__ __device__ bool operator()(const T &L, const T &R) const {
    return Ascending()(R, L);
  }
};

/// The order by which keys are sorted if the program has said Compare: the
/// libraries' comparisons of numbers are those above.
template <typename Compare, typename Key> struct OrderFor {
  template <template <typename> class Of>
  static constexpr bool Is =
      std::is_same_v<Compare, Of<Key>> || std::is_same_v<Compare, Of<void>>;
  static constexpr bool IsLess = Is<std::less> || Is<::cuda::std::less> ||
                                 std::is_same_v<Compare, Ascending>;
  static constexpr bool IsGreater =
      Is<std::greater> || Is<::cuda::std::greater>;
  using Type =
      std::conditional_t<HasOrderedBits<Key> && IsLess, Ascending,
                         std::conditional_t<HasOrderedBits<Key> && IsGreater,
                                            Descending, Compare>>;
  static Type make(const Compare &Less) {
    if constexpr (std::is_same_v<Type, Compare>)
      return Less;
    else
      return {};
  }
};

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_ORDER_H
