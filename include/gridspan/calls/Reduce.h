//===- Reduce.h - CUB's reductions ---------------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cub::DeviceReduce but for what is reduced by key, cub::DeviceSegmentedReduce,
// and what Thrust makes of them.
//
// CUB combines Init with the sum of all elements, in the type of sums, and so
// is it done here. Sums of rounded numbers may differ in the last digits: CUB's
// own depend on the device.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_REDUCE_H
#define GRIDSPAN_CALLS_REDUCE_H

#include "gridspan/algorithm/Reduce.h"
#include "gridspan/calls/Call.h"

namespace gridspan::calls {

/// What CUB makes of a sum, and of none.
template <typename Init, typename Operation> struct Behind {
  Init First;
  Callable<Operation> Op;
  __device__ auto operator()() const { return First; }
  template <typename T> __device__ auto operator()(const T &Sum) const {
    return Op(First, Sum);
  }
};

/// The same where only a sum of none has a value to begin with.
template <typename T, typename Operation>
struct Behind<cub::detail::reduce::empty_problem_init_t<T>, Operation> {
  cub::detail::reduce::empty_problem_init_t<T> First;
  Callable<Operation> Op;
  __device__ T operator()() const { return First.init; }
  template <typename Sum> __device__ Sum operator()(const Sum &Of) const {
    return Of;
  }
};

template <typename Accumulator, typename Input, typename Output>
constexpr GridspanCallReason WhyNotReduce =
    firstOf(whyNotInTile<Accumulator>(), whyNotIn<Input>(), whyNotIn<Output>());

template <typename Accumulator, typename Input, typename Output,
          typename Operation, typename Init, typename Function>
cudaError_t reduce(Input In, Output Out, Index Count, Operation Op, Init First,
                   Function F, cudaStream_t Stream) {
  using namespace detail;
  return reduceMemory<Accumulator>(
      In, In + Count,
      [F](OnDevices<Input> From) {
        return Images<Accumulator, OnDevices<Input>, Callable<Function>>{From,
                                                                         {F}};
      },
      Callable<Operation>{Op}, Out, Behind<Init, Operation>{First, {Op}},
      Stream);
}

} // namespace gridspan::calls

CUB_NAMESPACE_BEGIN

template <typename Input, typename Output, typename Offset, typename Operation,
          typename Init, typename Accumulator, typename Function,
          typename Source, typename Launcher>
struct DispatchReduce<
    Input, Output, Offset, Operation, Init, Accumulator, Function,
    detail::reduce::policy_hub<Accumulator, Offset, Operation>, Source,
    Launcher>
    : DispatchReduce<
          Input, Output, Offset, Operation, Init, Accumulator, Function,
          ::gridspan::calls::Untouched<
              detail::reduce::policy_hub<Accumulator, Offset, Operation>>,
          Source, Launcher> {
  using Own = DispatchReduce<
      Input, Output, Offset, Operation, Init, Accumulator, Function,
      ::gridspan::calls::Untouched<
          detail::reduce::policy_hub<Accumulator, Offset, Operation>>,
      Source, Launcher>;
  using Own::Own;

  template <typename... Rest>
  CUB_RUNTIME_FUNCTION static cudaError_t
  Dispatch(void *Storage, size_t &Bytes, Input In, Output Out, Offset Count,
           Operation Op, Init First, cudaStream_t Stream, Function F = {},
           Rest... Others) {
    namespace calls = ::gridspan::calls;
    const auto AskCub = [&](void *At, size_t &Room) {
      return Own::Dispatch(At, Room, In, Out, Count, Op, First, Stream, F,
                           Others...);
    };
    if (Storage) {
      constexpr auto WhyNot = calls::WhyNotReduce<Accumulator, Input, Output>;
      const auto Elements = static_cast<calls::Index>(Count);
      calls::MemoryList Memory;
      Memory.add(In, Elements);
      Memory.add(Out, 1);
      if (Memory.isTaken("reduce", WhyNot, Stream))
        if constexpr (!WhyNot)
          if (calls::isRoomEnough(Bytes, AskCub))
            return calls::reduce<Accumulator>(In, Out, Elements, Op, First, F,
                                              Stream);
    }
    return AskCub(Storage, Bytes);
  }
};

CUB_NAMESPACE_END

#endif // GRIDSPAN_CALLS_REDUCE_H
