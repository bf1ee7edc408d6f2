//===- Extrema.h - Thrust's least and greatest elements ------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// thrust::min_element and max_element.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_EXTREMA_H
#define GRIDSPAN_CALLS_EXTREMA_H

#include "gridspan/algorithm/Reduce.h"
#include "gridspan/calls/Thrust.h"

namespace gridspan::calls {

template <typename Iterator>
constexpr GridspanCallReason WhyNotExtreme =
    firstOf(whyNotInTile<detail::ValueOf<Iterator>, 8>(), whyNotIn<Iterator>());

} // namespace gridspan::calls

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

template <typename Policy, typename Iterator, typename Compare,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ Iterator min_element(Policy &P, Iterator First,
                                         Iterator Last, Compare Less) {
  THRUST_CDP_DISPATCH(
      (constexpr auto WhyNot = ::gridspan::calls::WhyNotExtreme<Iterator>;
       ::gridspan::calls::MemoryList Memory; Memory.add(First, Last - First);
       const cudaStream_t Stream = cuda_cub::stream(P);
       if (Memory.isTaken("min_element", WhyNot,
                          Stream)) if constexpr (!WhyNot) {
         size_t At = 0;
         ::gridspan::calls::finish(
             P, ::gridspan::min_element(
                    First, Last, ::gridspan::detail::Callable<Compare>{Less},
                    &At, Stream));
         return First + static_cast<ptrdiff_t>(At);
       }),
      ());
  return cuda_cub::min_element(static_cast<execution_policy<Policy> &>(P),
                               First, Last, Less);
}

template <typename Policy, typename Iterator,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ Iterator min_element(Policy &P, Iterator First,
                                         Iterator Last) {
  return cuda_cub::min_element(P, First, Last,
                               less<thrust::detail::it_value_t<Iterator>>());
}

template <typename Policy, typename Iterator, typename Compare,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ Iterator max_element(Policy &P, Iterator First,
                                         Iterator Last, Compare Less) {
  THRUST_CDP_DISPATCH(
      (constexpr auto WhyNot = ::gridspan::calls::WhyNotExtreme<Iterator>;
       ::gridspan::calls::MemoryList Memory; Memory.add(First, Last - First);
       const cudaStream_t Stream = cuda_cub::stream(P);
       if (Memory.isTaken("max_element", WhyNot,
                          Stream)) if constexpr (!WhyNot) {
         size_t At = 0;
         ::gridspan::calls::finish(
             P, ::gridspan::max_element(
                    First, Last, ::gridspan::detail::Callable<Compare>{Less},
                    &At, Stream));
         return First + static_cast<ptrdiff_t>(At);
       }),
      ());
  return cuda_cub::max_element(static_cast<execution_policy<Policy> &>(P),
                               First, Last, Less);
}

template <typename Policy, typename Iterator,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ Iterator max_element(Policy &P, Iterator First,
                                         Iterator Last) {
  return cuda_cub::max_element(P, First, Last,
                               less<thrust::detail::it_value_t<Iterator>>());
}

} // namespace cuda_cub
THRUST_NAMESPACE_END

#endif // GRIDSPAN_CALLS_EXTREMA_H
