//===- Scatter.h - Thrust's scatter --------------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// thrust::scatter.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_SCATTER_H
#define GRIDSPAN_CALLS_SCATTER_H

#include "gridspan/calls/Places.h"

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

template <typename Policy, typename Input, typename Map, typename Output,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ void scatter(Policy &P, Input First, Input Last, Map Places,
                                 Output Result) {
  THRUST_CDP_DISPATCH(
      (constexpr auto WhyNot =
           ::gridspan::calls::whyNotPlaces<Map, Input, Output>();
       ::gridspan::calls::MemoryList Memory; Memory.add(First, Last - First);
       Memory.add(Places, Last - First); Memory.addAll(Result);
       const cudaStream_t Stream = cuda_cub::stream(P);
       if (Memory.isTaken("scatter", WhyNot, Stream)) if constexpr (!WhyNot) {
         ::gridspan::calls::Index Extent = 0;
         cudaError_t Error = ::gridspan::calls::findExtent(
             Places, Places + (Last - First), Extent, Stream);
         if (!Error && Extent)
           Error = ::gridspan::scatter(First, Last, Places, Result,
                                       Result + Extent, Stream);
         if (Error || Extent) {
           ::gridspan::calls::finish(P, Error);
           return;
         }
       }),
      ());
  return cuda_cub::scatter(static_cast<execution_policy<Policy> &>(P), First,
                           Last, Places, Result);
}

} // namespace cuda_cub
THRUST_NAMESPACE_END

#endif // GRIDSPAN_CALLS_SCATTER_H
