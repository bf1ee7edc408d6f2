//===- ScanByKey.h - CUB's scans of runs ---------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cub::DeviceScan by key, and what Thrust makes of it: a scan of sums since the
// last run has begun. What comes before an element that begins a run is known
// to be nothing, so that the very first one needs nothing before it either.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_SCANBYKEY_H
#define GRIDSPAN_CALLS_SCANBYKEY_H

#include "gridspan/algorithm/Scan.h"
#include "gridspan/algorithm/Ways.h"
#include "gridspan/calls/Call.h"

namespace gridspan::calls {

template <typename T> struct SumOfRun {
  T Sum;
  bool Begins; ///< a run begins in it
};

template <typename T, typename Operation> struct AddSumsOfRuns {
  Operation Op;
  __device__ SumOfRun<T> operator()(const SumOfRun<T> &L,
                                    const SumOfRun<T> &R) const {
    return R.Begins ? R
                    : SumOfRun<T>{static_cast<T>(Op(L.Sum, R.Sum)), L.Begins};
  }
};

/// Elements from Lo on, with keys.
template <typename T, typename Keys, typename Values, typename Equality>
struct KeyedElements {
  Keys K;
  Values V;
  detail::BeginsRun<Equality> Begins;
  Index Lo;
  KeyedElements from(Index I) const { return {K, V, Begins, Lo + I}; }
  __device__ SumOfRun<T> operator()(Index I) const {
    return {static_cast<T>(V[Lo + I]), Begins(K, Lo + I)};
  }
};

/// Puts away what comes up to an element, ...
template <typename Output> struct InclusiveSums {
  Output Out;
  InclusiveSums from(Index I) const { return {Out + I}; }
  template <typename T>
  __device__ void operator()(Index I, const SumOfRun<T> &S) const {
    Out[I] = S.Sum;
  }
};

/// ... or Init and what comes before it.
template <typename Keys, typename Output, typename Equality, typename Init,
          typename Operation>
struct ExclusiveSums {
  Keys K;
  Output Out;
  detail::BeginsRun<Equality> Begins;
  Init First;
  Operation Op;
  Index Lo;
  ExclusiveSums from(Index I) const {
    return {K, Out, Begins, First, Op, Lo + I};
  }
  template <typename T>
  __device__ void operator()(Index I, const SumOfRun<T> &S) const {
    const T Before = static_cast<T>(First);
    Out[Lo + I] =
        Begins(K, Lo + I) ? Before : static_cast<T>(Op(Before, S.Sum));
  }
};

template <typename T, typename Keys, typename Values, typename Output>
constexpr GridspanCallReason whyNotScanByKey() {
  return firstOf(whyNotInTile<T, 16>(), whyNotIn<Keys>(), whyNotIn<Values>(),
                 whyNotIn<Output>());
}

template <typename T, typename Keys, typename Values, typename Output,
          typename Equality, typename Operation, typename Init>
cudaError_t scanByKey(Keys K, Values V, Output Out, Equality Equal,
                      Operation Op, Init First, Index Count,
                      cudaStream_t Stream) {
  using namespace detail;
  using State = SumOfRun<T>;
  if (Count <= 0)
    return cudaSuccess;
  const BeginsRun<Callable<Equality>> Begins = {{Equal}};
  const Callable<Operation> Combine = {Op};
  const AddSumsOfRuns<T, Callable<Operation>> Add = {Combine};
  const State *const Nothing = nullptr;
  return withMemory(
      Stream,
      [&](const auto &Where, auto KeysHere, auto ValuesHere, auto OutHere) {
        using Load = KeyedElements<T, decltype(KeysHere), decltype(ValuesHere),
                                   Callable<Equality>>;
        const Load From = {KeysHere, ValuesHere, Begins, 0};
        const Index Segment = segmentOf<State>(Count, Where.frameBytes());
        if constexpr (std::is_same_v<Init, cub::NullType>) {
          return scanAll<true, State>(From,
                                      InclusiveSums<decltype(OutHere)>{OutHere},
                                      Count, Segment, Nothing, Add, Stream);
        } else {
          using Store =
              ExclusiveSums<decltype(KeysHere), decltype(OutHere),
                            Callable<Equality>, Init, Callable<Operation>>;
          return scanAll<false, State>(
              From, Store{KeysHere, OutHere, Begins, First, Combine, 0}, Count,
              Segment, Nothing, Add, Stream);
        }
      },
      reads(K, Count), reads(V, Count), overwrites(Out, Count));
}

/// The policies that CUB chooses.
template <typename Keys, typename Values, typename T, typename Operation>
using ScanByKeyPolicies = cub::detail::scan_by_key::policy_hub<
    Keys, T, cub::detail::it_value_t<Values>, Operation>;

} // namespace gridspan::calls

CUB_NAMESPACE_BEGIN

template <typename Keys, typename Values, typename Output, typename Equality,
          typename Operation, typename Init, typename Offset, typename T>
struct DispatchScanByKey<
    Keys, Values, Output, Equality, Operation, Init, Offset, T,
    ::gridspan::calls::ScanByKeyPolicies<Keys, Values, T, Operation>>
    : DispatchScanByKey<
          Keys, Values, Output, Equality, Operation, Init, Offset, T,
          ::gridspan::calls::Untouched<::gridspan::calls::ScanByKeyPolicies<
              Keys, Values, T, Operation>>> {
  using Own = DispatchScanByKey<
      Keys, Values, Output, Equality, Operation, Init, Offset, T,
      ::gridspan::calls::Untouched<
          ::gridspan::calls::ScanByKeyPolicies<Keys, Values, T, Operation>>>;
  using Own::Own;

  CUB_RUNTIME_FUNCTION static cudaError_t Dispatch(void *Storage, size_t &Bytes,
                                                   Keys K, Values V, Output Out,
                                                   Equality Equal, Operation Op,
                                                   Init First, Offset Count,
                                                   cudaStream_t Stream) {
    namespace calls = ::gridspan::calls;
    const auto AskCub = [&](void *At, size_t &Room) {
      return Own::Dispatch(At, Room, K, V, Out, Equal, Op, First, Count,
                           Stream);
    };
    if (Storage) {
      constexpr auto WhyNot = calls::whyNotScanByKey<T, Keys, Values, Output>();
      const auto Elements = static_cast<calls::Index>(Count);
      calls::MemoryList Memory;
      Memory.add(K, Elements);
      Memory.add(V, Elements);
      Memory.add(Out, Elements);
      if (Memory.isTaken("scan_by_key", WhyNot, Stream))
        if constexpr (!WhyNot)
          if (calls::isRoomEnough(Bytes, AskCub))
            return calls::scanByKey<T>(K, V, Out, Equal, Op, First, Elements,
                                       Stream);
    }
    return AskCub(Storage, Bytes);
  }
};

CUB_NAMESPACE_END

#endif // GRIDSPAN_CALLS_SCANBYKEY_H
