//===- RadixSort.h - Numbers on one device -------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorts what has room in work space by CUB's radix sort: keys as unsigned
// integers of the same order (Order.h), and values in an array of their own.
// The launch before it takes both from where they are, and the one behind it
// puts them away, with exact ranges. CUB's kernels wait for blocks of their
// own, so they run on one device, which should have the work space: where
// another one had half of it, they took 24 times as long.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_RADIXSORT_H
#define GRIDSPAN_ALGORITHM_RADIXSORT_H

#include "gridspan/algorithm/Arrays.h"
#include "gridspan/algorithm/CubMemory.h"
#include "gridspan/algorithm/Order.h"
// Calls of the program's own become primitives by what includes this.
#define GRIDSPAN_CALLS_LATER
#include <cub/device/device_radix_sort.cuh>
#undef GRIDSPAN_CALLS_LATER

namespace gridspan::detail {

/// Returns true if CUB is fast on the devices. CPU devices, which do not
/// interrupt kernels, run blocks that wait for each other one by one.
inline bool isRadixFast() {
  static const bool IsFast = [] {
    int Device = 0, Preempts = 0;
    return !cudaGetDevice(&Device) &&
           !cudaDeviceGetAttribute(
               &Preempts, cudaDevAttrComputePreemptionSupported, Device) &&
           Preempts;
  }();
  return IsFast;
}

/// Radix sorting of arrays, where there is that. InParts: it is in two steps,
/// so that devices can do parts of it; else in one.
template <typename Array, typename Compare> struct RadixSort {
  static constexpr bool Exists = false, InParts = false;
};

/// The integer by which a key is sorted.
template <typename Key, bool IsDescending> struct RadixKey {
  using Type = typename OrderedBits<Key>::Type;
  /// Keys are no such integers as they are.
  static constexpr bool Converts = IsDescending || !std::is_same_v<Key, Type>;
  static __device__ Type of(Key K) {
    const Type Bits = OrderedBits<Key>::of(K);
    return IsDescending ? static_cast<Type>(~Bits) : Bits;
  }
  static __device__ Key key(Type Bits) {
    return OrderedBits<Key>::key(IsDescending ? static_cast<Type>(~Bits)
                                              : Bits);
  }
};

/// The same for keys that are sorted as they are.
template <typename Key> struct AsTheyAre {
  using Type = Key;
  static constexpr bool Converts = false;
  static __device__ Key of(Key K) { return K; }
  static __device__ Key key(Key K) { return K; }
};

template <typename Radix, typename Key>
__global__ void __launch_bounds__(ElementThreads)
    takeKeys(Keys<Key> From, typename Radix::Type *Out, Index Elements) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < Elements)
    Out[I] = Radix::of(From.K[I]);
}

template <typename Radix, typename Output>
__global__ void __launch_bounds__(ElementThreads)
    putKeys(const typename Radix::Type *In, Output To, Index Elements) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < Elements)
    To(I, Radix::key(In[I]));
}

/// The same in their place: to integers, or back.
template <typename Radix, typename Key, bool IsBack>
__global__ void __launch_bounds__(ElementThreads)
    convertKeys(typename Radix::Type *K, Index Elements) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I >= Elements)
    return;
  Key Of;
  static_assert(sizeof Of == sizeof *K, "in the place of the key");
  if constexpr (IsBack) {
    Of = Radix::key(K[I]);
    memcpy(&K[I], &Of, sizeof Of);
  } else {
    memcpy(&Of, &K[I], sizeof Of);
    K[I] = Radix::of(Of);
  }
}

template <typename Radix, bool IsBack, typename Key>
cudaError_t convertInPlace(Key *K, Index Count, cudaStream_t Stream) {
  if constexpr (Radix::Converts)
    return launchForEach(convertKeys<Radix, Key, IsBack>, Count, Stream,
                         reinterpret_cast<typename Radix::Type *>(K), Count);
  return cudaSuccess;
}

