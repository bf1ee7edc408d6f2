//===- Scan.h - Prefix sums ----------------------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three launches for a segment of the data: each block combines a tile, one
// block scans these sums from left to right, and each block scans its tile
// behind what comes before it.
//
// Data that devices hold are one segment. Of others a segment is a few frames,
// and the carry goes from one segment to the next in device memory: launches
// that wait run as one chain, in which the third finds on the devices what the
// first has brought there. So the data cross the bus once in each direction, by
// the link of one device: another one would need the sum of all that is before
// its part, for which that would have to cross a bus first.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_SCAN_H
#define GRIDSPAN_ALGORITHM_SCAN_H

#include "gridspan/algorithm/ScanTiles.h"

namespace gridspan {
namespace detail {

/// Where a scan's results go.
template <typename Output> struct Results {
  Output Out;
  Results from(Index I) const { return {Out + I}; }
  template <typename T> __device__ void operator()(Index I, const T &E) const {
    Out[I] = E;
  }
};

/// Scans in segments, which are whole groups of tiles that scanSums() takes at
/// once, so that the result does not depend on them. Init, if it is not null,
/// comes before the first element.
template <bool Inclusive, typename T, typename Load, typename Store,
          typename First, typename Operation>
cudaError_t scanAll(Load In, Store Out, Index Count, Index Segment,
                    const First *Init, Operation Op, cudaStream_t Stream) {
  using Shape = TileOf<T>;
  WorkSpace<T> Sums(Stream);
  WorkSpace<Carry<T>> Before(Stream);
  if (cudaError_t Error = Sums.allocate(Shape::blocks(Segment)))
    return Error;
  if (cudaError_t Error = Before.allocate(1))
    return Error;
  if (cudaError_t Error = begin(Before.get(), Init, Stream))
    return Error;
  for (Index Lo = 0; Lo < Count; Lo += Segment) {
    const Index Here = Count - Lo < Segment ? Count - Lo : Segment;
    const Load From = In.from(Lo);
    if (cudaError_t Error =
            sumTiles(From, Here, Sums.get(), Before.get(), Op, Stream))
      return Error;
    if (cudaError_t Error =
            launch(scanTiles<Inclusive, T, Load, Store, Operation>,
                   Shape::blocks(Here), Shape::Threads, Stream, From,
                   Out.from(Lo), Here, Sums.get(), Init || Lo != 0, Op))
      return Error;
  }
  return cudaSuccess;
}

template <bool Inclusive, typename T, typename Input, typename Output,
          typename Before, typename Operation>
cudaError_t scan(Input First, Input Last, Output Result, const Before *Init,
                 Operation Op, cudaStream_t Stream) {
  const Index Count = Last - First;
  if (Count <= 0)
    return cudaSuccess;
  return withMemory(
      Stream,
      [&](const auto &Where, auto In, auto Out) {
        const OnDevice Guard(Where.oneDevice());
        return scanAll<Inclusive, T>(
            Elements<T, decltype(In)>{In}, Results<decltype(Out)>{Out}, Count,
            segmentOf<T>(Count, Where.frameBytes()), Init, Op, Stream);
      },
      reads(First, Count), overwrites(Result, Count));
}

} // namespace detail

/// Sets Result[i] to First[0] Op ... Op First[i]. Result may be First.
template <typename Input, typename Output, typename Operation>
cudaError_t inclusive_scan(Input First, Input Last, Output Result, Operation Op,
                           cudaStream_t Stream = nullptr) {
  using T = detail::ValueOf<Input>;
  return detail::scan<true, T>(First, Last, Result,
                               static_cast<const T *>(nullptr), Op, Stream);
}

template <typename Input, typename Output>
cudaError_t inclusive_scan(Input First, Input Last, Output Result,
                           cudaStream_t Stream = nullptr) {
  return inclusive_scan(First, Last, Result, detail::Plus(), Stream);
}

/// Sets Result[i] to Init Op First[0] Op ... Op First[i - 1]. Result may be
/// First.
template <typename Input, typename Output, typename T, typename Operation>
cudaError_t exclusive_scan(Input First, Input Last, Output Result, T Init,
                           Operation Op, cudaStream_t Stream = nullptr) {
  return detail::scan<false, T>(First, Last, Result, &Init, Op, Stream);
}

template <typename Input, typename Output, typename T,
          typename = std::enable_if_t<!std::is_convertible_v<T, cudaStream_t>>>
cudaError_t exclusive_scan(Input First, Input Last, Output Result, T Init,
                           cudaStream_t Stream = nullptr) {
  return exclusive_scan(First, Last, Result, Init, detail::Plus(), Stream);
}

} // namespace gridspan

#endif // GRIDSPAN_ALGORITHM_SCAN_H
