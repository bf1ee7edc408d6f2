//===- Selection.h - As many results as contents say ---------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For primitives whose results are as many as the contents say: a scan counts
// what comes before each element (ScanTiles.h), and so says where it goes.
//
// A first launch reads everything and leaves the sums of tiles. If the results
// are in memory of devices, a second one puts them where they belong. Else the
// places are not known without contents, and chunks need exact ranges. So the
// host gets the number of results before each segment, launches put a segment's
// results into work space, and copies bring these to their places. They wait
// for each other in a chain. So the input crosses the bus twice, and the
// results once.
//
// Results may be put over the input, from its begin on: those of a segment are
// put away when it has been read, and never behind its end. The element before
// a segment is then overwritten by itself only.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_SELECTION_H
#define GRIDSPAN_ALGORITHM_SELECTION_H

#include "gridspan/algorithm/Room.h"
#include "gridspan/algorithm/ScanTiles.h"
#include "gridspan/algorithm/Ways.h"
#include <memory>
#include <new>

namespace gridspan::detail {

/// Sets Out[S] to the numbers of results before segment S, and the last one to
/// those of all.
template <typename Way>
__global__ void findCounts(const typename Way::State *Sums, Index Tiles,
                           Index Segment, Index Count, Index Segments,
                           const Carry<typename Way::State> *All, Counts *Out) {
  for (Index S = threadIdx.x; S <= Segments; S += blockDim.x)
    Out[S] = S == 0         ? Counts{{0, 0}}
             : S < Segments ? Way::countsOf(Sums[S * Tiles], S * Segment)
                            : Way::countsOf(All->Sum, Count);
}

template <typename Way, typename Number>
__global__ void setNumber(const Carry<typename Way::State> *All, Index Count,
                          Number *Result) {
  *Result = static_cast<Number>(
      Count == 0 ? 0 : Way::countsOf(All->Sum, Count).Of[0]);
}

/// The elements from Lo on, as a way has them.
template <typename Way> struct StatesFrom {
  Way W;
  Index Lo;
  __device__ typename Way::State operator()(Index I) const { return W(Lo + I); }
};

/// Where it puts their results.
template <typename Way, typename First, typename Second> struct PutFrom {
  Way W;
  Index Lo;
  Outlets<First, Second> To;
  __device__ void operator()(Index I, const typename Way::State &S) const {
    W.put(Lo + I, S, To);
  }
};

/// Returns true if results can be put where they belong at once: they are on
/// devices, and not where the input is.
template <typename Output, typename Input>
bool isDirect(Output Result, Index Count, Input In, cudaStream_t Stream) {
  // Looks at one element, of which nothing is changed.
  GridspanOperand O = reads(Result, 1).described();
  if (!O.Address)
    return true;
  if constexpr (std::is_pointer_v<Input>) {
    const auto *const Lo = static_cast<const char *>(O.Address);
    const auto *const InLo = reinterpret_cast<const char *>(In);
    if (Lo < InLo + Count * static_cast<Index>(sizeof(*In)) &&
        InLo < Lo + Count * static_cast<Index>(O.Bytes))
      return false;
  }
  if (__gridspan_borrow(&O, 1, Stream))
    return false;
  const bool IsThere = O.Kind == GridspanOperandAsIs && O.FrameBytes == 0;
  return !__gridspan_give_back(&O, 1, Stream) && IsThere;
}

/// A selection of Count elements in a stream, as the way has it.
template <typename Way> class Selection {
public:
  Selection(Way W, Index Count, cudaStream_t Stream)
      : W(W), Count(Count), Stream(Stream), Sums(Stream), All(Stream) {}

  /// Counts the results, and sets *Number to those of the first output.
  template <typename T> cudaError_t count(T *Number) {
    if (cudaError_t Error = All.allocate(1))
      return Error;
    if (Count != 0)
      if (cudaError_t Error = sumAllTiles())
        return Error;
    return launch(setNumber<Way, T>, 1, 1, Stream, All.get(), Count, Number);
  }

  /// Puts all results where they belong, in memory of devices.
  template <typename First, typename Second>
  cudaError_t putDirectly(First A, Second B) {
    return put(0, Count, Outlets<First, Second>{A, B, {{0, 0}}}, W.operation());
  }

  /// Puts them into work space, segment by segment, and copies them. A and B
  /// are the program's.
  template <typename First, typename Second>
  cudaError_t putByCopies(First A, Second B, uint64_t FrameBytes) {
    if (cudaError_t Error = findSegments(FrameBytes))
      return Error;
    const Counts &Ends = Before[Segments];
    return withMemory(
        Stream,
        [&](const auto &, auto OnA, auto OnB) { return putSegments(OnA, OnB); },
        overwrites(A, Ends.Of[0]), overwrites(B, Ends.Of[1]));
  }

private:
  using State = typename Way::State;
  using Shape = TileOf<State>;
  using FirstValue = typename Way::First;
  using SecondValue = typename Way::Second;

  cudaError_t sumAllTiles() {
    if (cudaError_t Error = Sums.allocate(Shape::blocks(Count)))
      return Error;
    if (cudaError_t Error =
            begin(All.get(), static_cast<const State *>(nullptr), Stream))
      return Error;
    return sumTiles(W, Count, Sums.get(), All.get(), W.operation(), Stream);
  }

  template <typename First, typename Second, typename Operation>
  cudaError_t put(Index Lo, Index Elements, Outlets<First, Second> To,
                  Operation Op) {
    using Load = StatesFrom<Way>;
    using Store = PutFrom<Way, First, Second>;
    return launch(scanTiles<true, State, Load, Store, Operation>,
                  Shape::blocks(Elements), Shape::Threads, Stream, Load{W, Lo},
                  Store{W, Lo, To}, Elements, Sums.get() + Lo / Shape::Elements,
                  Lo != 0, Op);
  }

  /// Finds how many results come before each segment.
  cudaError_t findSegments(uint64_t FrameBytes) {
    // Two segments' results, and the frames of the input.
    constexpr Index Parts = 16;
    constexpr uint64_t Each = sizeof(FirstValue) + sizeof(SecondValue);
    if (cudaError_t Error =
            findRoom(Each, Parts, Shape::Elements, Count, Segment))
      return Error;
    if (FrameBytes) {
      const Index Frames = FramesPerSegment * static_cast<Index>(FrameBytes);
      Segment =
          std::min(Segment, blocksFor(Frames, Shape::Elements *
                                                  Index(sizeof(FirstValue))) *
                                Shape::Elements);
    }
    Segments = blocksFor(Count, Segment);
    Before.reset(new (std::nothrow) Counts[Segments + 1]);
    if (!Before)
      return cudaErrorMemoryAllocation;
    WorkSpace<Counts> Found(Stream);
    if (cudaError_t Error = Found.allocate(Segments + 1))
      return Error;
    if (cudaError_t Error = launch(findCounts<Way>, 1, 256, Stream, Sums.get(),
                                   Segment / Shape::Elements, Segment, Count,
                                   Segments, All.get(), Found.get()))
      return Error;
    if (cudaError_t Error =
            cudaMemcpyAsync(Before.get(), Found.get(),
                            static_cast<size_t>(Segments + 1) * sizeof(Counts),
                            cudaMemcpyDeviceToHost, Stream))
      return Error;
    return cudaStreamSynchronize(Stream);
  }

  template <typename First, typename Second>
  cudaError_t putSegments(First A, Second B) {
    // One segment's results are copied while the next one's are made.
    WorkSpace<FirstValue> OfA[] = {WorkSpace<FirstValue>(Stream),
                                   WorkSpace<FirstValue>(Stream)};
    WorkSpace<SecondValue> OfB[] = {WorkSpace<SecondValue>(Stream),
                                    WorkSpace<SecondValue>(Stream)};
    for (unsigned Half = 0; Half != 2; ++Half) {
      if (cudaError_t Error = OfA[Half].allocate(Segment))
        return Error;
      if (cudaError_t Error = OfB[Half].allocate(Segment))
        return Error;
    }
    for (Index S = 0; S < Segments; ++S) {
      FirstValue *const HereA = OfA[S % 2].get();
      SecondValue *const HereB = OfB[S % 2].get();
      const Counts &From = Before[S], &To = Before[S + 1];
      if (cudaError_t Error =
              put(S * Segment, std::min(Segment, Count - S * Segment),
                  Outlets<FirstValue *, SecondValue *>{HereA, HereB, From},
                  W.operation()))
        return Error;
      if (cudaError_t Error = copyOnDevices(HereA, A + From.Of[0],
                                            To.Of[0] - From.Of[0], Stream))
        return Error;
      if (cudaError_t Error = copyOnDevices(HereB, B + From.Of[1],
                                            To.Of[1] - From.Of[1], Stream))
        return Error;
    }
    return cudaSuccess;
  }

  const Way W;
  const Index Count;
  const cudaStream_t Stream;
  WorkSpace<State> Sums;
  WorkSpace<Carry<State>> All;
  Index Segment = 0, Segments = 0;
  std::unique_ptr<Counts[]> Before;
};

/// Selects as the way has it from Count elements, of which those that the
/// results may be put over are at In, for kernels.
template <typename Way, typename Input, typename First, typename Second,
          typename Number>
cudaError_t select(Way W, Input In, Index Count, First A, Second B,
                   Number *Result, uint64_t FrameBytes, cudaStream_t Stream) {
  Selection<Way> Chosen(W, Count, Stream);
  if (cudaError_t Error = Chosen.count(Result))
    return Error;
  if (Count == 0)
    return cudaSuccess;
  const bool Fits =
      isDirect(A, Count, In, Stream) && isDirect(B, Count, In, Stream);
  return Fits ? Chosen.putDirectly(asIs(A), asIs(B))
              : Chosen.putByCopies(A, B, FrameBytes);
}

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_SELECTION_H