/// Copies between memory of devices and any other. Behind each other in a chain
/// such copies may go by themselves, beside the devices' work.
template <typename T>
cudaError_t copyArray(T *To, const T *From, Index Count, cudaStream_t Stream) {
  return cudaMemcpyAsync(To, From, static_cast<size_t>(Count) * sizeof(T),
                         cudaMemcpyDefault, Stream);
}

template <typename Radix, typename Key, typename Value>
__global__ void __launch_bounds__(ElementThreads)
    takePairs(KeysAndValues<Key, Value> From, typename Radix::Type *OutKeys,
              Value *OutValues, Index Elements) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < Elements) {
    OutKeys[I] = Radix::of(From.K[I]);
    OutValues[I] = From.V[I];
  }
}

template <typename Radix, typename Key, typename Value, typename Output>
__global__ void __launch_bounds__(ElementThreads)
    putPairs(const typename Radix::Type *InKeys, const Value *InValues,
             Output To, Index Elements) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < Elements)
    To(I, KeyedValue<Key, Value>{Radix::key(InKeys[I]), InValues[I]});
}

/// Sorts by bits [Begin, End) of keys, as CUB does, but never by way of a
/// primitive.
template <bool IsDescending, typename Key, typename Value>
cudaError_t sortByCub(void *Memory, size_t &Bytes, cub::DoubleBuffer<Key> &Keys,
                      cub::DoubleBuffer<Value> &Values, Index Count, int Begin,
                      int End, cudaStream_t Stream) {
#if GRIDSPAN_CALLS
  using Offset = cub::detail::choose_offset_t<Index>;
  using Policies =
      calls::Untouched<cub::detail::radix::policy_hub<Key, Value, Offset>>;
  return cub::DispatchRadixSort < IsDescending ? cub::SortOrder::Descending
                                               : cub::SortOrder::Ascending,
         Key, Value, Offset, cub::detail::identity_decomposer_t,
         Policies > ::Dispatch(Memory, Bytes, Keys, Values,
                               static_cast<Offset>(Count), Begin, End, true,
                               Stream);
#else
  using Sort = cub::DeviceRadixSort;
  if constexpr (std::is_same_v<Value, cub::NullType>)
    return IsDescending
               ? Sort::SortKeysDescending(Memory, Bytes, Keys, Count, Begin,
                                          End, Stream)
               : Sort::SortKeys(Memory, Bytes, Keys, Count, Begin, End, Stream);
  else
    return IsDescending ? Sort::SortPairsDescending(Memory, Bytes, Keys, Values,
                                                    Count, Begin, End, Stream)
                        : Sort::SortPairs(Memory, Bytes, Keys, Values, Count,
                                          Begin, End, Stream);
#endif
}

/// Sets Bytes to the memory that CUB wants to sort Count keys, and values if
/// there are any, between two halves.
template <typename Radix, bool IsDescending, typename Value = cub::NullType>
cudaError_t findCubMemory(Index Count, int Begin, int End, size_t &Bytes) {
  cub::DoubleBuffer<typename Radix::Type> OfKeys;
  cub::DoubleBuffer<Value> OfValues;
  return sortByCub<IsDescending>(nullptr, Bytes, OfKeys, OfValues, Count, Begin,
                                 End, nullptr);
}

