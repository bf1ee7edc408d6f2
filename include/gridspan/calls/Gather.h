//===- Gather.h - Thrust's gather ----------------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// thrust::gather.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_GATHER_H
#define GRIDSPAN_CALLS_GATHER_H

#include "gridspan/calls/Places.h"

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

template <typename Policy, typename Map, typename Input, typename Output,
          typename = std::enable_if_t<::gridspan::calls::IsCudaPolicy<Policy>>>
__host__ __device__ Output gather(Policy &P, Map First, Map Last, Input From,
                                  Output Result) {
  THRUST_CDP_DISPATCH(
      (constexpr auto WhyNot =
           ::gridspan::calls::whyNotPlaces<Map, Input, Output>();
       ::gridspan::calls::MemoryList Memory; Memory.add(First, Last - First);
       Memory.addAll(From); Memory.add(Result, Last - First);
       const cudaStream_t Stream = cuda_cub::stream(P);
       if (Memory.isTaken("gather", WhyNot, Stream)) if constexpr (!WhyNot) {
         ::gridspan::calls::Index Extent = 0;
         cudaError_t Error =
             ::gridspan::calls::findExtent(First, Last, Extent, Stream);
         if (!Error && Extent)
           Error = ::gridspan::gather(First, Last, From, From + Extent, Result,
                                      Stream);
         if (Error || Extent) {
           ::gridspan::calls::finish(P, Error);
           return Result + (Last - First);
         }
       }),
      ());
  return cuda_cub::gather(static_cast<execution_policy<Policy> &>(P), First,
                          Last, From, Result);
}

} // namespace cuda_cub
THRUST_NAMESPACE_END

#endif // GRIDSPAN_CALLS_GATHER_H
