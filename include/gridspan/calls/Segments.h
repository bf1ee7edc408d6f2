//===- Segments.h - Segments as CUB has them ------------------ -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUB has begins and ends of segments by two iterators, and does not say how
// many elements there are. Primitives have one array of offsets, so segments
// have to end where the next ones begin: both iterators are pointers into one
// array. The elements are between its first offset and its last one, which the
// host gets from the devices.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_SEGMENTS_H
#define GRIDSPAN_CALLS_SEGMENTS_H

#include "gridspan/calls/Call.h"

namespace gridspan::calls {

template <typename Begins, typename Ends>
constexpr GridspanCallReason whyNotOffsets() {
  if constexpr (!IsContiguous<Begins> || !IsContiguous<Ends>)
    return GridspanCallNotContiguous;
  else if constexpr (!std::is_same_v<detail::ValueOf<Begins>,
                                     detail::ValueOf<Ends>>)
    return GridspanCallOffsetsOfTwoTypes;
  else
    return GridspanCallTaken;
}

/// Returns Known, or else what is wrong with the offsets of this call.
template <typename Begins, typename Ends>
GridspanCallReason whyNotSegments(GridspanCallReason Known, Begins From,
                                  Ends To) {
  if constexpr (!whyNotOffsets<Begins, Ends>())
    if (!Known && detail::addressOf(To) != detail::addressOf(From) + 1)
      return GridspanCallSegmentsApart;
  return Known;
}

/// Sets Lo and Hi to the first offset and the last.
template <typename Offset>
cudaError_t readBounds(const Offset *Offsets, Index Segments, Index &Lo,
                       Index &Hi, cudaStream_t Stream) {
  Offset Of[2] = {};
  for (unsigned I = 0; I != 2; ++I)
    if (cudaError_t Error =
            cudaMemcpyAsync(&Of[I], Offsets + I * Segments, sizeof(Offset),
                            cudaMemcpyDefault, Stream))
      return Error;
  if (cudaError_t Error = cudaStreamSynchronize(Stream))
    return Error;
  Lo = static_cast<Index>(Of[0]);
  Hi = static_cast<Index>(Of[1]);
  return cudaSuccess;
}

} // namespace gridspan::calls

#endif // GRIDSPAN_CALLS_SEGMENTS_H