/// Sorts what Half has as Radix has it, by bits [Begin, End). Changes Half and
/// Other if it is there then.
template <typename Radix, bool IsDescending, typename Key>
cudaError_t sortHalf(Index Count, Key *&Half, Key *&Other, int Begin, int End,
                     CubMemory &Cub, cudaStream_t Stream) {
  using Bits = typename Radix::Type;
  cub::DoubleBuffer<Bits> Both(reinterpret_cast<Bits *>(Half),
                               reinterpret_cast<Bits *>(Other));
  cub::DoubleBuffer<cub::NullType> None;
  const auto Sort = [&](void *Memory, size_t &Bytes) {
    return sortByCub<IsDescending>(Memory, Bytes, Both, None, Count, Begin, End,
                                   Stream);
  };
  const auto Bytes = static_cast<size_t>(Count) * sizeof(Key);
  if (cudaError_t Error =
          Cub.callOn({{Half, Bytes}, {Other, Bytes}}, Sort, Stream))
    return Error;
  if (Both.selector)
    std::swap(Half, Other);
  return cudaSuccess;
}

/// Sorts what Work0 has as Radix has it, by bits [Begin, End), and puts it to
/// Place(the half of the work space where it is not).
template <typename Radix, bool IsDescending, typename Key, typename Function>
cudaError_t orderKeys(Index Count, Key *Work0, Key *Work1, int Begin, int End,
                      Function Place, CubMemory &Cub, cudaStream_t Stream) {
  if (cudaError_t Error = sortHalf<Radix, IsDescending>(
          Count, Work0, Work1, Begin, End, Cub, Stream))
    return Error;
  const auto To = Place(Work1);
  return launchForEach(
      putKeys<Radix, std::remove_const_t<decltype(To)>>, Count, Stream,
      reinterpret_cast<const typename Radix::Type *>(Work0), To, Count);
}

/// Brings keys to a half by a copy, as they are.
template <typename Key>
cudaError_t bringToHalf(Keys<Key> From, Index Count, Key *Half, Index At, Index,
                        cudaStream_t Stream) {
  return copyArray(Half + At, From.K, Count, Stream);
}

/// Puts them where they belong by a copy.
template <typename Key>
cudaError_t putFromHalf(Key *Half, Keys<Key> To, Index Count,
                        cudaStream_t Stream) {
  return copyArray(To.K, Half, Count, Stream);
}

/// Returns the keys of a half.
template <typename Key> Key *keysOf(Key *Half, Index) { return Half; }

/// Sorts what was brought to Half. Changes Half and Other if it is there then.
template <typename Radix, bool IsDescending, typename T>
cudaError_t orderHalf(Index Count, T *&Half, T *&Other, int Begin, int End,
                      CubMemory &Cub, cudaStream_t Stream) {
  if (cudaError_t Error =
          convertInPlace<Radix, false>(keysOf(Half, Count), Count, Stream))
    return Error;
  if (cudaError_t Error = sortHalf<Radix, IsDescending>(
          Count, Half, Other, Begin, End, Cub, Stream))
    return Error;
  return convertInPlace<Radix, true>(keysOf(Half, Count), Count, Stream);
}

/// What sorting by all bits of keys has in common, with values or without.
template <typename Key, bool IsDescending> struct RadixSortWhole {
  using Radix = RadixKey<Key, IsDescending>;
  static constexpr int Bits = 8 * int(sizeof(Key));

  /// Sorts what was brought to Half, as orderHalf() does.
  template <typename T, typename Compare>
  static cudaError_t orderBrought(Index Count, T *&Half, T *&Other,
                                  const Compare &, CubMemory &Cub,
                                  cudaStream_t Stream) {
    return orderHalf<Radix, false>(Count, Half, Other, 0, Bits, Cub, Stream);
  }
};

/// Keys. Work is two halves of work space, for as many elements.
template <typename Key, bool IsDescending>
struct RadixSortKeys : RadixSortWhole<Key, IsDescending> {
  using Whole = RadixSortWhole<Key, IsDescending>;
  using Radix = typename Whole::Radix;
  static constexpr bool Exists = HasOrderedBits<Key>, InParts = true;

  /// Sets Bytes to what CUB wants beside Count elements twice.
  template <typename Compare>
  static cudaError_t findMemory(Index Count, const Compare &, size_t &Bytes) {
    return findCubMemory<Radix, false>(Count, 0, Whole::Bits, Bytes);
  }

