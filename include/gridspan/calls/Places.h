//===- Places.h - Places that Thrust is given ----------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// thrust::gather and scatter. How far places go is looked for first.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_PLACES_H
#define GRIDSPAN_CALLS_PLACES_H

#include "gridspan/algorithm/Permute.h"
#include "gridspan/algorithm/Reduce.h"
#include "gridspan/calls/Thrust.h"

namespace gridspan::calls {

/// The least and the greatest of some places.
struct PlaceBounds {
  Index Least, Most;
};
struct BoundsOfPlace {
  template <typename T> __host__ __device__ PlaceBounds operator()(T At) const {
    return {static_cast<Index>(At), static_cast<Index>(At)};
  }
};
struct JoinBounds {
  __host__ __device__ PlaceBounds operator()(const PlaceBounds &L,
                                             const PlaceBounds &R) const {
    return {L.Least < R.Least ? L.Least : R.Least,
            L.Most < R.Most ? R.Most : L.Most};
  }
};

/// Sets Extent to how many elements places lead to; Thrust does not say. Sets
/// it to 0 if some are before the first element.
template <typename Map>
cudaError_t findExtent(Map First, Map Last, Index &Extent,
                       cudaStream_t Stream) {
  PlaceBounds Bounds = {0, -1};
  if (cudaError_t Error = gridspan::transform_reduce(
          First, Last, PlaceBounds{0, -1}, JoinBounds(), BoundsOfPlace(),
          &Bounds, Stream))
    return Error;
  if (cudaError_t Error = cudaStreamSynchronize(Stream))
    return Error;
  Extent = Bounds.Least < 0 ? 0 : Bounds.Most + 1;
  return cudaSuccess;
}

template <typename Map, typename Input, typename Output>
constexpr GridspanCallReason whyNotPlaces() {
  if constexpr (!IsContiguous<Input> || !IsContiguous<Output>)
    return GridspanCallNotContiguous;
  else
    return firstOf(whyNotIn<Map>(), whyNotIn<Input>(), whyNotIn<Output>(),
                   whyNotInTile<detail::ValueOf<Input>, 16>());
}

} // namespace gridspan::calls

#endif // GRIDSPAN_CALLS_PLACES_H
