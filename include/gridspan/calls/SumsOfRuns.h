//===- SumsOfRuns.h - Thrust's reductions of runs ------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// thrust::reduce_by_key.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_SUMSOFRUNS_H
#define GRIDSPAN_CALLS_SUMSOFRUNS_H

#include "gridspan/algorithm/Select.h"
#include "gridspan/calls/ReduceByKey.h"
#include "gridspan/calls/Thrust.h"

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

template <typename Policy, typename KeyInput, typename ValueInput,
          typename KeyOutput, typename ValueOutput, typename Equality,
          typename Operation,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ pair<KeyOutput, ValueOutput>
reduce_by_key(Policy &P, KeyInput First, KeyInput Last, ValueInput Values,
              KeyOutput KeyResult, ValueOutput ValueResult, Equality Equal,
              Operation Op) {
  THRUST_CDP_DISPATCH(
      (constexpr auto WhyNot = ::gridspan::calls::whyNotReduceByKey<
           thrust::detail::it_value_t<ValueInput>, KeyInput, ValueInput,
           KeyOutput, ValueOutput, int *>();
       ::gridspan::calls::MemoryList Memory; Memory.add(First, Last - First);
       Memory.add(Values, Last - First); Memory.add(KeyResult, Last - First);
       Memory.add(ValueResult, Last - First);
       const cudaStream_t Stream = cuda_cub::stream(P);
       if (Memory.isTaken("reduce_by_key", WhyNot,
                          Stream)) if constexpr (!WhyNot) {
         size_t Number = 0;
         ::gridspan::calls::finish(
             P,
             ::gridspan::reduce_by_key(
                 First, Last, Values, KeyResult, ValueResult,
                 ::gridspan::detail::Callable<Equality>{Equal},
                 ::gridspan::detail::Callable<Operation>{Op}, &Number, Stream));
         const auto Runs = static_cast<ptrdiff_t>(Number);
         return thrust::make_pair(KeyResult + Runs, ValueResult + Runs);
       }),
      ());
  return cuda_cub::reduce_by_key(static_cast<execution_policy<Policy> &>(P),
                                 First, Last, Values, KeyResult, ValueResult,
                                 Equal, Op);
}

template <typename Policy, typename KeyInput, typename ValueInput,
          typename KeyOutput, typename ValueOutput, typename Equality,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ pair<KeyOutput, ValueOutput>
reduce_by_key(Policy &P, KeyInput First, KeyInput Last, ValueInput Values,
              KeyOutput KeyResult, ValueOutput ValueResult, Equality Equal) {
  // As Thrust has it.
  using Value =
      ::cuda::std::_If<thrust::detail::is_output_iterator<ValueOutput>,
                       thrust::detail::it_value_t<ValueInput>,
                       thrust::detail::it_value_t<ValueOutput>>;
  return cuda_cub::reduce_by_key(P, First, Last, Values, KeyResult, ValueResult,
                                 Equal, plus<Value>());
}

template <typename Policy, typename KeyInput, typename ValueInput,
          typename KeyOutput, typename ValueOutput,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ pair<KeyOutput, ValueOutput>
reduce_by_key(Policy &P, KeyInput First, KeyInput Last, ValueInput Values,
              KeyOutput KeyResult, ValueOutput ValueResult) {
  return cuda_cub::reduce_by_key(
      P, First, Last, Values, KeyResult, ValueResult,
      equal_to<thrust::detail::it_value_t<KeyInput>>());
}

} // namespace cuda_cub
THRUST_NAMESPACE_END

#endif // GRIDSPAN_CALLS_SUMSOFRUNS_H