  /// Brings elements to a half, where they are those from number At on of All.
  static cudaError_t take(Keys<Key> From, Index Count, Key *Half, Index At,
                          Index, cudaStream_t Stream) {
    return launchForEach(takeKeys<Radix, Key>, Count, Stream, From,
                         reinterpret_cast<typename Radix::Type *>(Half) + At,
                         Count);
  }

  /// Sorts them and puts them to Place(the half where they are not).
  template <typename Compare, typename Function>
  static cudaError_t order(Index Count, Key *Work0, Key *Work1, const Compare &,
                           Function Place, CubMemory &Cub,
                           cudaStream_t Stream) {
    return orderKeys<Radix, false>(Count, Work0, Work1, 0, Whole::Bits, Place,
                                   Cub, Stream);
  }
};
template <typename Key>
struct RadixSort<Keys<Key>, Ascending> : RadixSortKeys<Key, false> {};
template <typename Key>
struct RadixSort<Keys<Key>, Descending> : RadixSortKeys<Key, true> {};

/// Keys and values apart in the memory of pairs. Those of larger alignment come
/// first.
template <typename Key, typename Value> struct HalfOfPairs {
  using Pair = KeyedValue<Key, Value>;
  static constexpr bool KeysFirst = alignof(Key) >= alignof(Value);
  static Key *keys(Pair *Half, Index Count) {
    auto *const Begin = reinterpret_cast<char *>(Half);
    return reinterpret_cast<Key *>(
        KeysFirst ? Begin : Begin + Count * Index(sizeof(Value)));
  }
  static Value *values(Pair *Half, Index Count) {
    auto *const Begin = reinterpret_cast<char *>(Half);
    return reinterpret_cast<Value *>(
        KeysFirst ? Begin + Count * Index(sizeof(Key)) : Begin);
  }
};

template <typename Key, typename Value>
Key *keysOf(KeyedValue<Key, Value> *Half, Index Count) {
  return HalfOfPairs<Key, Value>::keys(Half, Count);
}

/// Brings pairs to a half, where they are those from number At on of All, and
/// keys as Radix has them.
template <typename Radix, typename Key, typename Value>
cudaError_t takeToHalf(KeysAndValues<Key, Value> From, Index Count,
                       KeyedValue<Key, Value> *Half, Index At, Index All,
                       cudaStream_t Stream) {
  using Parts = HalfOfPairs<Key, Value>;
  auto *const Keys =
      reinterpret_cast<typename Radix::Type *>(Parts::keys(Half, All));
  return launchForEach(takePairs<Radix, Key, Value>, Count, Stream, From,
                       Keys + At, Parts::values(Half, All) + At, Count);
}

/// The same as sortHalf() for pairs.
template <typename Radix, bool IsDescending, typename Key, typename Value>
cudaError_t sortHalf(Index Count, KeyedValue<Key, Value> *&Half,
                     KeyedValue<Key, Value> *&Other, int Begin, int End,
                     CubMemory &Cub, cudaStream_t Stream) {
  using Parts = HalfOfPairs<Key, Value>;
  using Bits = typename Radix::Type;
  cub::DoubleBuffer<Bits> OfKeys(
      reinterpret_cast<Bits *>(Parts::keys(Half, Count)),
      reinterpret_cast<Bits *>(Parts::keys(Other, Count)));
  cub::DoubleBuffer<Value> OfValues(Parts::values(Half, Count),
                                    Parts::values(Other, Count));
  const auto Sort = [&](void *Memory, size_t &Bytes) {
    return sortByCub<IsDescending>(Memory, Bytes, OfKeys, OfValues, Count,
                                   Begin, End, Stream);
  };
  const auto Bytes =
      static_cast<size_t>(Count) * sizeof(KeyedValue<Key, Value>);
  if (cudaError_t Error =
          Cub.callOn({{Half, Bytes}, {Other, Bytes}}, Sort, Stream))
    return Error;
  if (OfKeys.selector)
    std::swap(Half, Other);
  return cudaSuccess;
}

