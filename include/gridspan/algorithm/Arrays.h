//===- Arrays.h - Keys, and keys with values ------------------ -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is sorted, merged and searched, and the order of keys.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_ARRAYS_H
#define GRIDSPAN_ALGORITHM_ARRAYS_H

#include "gridspan/algorithm/Memory.h"

namespace gridspan::detail {

/// The order of keys by <. Of a floating type all NaN come last, and are equal;
/// so are zeros of both signs.
struct KeyLess {
  template <typename T, typename U>
  __host__ __device__ bool operator()(const T &L, const U &R) const {
    if constexpr (std::is_floating_point_v<T> || std::is_floating_point_v<U>)
      return L < R || (R != R && L == L);
    else
      return L < R;
  }
};

template <typename Key, typename Value> struct KeyedValue {
  Key K;
  Value V;
};

template <typename Compare> struct ByKey {
  Compare Less;
  template <typename T>
  __host__ __device__ bool operator()(const T &L, const T &R) const {
    return Less(L.K, R.K);
  }
};

/// A range of one iterator, of kernels, as arrays are used.
template <typename Iterator> struct Range {
  Iterator It;
  Range from(Index I) const { return {It + I}; }
  __device__ ValueOf<Iterator> operator[](Index I) const { return It[I]; }
  template <typename T> __device__ void operator()(Index I, const T &E) const {
    It[I] = E;
  }
};

/// The same of two iterators.
template <typename Key, typename Value, typename KeyIterator,
          typename ValueIterator>
struct KeyedRange {
  KeyIterator K;
  ValueIterator V;
  KeyedRange from(Index I) const { return {K + I, V + I}; }
  __device__ KeyedValue<Key, Value> operator[](Index I) const {
    return {static_cast<Key>(K[I]), static_cast<Value>(V[I])};
  }
  __device__ void operator()(Index I, const KeyedValue<Key, Value> &E) const {
    K[I] = E.K;
    V[I] = E.V;
  }
};

/// Where elements come from and go to: one array, ...
template <typename T> struct Keys {
  using Element = T;
  T *K;
  Keys from(Index I) const { return {K + I}; }
  __device__ T operator()(Index I) const { return K[I]; }
  __device__ void operator()(Index I, const T &E) const { K[I] = E; }
};

/// ... or two.
template <typename Key, typename Value> struct KeysAndValues {
  using Element = KeyedValue<Key, Value>;
  Key *K;
  Value *V;
  KeysAndValues from(Index I) const { return {K + I, V + I}; }
  __device__ Element operator()(Index I) const { return {K[I], V[I]}; }
  __device__ void operator()(Index I, const Element &E) const {
    K[I] = E.K;
    V[I] = E.V;
  }
};

/// Work space for the elements of an array.
template <typename Array> class ArraySpace;
template <typename T> class ArraySpace<Keys<T>> {
public:
  explicit ArraySpace(cudaStream_t Stream) : K(Stream) {}
  cudaError_t allocate(Index Elements) { return K.allocate(Elements); }
  Keys<T> get() const { return {K.get()}; }

private:
  WorkSpace<T> K;
};
template <typename Key, typename Value>
class ArraySpace<KeysAndValues<Key, Value>> {
public:
  explicit ArraySpace(cudaStream_t Stream) : K(Stream), V(Stream) {}
  cudaError_t allocate(Index Elements) {
    const cudaError_t Error = K.allocate(Elements);
    return Error ? Error : V.allocate(Elements);
  }
  KeysAndValues<Key, Value> get() const { return {K.get(), V.get()}; }

private:
  WorkSpace<Key> K;
  WorkSpace<Value> V;
};

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_ARRAYS_H
