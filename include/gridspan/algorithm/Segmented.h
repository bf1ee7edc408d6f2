//===- Segmented.h - Each of many segments on its own --------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Segments are between neighbours of ascending offsets. Primitives look for the
// offset behind an element by binary search. Where offsets come from elsewhere,
// those of a batch of elements are brought to work space first.
//
// A reduction is a scan of sums since the last offset (RunSums), whose segments
// are those of other scans, so that the order depends on the offsets alone. The
// results of a batch are those of the offsets in it, which the host knows.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_SEGMENTED_H
#define GRIDSPAN_ALGORITHM_SEGMENTED_H

#include "gridspan/algorithm/Offsets.h"
#include "gridspan/algorithm/Transform.h"
#include "gridspan/algorithm/Ways.h"

namespace gridspan {
namespace detail {

/// Sums since the last offset: elements from Lo on, and offsets.
template <typename T, typename Input, typename Offset> struct SegmentSums {
  Input In;
  Index Lo;
  const Offset *Ends;
  Index NumEnds;

  /// Returns the number of the first offset behind the element.
  __device__ Index endOf(Index I) const {
    return countUpTo(Ends, NumEnds, Lo + I);
  }
  __device__ bool isEnd(Index I, Index End) const {
    return End < NumEnds && static_cast<Index>(Ends[End]) == Lo + I + 1;
  }
  __device__ RunSums<T> operator()(Index I) const {
    return {isEnd(I, endOf(I)) ? 3 : 0, static_cast<T>(In[I])};
  }
};

/// Puts those of a segment's last element behind Init. The first offset has
/// number First: it ends result First - 1, if there is that.
template <typename Sums, typename T, typename Output, typename Operation>
struct PutSegments {
  Sums Of;
  Index First;
  Output Out;
  T Init;
  Operation Op;
  __device__ void operator()(Index I, const RunSums<T> &S) const {
    const Index End = Of.endOf(I);
    if (Of.isEnd(I, End) && First + End > 0)
      Out[End - (First == 0)] = Op(Init, S.Sum);
  }
};

/// One reduction in a stream.
template <typename T, typename Input, typename Offset, typename Output,
          typename Operation>
class SegmentReducer {
public:
  SegmentReducer(Input In, Index Count, const Offset *Ends, Index NumEnds,
                 Output Out, T Init, Operation Op, cudaStream_t Stream)
      : In(In), Count(Count), Ends(Ends), NumEnds(NumEnds), Out(Out),
        Init(Init), Op(Op), Stream(Stream), Sums(Stream), Before(Stream) {}

  cudaError_t reduce(uint64_t FrameBytes) {
    const Index Batch = std::max<Index>(segmentOf<State>(Count, FrameBytes), 1);
    if (cudaError_t Error = Sums.allocate(Shape::blocks(Batch)))
      return Error;
    if (cudaError_t Error = Before.allocate(1))
      return Error;
    if (cudaError_t Error =
            begin(Before.get(), static_cast<const State *>(nullptr), Stream))
      return Error;
    if (FrameBytes)
      return reduceBatches(Batch);
    if (cudaError_t Error = fillResults(Out, NumEnds - 1))
      return Error;
    return reduceBatch(0, Count, Ends, 0, NumEnds, Out);
  }

private:
  using State = RunSums<T>;
  using Shape = TileOf<State>;
  using Adding = AddRunSums<T, Operation>;

  template <typename Results>
  cudaError_t fillResults(Results To, Index Elements) {
    if (Elements == 0)
      return cudaSuccess;
    return launchForEach(tabulate<Results, Constant<T>>, Elements, Stream, To,
                         Elements, Constant<T>{Init});
  }

  /// Reduces elements from Lo on, behind what comes before, with the offsets in
  /// them and one more, of which the first has number First.
  template <typename Results>
  cudaError_t reduceBatch(Index Lo, Index Elements, const Offset *HereEnds,
                          Index First, Index HereNum, Results To) {
    using Load = SegmentSums<T, Input, Offset>;
    using Store = PutSegments<Load, T, Results, Operation>;
    if (Elements == 0)
      return cudaSuccess;
    const Load From = {In + Lo, Lo, HereEnds, HereNum};
    const Adding Add = {Op};
    if (cudaError_t Error =
            sumTiles(From, Elements, Sums.get(), Before.get(), Add, Stream))
      return Error;
    return launch(scanTiles<true, State, Load, Store, Adding>,
                  Shape::blocks(Elements), Shape::Threads, Stream, From,
                  Store{From, First, To, Init, Op}, Elements, Sums.get(),
                  Lo != 0, Add);
  }

