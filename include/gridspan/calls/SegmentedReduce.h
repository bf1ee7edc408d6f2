//===- SegmentedReduce.h - CUB's reductions of segments ------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cub::DeviceSegmentedReduce. Places of extremes, which CUB counts from the
// begin of each segment, stay CUB's.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_SEGMENTEDREDUCE_H
#define GRIDSPAN_CALLS_SEGMENTEDREDUCE_H

#include "gridspan/algorithm/Segmented.h"
#include "gridspan/calls/Segments.h"

namespace gridspan::calls {

/// True for elements with their places, which CUB's kernel knows by the
/// iterator's type. What it begins with, it may convert before.
template <typename Input> inline constexpr bool IsOfPlaces = false;
template <typename Elements, typename Offset, typename T>
inline constexpr bool
    IsOfPlaces<cub::ArgIndexInputIterator<Elements, Offset, T>> = true;

template <typename T, typename Input, typename Output, typename Begins,
          typename Ends, typename Init>
constexpr GridspanCallReason whyNotSegmentedReduce() {
  if constexpr (IsOfPlaces<Input> || !std::is_convertible_v<Init, T>)
    return GridspanCallPlacesInSegments;
  else
    return firstOf(whyNotOffsets<Begins, Ends>(), whyNotInTile<T, 16>(),
                   whyNotIn<Input>(), whyNotIn<Output>());
}

template <typename T, typename Input, typename Output, typename Offsets,
          typename Operation, typename Init>
cudaError_t segmentedReduce(Input In, Output Out, Index Segments, Offsets Of,
                            Operation Op, Init First, cudaStream_t Stream) {
  Index Lo = 0, Hi = 0;
  if (cudaError_t Error =
          readBounds(detail::addressOf(Of), Segments, Lo, Hi, Stream))
    return Error;
  return gridspan::segmented_reduce(
      In, In + Hi, Of, static_cast<size_t>(Segments), Out,
      static_cast<T>(First), Callable<Operation>{Op}, Stream);
}

} // namespace gridspan::calls

CUB_NAMESPACE_BEGIN

template <typename Input, typename Output, typename Begins, typename Ends,
          typename Offset, typename Operation, typename Init, typename T,
          typename Source, typename Launcher>
struct DispatchSegmentedReduce<
    Input, Output, Begins, Ends, Offset, Operation, Init, T,
    detail::reduce::policy_hub<T, Offset, Operation>, Source, Launcher>
    : DispatchSegmentedReduce<
          Input, Output, Begins, Ends, Offset, Operation, Init, T,
          ::gridspan::calls::Untouched<
              detail::reduce::policy_hub<T, Offset, Operation>>,
          Source, Launcher> {
  using Own = DispatchSegmentedReduce<
      Input, Output, Begins, Ends, Offset, Operation, Init, T,
      ::gridspan::calls::Untouched<
          detail::reduce::policy_hub<T, Offset, Operation>>,
      Source, Launcher>;
  using Own::Own;

  template <typename... Rest>
  CUB_RUNTIME_FUNCTION static cudaError_t
  Dispatch(void *Storage, size_t &Bytes, Input In, Output Out,
           ::cuda::std::int64_t Segments, Begins From, Ends To, Operation Op,
           Init First, cudaStream_t Stream, Rest... Others) {
    namespace calls = ::gridspan::calls;
    const auto AskCub = [&](void *At, size_t &Room) {
      return Own::Dispatch(At, Room, In, Out, Segments, From, To, Op, First,
                           Stream, Others...);
    };
    if (Storage && Segments > 0) {
      constexpr auto WhyNot =
          calls::whyNotSegmentedReduce<T, Input, Output, Begins, Ends, Init>();
      calls::MemoryList Memory;
      Memory.addAll(In);
      Memory.add(Out, Segments);
      if (Memory.isTaken("segmented_reduce",
                         calls::whyNotSegments(WhyNot, From, To), Stream))
        if constexpr (!WhyNot)
          if (calls::isRoomEnough(Bytes, AskCub))
            return calls::segmentedReduce<T>(In, Out, Segments, From, Op, First,
                                             Stream);
    }
    return AskCub(Storage, Bytes);
  }
};

CUB_NAMESPACE_END

#endif // GRIDSPAN_CALLS_SEGMENTEDREDUCE_H
