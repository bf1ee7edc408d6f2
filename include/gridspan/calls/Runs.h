//===- Runs.h - CUB's runs of several elements ---------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cub::DeviceRunLengthEncode::NonTrivialRuns: a scan counts the ends of runs of
// more than one element, and remembers where the present run begins.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_RUNS_H
#define GRIDSPAN_CALLS_RUNS_H

#include "gridspan/algorithm/Select.h"
#include "gridspan/calls/Call.h"

namespace gridspan::calls {

struct RunsSoFar {
  Index Ended;
  Index Begin; ///< of the last run that has begun; -1: none has
};

struct AddRuns {
  __device__ RunsSoFar operator()(const RunsSoFar &L,
                                  const RunsSoFar &R) const {
    return {L.Ended + R.Ended, R.Begin < 0 ? L.Begin : R.Begin};
  }
};

/// Begins and lengths of runs of several elements.
template <typename Input, typename Equality> struct LongRuns {
  using State = RunsSoFar;
  using First = Index;
  using Second = Index;
  Input In;
  Index Count;
  Equality Equal;

  AddRuns operation() const { return {}; }
  __device__ bool isBegin(Index I) const {
    return I == 0 || !Equal(In[I - 1], In[I]);
  }
  __device__ bool isEndOfLong(Index I) const {
    return (I + 1 == Count || !Equal(In[I], In[I + 1])) && !isBegin(I);
  }
  __device__ State operator()(Index I) const {
    return {isEndOfLong(I) ? 1 : 0, isBegin(I) ? I : -1};
  }
  static __device__ detail::Counts countsOf(const State &S, Index) {
    return {{S.Ended, S.Ended}};
  }
  template <typename Outlets>
  __device__ void put(Index I, const State &S, const Outlets &To) const {
    if (!isEndOfLong(I))
      return;
    To.first(S.Ended - 1, S.Begin);
    To.second(S.Ended - 1, I + 1 - S.Begin);
  }
};

template <typename Input, typename Offsets, typename Lengths, typename Number>
constexpr GridspanCallReason whyNotRuns() {
  if constexpr (!IsContiguous<Number> || !IsContiguous<Input>)
    return GridspanCallNotContiguous;
  else
    return firstOf(whyNotIn<Input>(), whyNotIn<Offsets>(), whyNotIn<Lengths>());
}

template <typename Input, typename Offsets, typename Lengths, typename Number,
          typename Equality>
cudaError_t longRuns(Input In, Offsets OffsetsOut, Lengths LengthsOut,
                     Number Runs, Equality Equal, Index Count,
                     cudaStream_t Stream) {
  using namespace detail;
  return withMemory(
      Stream,
      [&](const auto &Where, auto From, auto *N) {
        return detail::select(
            LongRuns<decltype(From), Callable<Equality>>{From, Count, {Equal}},
            From, Count, OffsetsOut, LengthsOut, N, Where.frameBytes(), Stream);
      },
      reads(In, Count), overwrites(Runs, 1));
}

/// The policies that CUB chooses.
template <typename Input, typename Lengths, typename Offset>
using RunPolicies = cub::detail::rle::non_trivial_runs::policy_hub<
    cub::detail::non_void_value_t<Lengths, Offset>,
    cub::detail::it_value_t<Input>>;

} // namespace gridspan::calls

CUB_NAMESPACE_BEGIN

template <typename Input, typename Offsets, typename Lengths, typename Number,
          typename Equality, typename Offset>
struct DeviceRleDispatch<Input, Offsets, Lengths, Number, Equality, Offset,
                         ::gridspan::calls::RunPolicies<Input, Lengths, Offset>>
    : DeviceRleDispatch<
          Input, Offsets, Lengths, Number, Equality, Offset,
          ::gridspan::calls::Untouched<
              ::gridspan::calls::RunPolicies<Input, Lengths, Offset>>> {
  using Own = DeviceRleDispatch<
      Input, Offsets, Lengths, Number, Equality, Offset,
      ::gridspan::calls::Untouched<
          ::gridspan::calls::RunPolicies<Input, Lengths, Offset>>>;
  using Own::Own;

  CUB_RUNTIME_FUNCTION static cudaError_t
  Dispatch(void *Storage, size_t &Bytes, Input In, Offsets OffsetsOut,
           Lengths LengthsOut, Number Runs, Equality Equal, Offset Count,
           cudaStream_t Stream) {
    namespace calls = ::gridspan::calls;
    const auto AskCub = [&](void *At, size_t &Room) {
      return Own::Dispatch(At, Room, In, OffsetsOut, LengthsOut, Runs, Equal,
                           Count, Stream);
    };
    if (Storage) {
      constexpr auto WhyNot =
          calls::whyNotRuns<Input, Offsets, Lengths, Number>();
      const auto Elements = static_cast<calls::Index>(Count);
      calls::MemoryList Memory;
      Memory.add(In, Elements);
      Memory.add(OffsetsOut, Elements);
      Memory.add(LengthsOut, Elements);
      if (Memory.isTaken("non_trivial_runs", WhyNot, Stream))
        if constexpr (!WhyNot)
          if (calls::isRoomEnough(Bytes, AskCub))
            return calls::longRuns(In, OffsetsOut, LengthsOut, Runs, Equal,
                                   Elements, Stream);
    }
    return AskCub(Storage, Bytes);
  }
};

CUB_NAMESPACE_END

#endif // GRIDSPAN_CALLS_RUNS_H
