//===- UniqueByKey.h - CUB's selection by key ----------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The specialization of what DeviceSelect::UniqueByKey and Thrust call.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_UNIQUEBYKEY_H
#define GRIDSPAN_CALLS_UNIQUEBYKEY_H

#include "gridspan/calls/Select.h"

CUB_NAMESPACE_BEGIN

template <typename KeyInput, typename ValueInput, typename KeyOutput,
          typename ValueOutput, typename Number, typename Equality,
          typename Offset, typename... More>
struct DispatchUniqueByKey<
    KeyInput, ValueInput, KeyOutput, ValueOutput, Number, Equality, Offset,
    detail::unique_by_key::policy_hub<detail::it_value_t<KeyInput>,
                                      detail::it_value_t<ValueInput>>,
    More...>
    : DispatchUniqueByKey<
          KeyInput, ValueInput, KeyOutput, ValueOutput, Number, Equality,
          Offset,
          ::gridspan::calls::Untouched<detail::unique_by_key::policy_hub<
              detail::it_value_t<KeyInput>, detail::it_value_t<ValueInput>>>,
          More...> {
  using Own = DispatchUniqueByKey<
      KeyInput, ValueInput, KeyOutput, ValueOutput, Number, Equality, Offset,
      ::gridspan::calls::Untouched<detail::unique_by_key::policy_hub<
          detail::it_value_t<KeyInput>, detail::it_value_t<ValueInput>>>,
      More...>;
  using Own::Own;

  template <typename... Rest>
  CUB_RUNTIME_FUNCTION static cudaError_t
  Dispatch(void *Storage, size_t &Bytes, KeyInput Keys, ValueInput Values,
           KeyOutput KeysOut, ValueOutput ValuesOut, Number Selected,
           Equality Equal, Offset Count, cudaStream_t Stream, Rest... Others) {
    namespace calls = ::gridspan::calls;
    const auto AskCub = [&](void *At, size_t &Room) {
      return Own::Dispatch(At, Room, Keys, Values, KeysOut, ValuesOut, Selected,
                           Equal, Count, Stream, Others...);
    };
    if (Storage) {
      constexpr auto WhyNot =
          calls::whyNotUniqueByKey<KeyInput, ValueInput, KeyOutput, ValueOutput,
                                   Number>();
      const auto Elements = static_cast<calls::Index>(Count);
      calls::MemoryList Memory;
      Memory.add(Keys, Elements);
      Memory.add(Values, Elements);
      Memory.add(KeysOut, Elements);
      Memory.add(ValuesOut, Elements);
      if (Memory.isTaken("unique_by_key", WhyNot, Stream))
        if constexpr (!WhyNot)
          if (calls::isRoomEnough(Bytes, AskCub))
            return calls::uniqueByKey(Keys, Values, KeysOut, ValuesOut,
                                      Selected, Equal, Elements, Stream);
    }
    return AskCub(Storage, Bytes);
  }
};

CUB_NAMESPACE_END

#endif // GRIDSPAN_CALLS_UNIQUEBYKEY_H