/// The same as orderKeys() for pairs.
template <typename Radix, bool IsDescending, typename Key, typename Value,
          typename Function>
cudaError_t orderPairs(Index Count, KeyedValue<Key, Value> *Work0,
                       KeyedValue<Key, Value> *Work1, int Begin, int End,
                       Function Place, CubMemory &Cub, cudaStream_t Stream) {
  using Parts = HalfOfPairs<Key, Value>;
  if (cudaError_t Error = sortHalf<Radix, IsDescending>(
          Count, Work0, Work1, Begin, End, Cub, Stream))
    return Error;
  const auto To = Place(Work1);
  return launchForEach(
      putPairs<Radix, Key, Value, std::remove_const_t<decltype(To)>>, Count,
      Stream,
      reinterpret_cast<const typename Radix::Type *>(Parts::keys(Work0, Count)),
      static_cast<const Value *>(Parts::values(Work0, Count)), To, Count);
}

/// The same for pairs.
template <typename Key, typename Value>
cudaError_t bringToHalf(KeysAndValues<Key, Value> From, Index Count,
                        KeyedValue<Key, Value> *Half, Index At, Index All,
                        cudaStream_t Stream) {
  using Parts = HalfOfPairs<Key, Value>;
  const cudaError_t Error =
      copyArray(Parts::keys(Half, All) + At, From.K, Count, Stream);
  return Error
             ? Error
             : copyArray(Parts::values(Half, All) + At, From.V, Count, Stream);
}

template <typename Key, typename Value>
cudaError_t putFromHalf(KeyedValue<Key, Value> *Half,
                        KeysAndValues<Key, Value> To, Index Count,
                        cudaStream_t Stream) {
  using Parts = HalfOfPairs<Key, Value>;
  const cudaError_t Error =
      copyArray(To.K, Parts::keys(Half, Count), Count, Stream);
  return Error ? Error
               : copyArray(To.V, Parts::values(Half, Count), Count, Stream);
}

/// Keys and values.
template <typename Key, typename Value, bool IsDescending>
struct RadixSortPairs : RadixSortWhole<Key, IsDescending> {
  using Whole = RadixSortWhole<Key, IsDescending>;
  using Radix = typename Whole::Radix;
  using Pair = KeyedValue<Key, Value>;
  /// Larger values take more time to move in each of CUB's passes than merging
  /// takes.
  static constexpr bool Exists = HasOrderedBits<Key> && sizeof(Value) <= 16;
  static constexpr bool InParts = true;

  template <typename Compare>
  static cudaError_t findMemory(Index Count, const Compare &, size_t &Bytes) {
    return findCubMemory<Radix, false, Value>(Count, 0, Whole::Bits, Bytes);
  }

  static cudaError_t take(KeysAndValues<Key, Value> From, Index Count,
                          Pair *Half, Index At, Index All,
                          cudaStream_t Stream) {
    return takeToHalf<Radix>(From, Count, Half, At, All, Stream);
  }

  template <typename Compare, typename Function>
  static cudaError_t order(Index Count, Pair *Work0, Pair *Work1,
                           const Compare &, Function Place, CubMemory &Cub,
                           cudaStream_t Stream) {
    return orderPairs<Radix, false>(Count, Work0, Work1, 0, Whole::Bits, Place,
                                    Cub, Stream);
  }
};
template <typename Key, typename Value>
struct RadixSort<KeysAndValues<Key, Value>, ByKey<Ascending>>
    : RadixSortPairs<Key, Value, false> {};
template <typename Key, typename Value>
struct RadixSort<KeysAndValues<Key, Value>, ByKey<Descending>>
    : RadixSortPairs<Key, Value, true> {};

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_RADIXSORT_H
