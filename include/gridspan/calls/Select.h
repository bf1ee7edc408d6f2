//===- Select.h - CUB's selections ---------------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cub::DeviceSelect but for what is unique by key, cub::DevicePartition but for
// three ways, and what Thrust makes of them: elements are taken by a predicate,
// by flags, by a predicate of flags, or if they begin a run.
//
// CUB puts what a partition does not take behind the rest, the last first.
// Thrust has it put elsewhere, in order.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_SELECT_H
#define GRIDSPAN_CALLS_SELECT_H

#include "gridspan/algorithm/Select.h"
#include "gridspan/calls/Call.h"

namespace gridspan::calls {

/// Takes elements by flags, ...
template <typename Flags> struct Flagged {
  Flags Of;
  template <typename Input>
  __device__ bool operator()(const Input &, Index I) const {
    return static_cast<bool>(Of[I]);
  }
};

/// ... and by a predicate of these.
template <typename Flags, typename Predicate> struct FlagSatisfies {
  Flags Of;
  Callable<Predicate> Takes;
  template <typename Input>
  __device__ bool operator()(const Input &, Index I) const {
    return Takes(Of[I]);
  }
};

/// Elements up to Count of an array, the last first. (A pointer to what is
/// behind them may lead to no memory, or to another's.)
template <typename Output> struct Backwards {
  Output First;
  Index Count;
  __host__ __device__ Backwards operator+(Index I) const {
    return {First, Count - I};
  }
  __device__ decltype(auto) operator[](Index I) const {
    return First[Count - 1 - I];
  }
};

/// Where the two kinds of elements go. Only kernels use them.
template <typename Output> struct Outputs {
  using First = Output;
  static First first(Output Out) { return Out; }
  static Backwards<detail::OnDevices<Output>> second(Output Out, Index Count) {
    return {detail::asIs(Out), Count};
  }
};
template <typename First_, typename Second_>
struct Outputs<
    cub::detail::select::partition_distinct_output_t<First_, Second_>> {
  using Both =
      cub::detail::select::partition_distinct_output_t<First_, Second_>;
  using First = First_;
  static First_ first(const Both &Out) { return Out.selected_it; }
  static Second_ second(const Both &Out, Index) { return Out.rejected_it; }
};

template <typename T>
inline constexpr bool IsNull =
    std::is_same_v<std::remove_cv_t<std::remove_pointer_t<T>>, cub::NullType>;

/// Returns the test by which elements are taken.
template <typename Flags, typename Predicate, typename Equality>
auto testOf(Flags Of, Predicate Takes, Equality Equal) {
  if constexpr (!IsNull<Flags> && !IsNull<Predicate>)
    return FlagSatisfies<Flags, Predicate>{Of, {Takes}};
  else if constexpr (!IsNull<Flags>)
    return Flagged<Flags>{Of};
  else if constexpr (!IsNull<Predicate>)
    return detail::Satisfies<Callable<Predicate>>{{Takes}};
  else
    return detail::BeginsRun<Callable<Equality>>{{Equal}};
}

template <cub::SelectImpl How, typename Input, typename Flags, typename Output,
          typename Number>
constexpr GridspanCallReason whyNotSelect() {
  using First = typename Outputs<Output>::First;
  // Whether results lie over the input is seen by pointers only.
  if constexpr (!IsContiguous<Number> ||
                (How == cub::SelectImpl::SelectPotentiallyInPlace &&
                 !(IsContiguous<Input> && IsContiguous<First>)))
    return GridspanCallNotContiguous;
  else
    return firstOf(whyNotInTile<detail::ValueOf<Input>>(), whyNotIn<Input>(),
                   whyNotIn<First>());
}

template <cub::SelectImpl How, typename Input, typename Flags, typename Output,
          typename Number, typename Predicate, typename Equality>
cudaError_t select(Input In, Flags Of, Output Out, Number Selected,
                   Predicate Takes, Equality Equal, Index Count,
                   cudaStream_t Stream) {
  using namespace detail;
  constexpr bool KeepsOthers = How == cub::SelectImpl::Partition;
  const Index NumFlags = IsNull<Flags> ? 0 : Count;
  return withMemory(
      Stream,
      [&](const auto &Where, auto From, auto Flag, auto *N) {
        const auto Test = testOf(Flag, Takes, Equal);
        const Taken<decltype(From), std::remove_cv_t<decltype(Test)>,
                    KeepsOthers>
            Way = {From, Test};
        if constexpr (KeepsOthers)
          return detail::select(Way, From, Count, Outputs<Output>::first(Out),
                                Outputs<Output>::second(Out, Count), N,
                                Where.FrameBytes[0], Stream);
        else
          return detail::select(Way, From, Count, Out, NoResult, N,
                                Where.FrameBytes[0], Stream);
      },
      reads(In, Count), reads(Of, NumFlags), overwrites(Selected, 1));
}

/// Keys and values of which the key begins a run.
template <typename KeyInput, typename ValueInput, typename Equality>
struct UniqueKeys {
  using State = Index;
  using First = detail::ValueOf<KeyInput>;
  using Second = detail::ValueOf<ValueInput>;
  KeyInput Keys;
  ValueInput Values;
  detail::BeginsRun<Equality> Begins;

  detail::Plus operation() const { return {}; }
  __device__ State operator()(Index I) const { return Begins(Keys, I) ? 1 : 0; }
  static __device__ detail::Counts countsOf(State Taken, Index) {
    return {{Taken, Taken}};
  }
  template <typename Outlets>
  __device__ void put(Index I, State Taken, const Outlets &To) const {
    if (!Begins(Keys, I))
      return;
    To.first(Taken - 1, Keys[I]);
    To.second(Taken - 1, Values[I]);
  }
};

template <typename KeyInput, typename ValueInput, typename KeyOutput,
          typename ValueOutput, typename Number>
constexpr GridspanCallReason whyNotUniqueByKey() {
  if constexpr (!IsContiguous<Number> || !IsContiguous<KeyInput> ||
                !IsContiguous<ValueInput>)
    return GridspanCallNotContiguous;
  else
    return firstOf(whyNotIn<KeyInput>(), whyNotIn<ValueInput>(),
                   whyNotIn<KeyOutput>(), whyNotIn<ValueOutput>());
}

template <typename KeyInput, typename ValueInput, typename KeyOutput,
          typename ValueOutput, typename Number, typename Equality>
cudaError_t uniqueByKey(KeyInput Keys, ValueInput Values, KeyOutput KeysOut,
                        ValueOutput ValuesOut, Number Selected, Equality Equal,
                        Index Count, cudaStream_t Stream) {
  using namespace detail;
  return withMemory(
      Stream,
      [&](const auto &Where, auto K, auto V, auto *N) {
        return detail::select(
            UniqueKeys<decltype(K), decltype(V), Callable<Equality>>{
                K, V, {{Equal}}},
            K, Count, KeysOut, ValuesOut, N, Where.frameBytes(), Stream);
      },
      reads(Keys, Count), reads(Values, Count), overwrites(Selected, 1));
}

} // namespace gridspan::calls

#endif // GRIDSPAN_CALLS_SELECT_H
