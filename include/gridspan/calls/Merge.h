//===- Merge.h - Thrust's merging ----------------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// thrust::merge and merge_by_key.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_MERGE_H
#define GRIDSPAN_CALLS_MERGE_H

#include "gridspan/algorithm/MergeSorted.h"
#include "gridspan/calls/Thrust.h"

namespace gridspan::calls {

template <typename... Iterators> constexpr GridspanCallReason whyNotMerge() {
  if constexpr (!(IsContiguous<Iterators> && ...))
    return GridspanCallNotContiguous;
  else
    return firstOf(whyNotIn<Iterators>()...,
                   whyNotInTile<detail::ValueOf<Iterators>, 64>()...);
}

} // namespace gridspan::calls

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

template <typename Policy, typename Input1, typename Input2, typename Output,
          typename Compare,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ Output merge(Policy &P, Input1 First1, Input1 Last1,
                                 Input2 First2, Input2 Last2, Output Result,
                                 Compare Less) {
  THRUST_CDP_DISPATCH(
      (constexpr auto WhyNot =
           ::gridspan::calls::whyNotMerge<Input1, Input2, Output>();
       ::gridspan::calls::MemoryList Memory; Memory.add(First1, Last1 - First1);
       Memory.add(First2, Last2 - First2);
       Memory.add(Result, (Last1 - First1) + (Last2 - First2));
       const cudaStream_t Stream = cuda_cub::stream(P);
       if (Memory.isTaken("merge", WhyNot, Stream)) if constexpr (!WhyNot) {
         ::gridspan::calls::finish(
             P, ::gridspan::merge(First1, Last1, First2, Last2, Result,
                                  ::gridspan::detail::Callable<Compare>{Less},
                                  Stream));
         return Result + (Last1 - First1) + (Last2 - First2);
       }),
      ());
  return cuda_cub::merge(static_cast<execution_policy<Policy> &>(P), First1,
                         Last1, First2, Last2, Result, Less);
}

template <typename Policy, typename Input1, typename Input2, typename Output,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ Output merge(Policy &P, Input1 First1, Input1 Last1,
                                 Input2 First2, Input2 Last2, Output Result) {
  return cuda_cub::merge(P, First1, Last1, First2, Last2, Result, less<>());
}

template <typename Policy, typename Keys1, typename Keys2, typename Values1,
          typename Values2, typename KeyOutput, typename ValueOutput,
          typename Compare,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ pair<KeyOutput, ValueOutput>
merge_by_key(Policy &P, Keys1 First1, Keys1 Last1, Keys2 First2, Keys2 Last2,
             Values1 V1, Values2 V2, KeyOutput KeyResult,
             ValueOutput ValueResult, Compare Less) {
  THRUST_CDP_DISPATCH(
      (constexpr auto WhyNot =
           ::gridspan::calls::whyNotMerge<Keys1, Keys2, Values1, Values2,
                                          KeyOutput, ValueOutput>();
       ::gridspan::calls::MemoryList Memory; Memory.add(First1, Last1 - First1);
       Memory.add(First2, Last2 - First2); Memory.add(V1, Last1 - First1);
       Memory.add(V2, Last2 - First2);
       Memory.add(KeyResult, (Last1 - First1) + (Last2 - First2));
       Memory.add(ValueResult, (Last1 - First1) + (Last2 - First2));
       const cudaStream_t Stream = cuda_cub::stream(P);
       if (Memory.isTaken("merge_by_key", WhyNot,
                          Stream)) if constexpr (!WhyNot) {
         ::gridspan::calls::finish(
             P,
             ::gridspan::merge_by_key(
                 First1, Last1, First2, Last2, V1, V2, KeyResult, ValueResult,
                 ::gridspan::detail::Callable<Compare>{Less}, Stream));
         const auto Merged = (Last1 - First1) + (Last2 - First2);
         return thrust::make_pair(KeyResult + Merged, ValueResult + Merged);
       }),
      ());
  return cuda_cub::merge_by_key(static_cast<execution_policy<Policy> &>(P),
                                First1, Last1, First2, Last2, V1, V2, KeyResult,
                                ValueResult, Less);
}

template <typename Policy, typename Keys1, typename Keys2, typename Values1,
          typename Values2, typename KeyOutput, typename ValueOutput,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ pair<KeyOutput, ValueOutput>
merge_by_key(Policy &P, Keys1 First1, Keys1 Last1, Keys2 First2, Keys2 Last2,
             Values1 V1, Values2 V2, KeyOutput KeyResult,
             ValueOutput ValueResult) {
  return cuda_cub::merge_by_key(P, First1, Last1, First2, Last2, V1, V2,
                                KeyResult, ValueResult, less<>());
}

} // namespace cuda_cub
THRUST_NAMESPACE_END

#endif // GRIDSPAN_CALLS_MERGE_H