  cudaError_t reduceBatches(Index Batch) {
    const Index Batches = std::max<Index>(blocksFor(Count, Batch), 1);
    std::unique_ptr<OffsetCut[]> Cuts;
    if (cudaError_t Error = cutOffsets(Ends, NumEnds, Count, Batch, Batches,
                                       false, Cuts, Stream))
      return Error;
    // What is at or behind the end of all elements belongs to the last batch.
    Cuts[0].Before = 0;
    Cuts[Batches].Before = NumEnds;
    Index Most = 0;
    for (Index B = 0; B < Batches; ++B)
      Most = std::max(Most, Cuts[B + 1].Before - Cuts[B].Before);
    WorkSpace<Offset> HereEnds(Stream);
    WorkSpace<T> Results(Stream);
    if (cudaError_t Error = HereEnds.allocate(Most))
      return Error;
    if (cudaError_t Error = Results.allocate(Most))
      return Error;
    for (Index B = 0; B < Batches; ++B) {
      const Index First = Cuts[B].Before, Here = Cuts[B + 1].Before - First;
      const Index NumResults = Here - (First == 0 && Here != 0);
      const Index Lo = B * Batch, Elements = std::min(Batch, Count - Lo);
      if (cudaError_t Error =
              copyOnDevices(Ends + First, HereEnds.get(), Here, Stream))
        return Error;
      if (cudaError_t Error = fillResults(Results.get(), NumResults))
        return Error;
      if (cudaError_t Error = reduceBatch(Lo, Elements, HereEnds.get(), First,
                                          Here, Results.get()))
        return Error;
      if (cudaError_t Error = copyOnDevices(
              Results.get(), Out + (First ? First - 1 : 0), NumResults, Stream))
        return Error;
    }
    return cudaSuccess;
  }

  const Input In;
  const Index Count;
  const Offset *const Ends;
  const Index NumEnds;
  const Output Out;
  const T Init;
  const Operation Op;
  const cudaStream_t Stream;
  WorkSpace<State> Sums;
  WorkSpace<Carry<State>> Before;
};

} // namespace detail

/// Sets Result[s] to Init Op First[Offsets[s]] Op ... Op First[Offsets[s + 1] -
/// 1], for each of Segments segments. There is one more offset than segments;
/// none is less than the one before it, nor more than the number of elements.
template <typename Input, typename OffsetInput, typename Output, typename T,
          typename Operation>
cudaError_t segmented_reduce(Input First, Input Last, OffsetInput Offsets,
                             size_t Segments, Output Result, T Init,
                             Operation Op, cudaStream_t Stream = nullptr) {
  using namespace detail;
  static_assert(IsContiguous<OffsetInput>, "offsets are in memory");
  const Index Count = std::max<Index>(Last - First, 0);
  if (Segments == 0)
    return cudaSuccess;
  const Index NumEnds = static_cast<Index>(Segments) + 1;
  return withMemory(
      Stream,
      [&](const auto &Where, auto In, auto *Ends, auto Out) {
        using Offset = ValueOf<OffsetInput>;
        return SegmentReducer<T, decltype(In), Offset, decltype(Out),
                              Operation>(In, Count, Ends, NumEnds, Out, Init,
                                         Op, Stream)
            .reduce(Where.frameBytes());
      },
      reads(First, Count), reads(Offsets, NumEnds),
      overwrites(Result, NumEnds - 1));
}

/// The sums.
template <typename Input, typename OffsetInput, typename Output, typename T,
          typename = std::enable_if_t<!std::is_convertible_v<T, cudaStream_t>>>
cudaError_t segmented_reduce(Input First, Input Last, OffsetInput Offsets,
                             size_t Segments, Output Result, T Init,
                             cudaStream_t Stream = nullptr) {
  return segmented_reduce(First, Last, Offsets, Segments, Result, Init,
                          detail::Plus(), Stream);
}

} // namespace gridspan

#endif // GRIDSPAN_ALGORITHM_SEGMENTED_H
