//===- Ways.h - What is taken, and where it goes -------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A way makes of each element a state. Scanned by the way's operation, states
// say how many results the elements up to each one have (countsOf), and so
// where those of an element are (put).
//
// Functions of the program are called twice or more for an element.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_WAYS_H
#define GRIDSPAN_ALGORITHM_WAYS_H

#include "gridspan/algorithm/Reduce.h"
#include <type_traits>

namespace gridspan::detail {

/// Numbers of results, for each of two outputs.
struct Counts {
  Index Of[2];
};

/// Outputs, of which the first elements are results number Before.
template <typename First, typename Second> struct Outlets {
  First A;
  Second B;
  Counts Before;

  template <typename T>
  __device__ void first(Index Place, const T &Value) const {
    A[Place - Before.Of[0]] = Value;
  }
  template <typename T>
  __device__ void second(Index Place, const T &Value) const {
    B[Place - Before.Of[1]] = Value;
  }
};

/// Takes elements by the program's predicate.
template <typename Predicate> struct Satisfies {
  Predicate Takes;
  template <typename Input>
  __device__ bool operator()(const Input &In, Index I) const {
    return Takes(In[I]);
  }
};

/// Takes the first of each run of equal elements.
template <typename Equality> struct BeginsRun {
  Equality Equal;
  template <typename Input>
  __device__ bool operator()(const Input &In, Index I) const {
    return I == 0 || !Equal(In[I - 1], In[I]);
  }
};

/// Elements that the test takes. The others go to the second output if they are
/// kept.
template <typename Input, typename Test, bool KeepsOthers> struct Taken {
  using State = Index;
  using First = ValueOf<Input>;
  using Second = std::conditional_t<KeepsOthers, First, char>;
  Input In;
  Test Takes;

  Plus operation() const { return {}; }
  __device__ State operator()(Index I) const { return Takes(In, I) ? 1 : 0; }
  static __device__ Counts countsOf(State Taken, Index All) {
    return {{Taken, KeepsOthers ? All - Taken : 0}};
  }
  template <typename Outputs>
  __device__ void put(Index I, State Taken, const Outputs &To) const {
    if (Takes(In, I))
      To.first(Taken - 1, In[I]);
    else if constexpr (KeepsOthers)
      To.second(I - Taken, In[I]);
  }
};

/// Sums of runs: some elements of which each may be the last of a run.
template <typename T> struct RunSums {
  /// Twice the number of ends of runs, and 1 if the last element is an end.
  Index Ends;
  /// Of the run of the last element.
  T Sum;
};

template <typename T, typename Reduction> struct AddRunSums {
  Reduction Op;
  __device__ RunSums<T> operator()(const RunSums<T> &L,
                                   const RunSums<T> &R) const {
    // A run ends before R's last element, or with L.
    const bool IsApart = R.Ends / 2 > R.Ends % 2 || L.Ends % 2;
    return {(L.Ends & ~Index(1)) + R.Ends, IsApart ? R.Sum : Op(L.Sum, R.Sum)};
  }
};

/// The key and the sum of the values of each run of equal keys.
template <typename KeyInput, typename ValueInput, typename Equality,
          typename Reduction, typename T>
struct KeyedRuns {
  using State = RunSums<T>;
  using First = ValueOf<KeyInput>;
  using Second = T;
  KeyInput Keys;
  ValueInput Values;
  Index Count;
  Equality Equal;
  Reduction Op;

  AddRunSums<T, Reduction> operation() const { return {Op}; }
  __device__ bool isEnd(Index I) const {
    return I + 1 == Count || !Equal(Keys[I], Keys[I + 1]);
  }
  __device__ State operator()(Index I) const {
    return {isEnd(I) ? 3 : 0, static_cast<T>(Values[I])};
  }
  static __device__ Counts countsOf(const State &S, Index) {
    return {{S.Ends / 2, S.Ends / 2}};
  }
  template <typename Outputs>
  __device__ void put(Index I, const State &S, const Outputs &To) const {
    if (!isEnd(I))
      return;
    To.first(S.Ends / 2 - 1, Keys[I]);
    To.second(S.Ends / 2 - 1, S.Sum);
  }
};

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_WAYS_H
