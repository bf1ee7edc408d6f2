//===- Permute.h - Gather and scatter ------------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements at places that other elements say. Where the memory of these places
// is on devices, one launch does it. Else each access would cross the bus by
// itself: Places.h. What streams does so through one device, where radix
// sorting of accesses takes less time than merging on several.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_PERMUTE_H
#define GRIDSPAN_ALGORITHM_PERMUTE_H

#include "gridspan/algorithm/Places.h"

namespace gridspan {
/// Sets Result[i] to First[Map[i]], for each element of the map. These are less
/// than Last - First. The result is no part of the other ranges.
template <typename MapInput, typename Input, typename Output>
cudaError_t gather(MapInput MapFirst, MapInput MapLast, Input First, Input Last,
                   Output Result, cudaStream_t Stream = nullptr) {
  using namespace detail;
  const Index Elements = MapLast - MapFirst;
  const Index From = std::max<Index>(Last - First, 0);
  if (Elements <= 0)
    return cudaSuccess;
  return withMemory(
      Stream,
      [&](const auto &Where, auto Map, auto In, auto Out) -> cudaError_t {
        const OnDevice Guard(Where.oneDevice());
        if (Where.FrameBytes[1])
          return gatherByParts<ValueOf<Input>>(Map, In, From, Out, Elements,
                                               Stream);
        return launchForEach(
            gatherElements<decltype(Map), decltype(In), decltype(Out)>,
            Elements, Stream, Map, In, Out, Elements);
      },
      reads(MapFirst, Elements), reads(First, From),
      overwrites(Result, Elements));
}

/// Sets Result[Map[i]] to First[i], for each element. The numbers in the map
/// are less than ResultLast - Result; of equal ones, which element stays is not
/// defined. Other elements of the result stay as they are.
template <typename Input, typename MapInput, typename Output>
cudaError_t scatter(Input First, Input Last, MapInput Map, Output Result,
                    Output ResultLast, cudaStream_t Stream = nullptr) {
  using namespace detail;
  const Index Elements = Last - First;
  const Index To = std::max<Index>(ResultLast - Result, 0);
  if (Elements <= 0)
    return cudaSuccess;
  return withMemory(
      Stream,
      [&](const auto &Where, auto In, auto Places, auto Out) -> cudaError_t {
        const OnDevice Guard(Where.oneDevice());
        if (Where.FrameBytes[2])
          return scatterByParts<ValueOf<Output>>(In, Places, Elements, Out, To,
                                                 Stream);
        return launchForEach(
            scatterElements<decltype(In), decltype(Places), decltype(Out)>,
            Elements, Stream, In, Places, Out, Elements);
      },
      reads(First, Elements), reads(Map, Elements), writes(Result, To));
}

} // namespace gridspan

#endif // GRIDSPAN_ALGORITHM_PERMUTE_H
