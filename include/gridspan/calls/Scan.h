//===- Scan.h - CUB's scans ----------------------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cub::DeviceScan but for what is scanned by key, and what Thrust makes of it.
// What comes before the first element may be in memory of devices (a future
// value), so a kernel looks at it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_SCAN_H
#define GRIDSPAN_CALLS_SCAN_H

#include "gridspan/algorithm/Scan.h"
#include "gridspan/calls/Call.h"

namespace gridspan::calls {

/// What CUB has before the first element.
template <typename Init> struct Initial {
  Init First;
};

template <typename T, typename Init>
__global__ void setInitial(detail::Carry<T> *Out, Init First) {
  const typename Init::value_type Value = First;
  Out->Sum = static_cast<T>(Value);
  Out->Any = true;
}

template <typename T, typename Init>
cudaError_t begin(detail::Carry<T> *Before, const Initial<Init> *Of,
                  cudaStream_t Stream) {
  return detail::launch(setInitial<T, Init>, 1, 1, Stream, Before, Of->First);
}

template <typename Accumulator, typename Input, typename Output>
constexpr GridspanCallReason WhyNotScan = firstOf(
    whyNotInTile<Accumulator, 8>(), whyNotIn<Input>(), whyNotIn<Output>());

template <bool ForceInclusive, typename T, typename Input, typename Output,
          typename Operation, typename Init>
cudaError_t scan(Input In, Output Out, Index Count, Operation Op, Init First,
                 cudaStream_t Stream) {
  const Callable<Operation> Combine = {Op};
  if constexpr (std::is_same_v<Init, cub::NullType>) {
    return detail::scan<true, T>(
        In, In + Count, Out, static_cast<const T *>(nullptr), Combine, Stream);
  } else {
    const Initial<Init> Before = {First};
    return detail::scan<ForceInclusive, T>(In, In + Count, Out, &Before,
                                           Combine, Stream);
  }
}

} // namespace gridspan::calls

CUB_NAMESPACE_BEGIN

template <typename Input, typename Output, typename Operation, typename Init,
          typename Offset, typename Accumulator, ForceInclusive Force,
          typename Source, typename Launcher>
struct DispatchScan<Input, Output, Operation, Init, Offset, Accumulator, Force,
                    detail::scan::policy_hub<detail::it_value_t<Input>,
                                             detail::it_value_t<Output>,
                                             Accumulator, Offset, Operation>,
                    Source, Launcher>
    : DispatchScan<Input, Output, Operation, Init, Offset, Accumulator, Force,
                   ::gridspan::calls::Untouched<detail::scan::policy_hub<
                       detail::it_value_t<Input>, detail::it_value_t<Output>,
                       Accumulator, Offset, Operation>>,
                   Source, Launcher> {
  using Own =
      DispatchScan<Input, Output, Operation, Init, Offset, Accumulator, Force,
                   ::gridspan::calls::Untouched<detail::scan::policy_hub<
                       detail::it_value_t<Input>, detail::it_value_t<Output>,
                       Accumulator, Offset, Operation>>,
                   Source, Launcher>;
  using Own::Own;

  template <typename... Rest>
  CUB_RUNTIME_FUNCTION static cudaError_t
  Dispatch(void *Storage, size_t &Bytes, Input In, Output Out, Operation Op,
           Init First, Offset Count, cudaStream_t Stream, Rest... Others) {
    namespace calls = ::gridspan::calls;
    const auto AskCub = [&](void *At, size_t &Room) {
      return Own::Dispatch(At, Room, In, Out, Op, First, Count, Stream,
                           Others...);
    };
    if (Storage) {
      constexpr auto WhyNot = calls::WhyNotScan<Accumulator, Input, Output>;
      const auto Elements = static_cast<calls::Index>(Count);
      calls::MemoryList Memory;
      Memory.add(In, Elements);
      Memory.add(Out, Elements);
      if (Memory.isTaken("scan", WhyNot, Stream))
        if constexpr (!WhyNot)
          if (calls::isRoomEnough(Bytes, AskCub))
            return calls::scan < Force == ForceInclusive::Yes,
                   Accumulator > (In, Out, Elements, Op, First, Stream);
    }
    return AskCub(Storage, Bytes);
  }
};

CUB_NAMESPACE_END

#endif // GRIDSPAN_CALLS_SCAN_H
