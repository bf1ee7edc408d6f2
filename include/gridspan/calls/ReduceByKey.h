//===- ReduceByKey.h - CUB's reductions of runs --------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cub::DeviceReduce::ReduceByKey, and cub::DeviceRunLengthEncode::Encode, which
// is one of ones.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_REDUCEBYKEY_H
#define GRIDSPAN_CALLS_REDUCEBYKEY_H

#include "gridspan/algorithm/Select.h"
#include "gridspan/calls/Call.h"
#include <cub/device/dispatch/tuning/tuning_run_length_encode.cuh>

namespace gridspan::calls {

template <typename T, typename KeyInput, typename ValueInput,
          typename KeyOutput, typename ValueOutput, typename Number>
constexpr GridspanCallReason whyNotReduceByKey() {
  if constexpr (!IsContiguous<Number> || !IsContiguous<KeyInput>)
    return GridspanCallNotContiguous;
  else
    return firstOf(whyNotInTile<T, 16>(), whyNotIn<KeyInput>(),
                   whyNotIn<ValueInput>(), whyNotIn<KeyOutput>(),
                   whyNotIn<ValueOutput>());
}

template <typename T, typename KeyInput, typename ValueInput,
          typename KeyOutput, typename ValueOutput, typename Number,
          typename Equality, typename Operation>
cudaError_t reduceByKey(KeyInput Keys, KeyOutput KeysOut, ValueInput Values,
                        ValueOutput ValuesOut, Number Runs, Equality Equal,
                        Operation Op, Index Count, cudaStream_t Stream) {
  using namespace detail;
  return withMemory(
      Stream,
      [&](const auto &Where, auto K, auto V, auto *N) {
        return detail::select(
            KeyedRuns<decltype(K), decltype(V), Callable<Equality>,
                      Callable<Operation>, T>{K, V, Count, {Equal}, {Op}},
            K, Count, KeysOut, ValuesOut, N, Where.frameBytes(), Stream);
      },
      reads(Keys, Count), reads(Values, Count), overwrites(Runs, 1));
}

/// CUB's structure for the policies, with a way to the primitive.
template <bool IsEncoding, typename KeyInput, typename KeyOutput,
          typename ValueInput, typename ValueOutput, typename Number,
          typename Equality, typename Operation, typename Offset, typename T,
          typename Policies>
struct RedirectedReduceByKey
    : cub::DispatchReduceByKey<KeyInput, KeyOutput, ValueInput, ValueOutput,
                               Number, Equality, Operation, Offset, T,
                               Untouched<Policies>> {
  using Own = cub::DispatchReduceByKey<KeyInput, KeyOutput, ValueInput,
                                       ValueOutput, Number, Equality, Operation,
                                       Offset, T, Untouched<Policies>>;
  using Own::Own;

  CUB_RUNTIME_FUNCTION static cudaError_t
  Dispatch(void *Storage, size_t &Bytes, KeyInput Keys, KeyOutput KeysOut,
           ValueInput Values, ValueOutput ValuesOut, Number Runs,
           Equality Equal, Operation Op, Offset Count, cudaStream_t Stream) {
    const auto AskCub = [&](void *At, size_t &Room) {
      return Own::Dispatch(At, Room, Keys, KeysOut, Values, ValuesOut, Runs,
                           Equal, Op, Count, Stream);
    };
    if (Storage) {
      constexpr auto WhyNot =
          whyNotReduceByKey<T, KeyInput, ValueInput, KeyOutput, ValueOutput,
                            Number>();
      const auto Elements = static_cast<Index>(Count);
      MemoryList Memory;
      Memory.add(Keys, Elements);
      Memory.add(Values, Elements);
      Memory.add(KeysOut, Elements);
      Memory.add(ValuesOut, Elements);
      if (Memory.isTaken(IsEncoding ? "run_length_encode" : "reduce_by_key",
                         WhyNot, Stream))
        if constexpr (!WhyNot)
          if (isRoomEnough(Bytes, AskCub))
            return reduceByKey<T>(Keys, KeysOut, Values, ValuesOut, Runs, Equal,
                                  Op, Elements, Stream);
    }
    return AskCub(Storage, Bytes);
  }
};

} // namespace gridspan::calls

CUB_NAMESPACE_BEGIN

template <typename KeyInput, typename KeyOutput, typename ValueInput,
          typename ValueOutput, typename Number, typename Equality,
          typename Operation, typename Offset, typename T>
struct DispatchReduceByKey<
    KeyInput, KeyOutput, ValueInput, ValueOutput, Number, Equality, Operation,
    Offset, T,
    detail::reduce_by_key::policy_hub<
        Operation, T,
        detail::non_void_value_t<KeyOutput, detail::it_value_t<KeyInput>>>>
    : ::gridspan::calls::RedirectedReduceByKey<
          false, KeyInput, KeyOutput, ValueInput, ValueOutput, Number, Equality,
          Operation, Offset, T,
          detail::reduce_by_key::policy_hub<
              Operation, T,
              detail::non_void_value_t<KeyOutput,
                                       detail::it_value_t<KeyInput>>>> {
  using DispatchReduceByKey::RedirectedReduceByKey::RedirectedReduceByKey;
};

template <typename KeyInput, typename KeyOutput, typename ValueInput,
          typename ValueOutput, typename Number, typename Equality,
          typename Operation, typename Offset, typename T>
struct DispatchReduceByKey<
    KeyInput, KeyOutput, ValueInput, ValueOutput, Number, Equality, Operation,
    Offset, T,
    detail::rle::encode::policy_hub<
        T, detail::non_void_value_t<KeyOutput, detail::it_value_t<KeyInput>>>>
    : ::gridspan::calls::RedirectedReduceByKey<
          true, KeyInput, KeyOutput, ValueInput, ValueOutput, Number, Equality,
          Operation, Offset, T,
          detail::rle::encode::policy_hub<
              T, detail::non_void_value_t<KeyOutput,
                                          detail::it_value_t<KeyInput>>>> {
  using DispatchReduceByKey::RedirectedReduceByKey::RedirectedReduceByKey;
};

CUB_NAMESPACE_END

#endif // GRIDSPAN_CALLS_REDUCEBYKEY_H
