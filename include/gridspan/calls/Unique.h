//===- Unique.h - Thrust's unique elements -------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// thrust::unique and unique_copy.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_UNIQUE_H
#define GRIDSPAN_CALLS_UNIQUE_H

#include "gridspan/algorithm/Select.h"
#include "gridspan/calls/Select.h"
#include "gridspan/calls/Thrust.h"

namespace gridspan::calls {

template <typename Input, typename Output>
constexpr GridspanCallReason WhyNotUnique =
    whyNotSelect<cub::SelectImpl::SelectPotentiallyInPlace, Input,
                 cub::NullType *, Output, int *>();

} // namespace gridspan::calls

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

template <typename Policy, typename Input, typename Output, typename Equality,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ Output unique_copy(Policy &P, Input First, Input Last,
                                       Output Result, Equality Equal) {
  THRUST_CDP_DISPATCH(
      (constexpr auto WhyNot = ::gridspan::calls::WhyNotUnique<Input, Output>;
       ::gridspan::calls::MemoryList Memory; Memory.add(First, Last - First);
       Memory.add(Result, Last - First);
       const cudaStream_t Stream = cuda_cub::stream(P);
       if (Memory.isTaken("unique", WhyNot, Stream)) if constexpr (!WhyNot) {
         size_t Number = 0;
         ::gridspan::calls::finish(
             P, ::gridspan::unique_copy(
                    First, Last, Result,
                    ::gridspan::detail::Callable<Equality>{Equal}, &Number,
                    Stream));
         return Result + static_cast<ptrdiff_t>(Number);
       }),
      ());
  return cuda_cub::unique_copy(static_cast<execution_policy<Policy> &>(P),
                               First, Last, Result, Equal);
}

template <typename Policy, typename Input, typename Output,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ Output unique_copy(Policy &P, Input First, Input Last,
                                       Output Result) {
  return cuda_cub::unique_copy(P, First, Last, Result,
                               equal_to<thrust::detail::it_value_t<Input>>());
}

template <typename Policy, typename Iterator, typename Equality,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ Iterator unique(Policy &P, Iterator First, Iterator Last,
                                    Equality Equal) {
  THRUST_CDP_DISPATCH(
      (constexpr auto WhyNot =
           ::gridspan::calls::WhyNotUnique<Iterator, Iterator>;
       ::gridspan::calls::MemoryList Memory; Memory.add(First, Last - First);
       const cudaStream_t Stream = cuda_cub::stream(P);
       if (Memory.isTaken("unique", WhyNot, Stream)) if constexpr (!WhyNot) {
         size_t Number = 0;
         ::gridspan::calls::finish(
             P, ::gridspan::unique_copy(
                    First, Last, First,
                    ::gridspan::detail::Callable<Equality>{Equal}, &Number,
                    Stream));
         return First + static_cast<ptrdiff_t>(Number);
       }),
      ());
  return cuda_cub::unique(static_cast<execution_policy<Policy> &>(P), First,
                          Last, Equal);
}

template <typename Policy, typename Iterator,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ Iterator unique(Policy &P, Iterator First, Iterator Last) {
  return cuda_cub::unique(P, First, Last,
                          equal_to<thrust::detail::it_value_t<Iterator>>());
}

} // namespace cuda_cub
THRUST_NAMESPACE_END

#endif // GRIDSPAN_CALLS_UNIQUE_H
