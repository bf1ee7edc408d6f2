//===- MergeSorted.h - Two sorted ranges to one --------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Merging, and searching one sorted range for all elements of another one.
// What is on devices takes one launch. Larger data cross the bus once, piece by
// piece (Ranges.h).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_MERGESORTED_H
#define GRIDSPAN_ALGORITHM_MERGESORTED_H

#include "gridspan/algorithm/Arrays.h"
#include "gridspan/algorithm/Ranges.h"

namespace gridspan {
namespace detail {

template <typename T, typename First, typename Second, typename Output,
          typename Compare>
cudaError_t mergeRanges(RunPair<First, Second> Runs, Output To, Compare Less,
                        bool IsThere, cudaStream_t Stream) {
  if (Runs.InA + Runs.InB == 0)
    return cudaSuccess;
  if (IsThere)
    return launchMerge<T>(Runs, To, Less, Stream);
  return forPieces<T, T>(
      Runs, Less,
      [&](const RangePiece<T> &A, const RangePiece<T> &B) {
        const RunPair<const T *, const T *> Here = {A.Elements, A.Count,
                                                    B.Elements, B.Count};
        return launchMerge<T>(Here, To.from(A.First + B.First), Less, Stream);
      },
      Stream);
}

/// Sets Out[I] to how many of Count elements come before Needles[I]: with
/// Upper, also those that are equal to it. Before are known to.
template <bool Upper, typename Hay, typename Needle, typename Output,
          typename Compare>
__global__ void __launch_bounds__(ElementThreads)
    searchSorted(Hay In, Index Count, Index Before, Needle Needles,
                 Index NumNeedles, Output Out, Compare Less) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I >= NumNeedles)
    return;
  Index Lo = 0, Hi = Count;
  while (Lo < Hi) {
    const Index Mid = (Lo + Hi) / 2;
    bool IsBefore;
    if constexpr (Upper)
      IsBefore = !Less(Needles[I], In[Mid]);
    else
      IsBefore = Less(In[Mid], Needles[I]);
    if (IsBefore)
      Lo = Mid + 1;
    else
      Hi = Mid;
  }
  Out[I] = static_cast<std::remove_reference_t<decltype(Out[I])>>(Before + Lo);
}

/// Searches Count elements for needles, which are sorted if the elements are
/// not on devices.
template <bool Upper, typename Hay, typename Needle, typename Output,
          typename Compare>
cudaError_t searchRange(Hay In, Index Count, Needle Needles, Index NumNeedles,
                        Output Out, Compare Less, bool IsThere,
                        cudaStream_t Stream) {
  if (NumNeedles == 0)
    return cudaSuccess;
  if (IsThere || Count == 0)
    return launchForEach(searchSorted<Upper, Hay, Needle, Output, Compare>,
                         NumNeedles, Stream, In, Count, Index(0), Needles,
                         NumNeedles, Out, Less);
  using T = ValueOf<Hay>;
  using U = ValueOf<Needle>;
  const auto Search = [&](const RangePiece<T> &Elements,
                          const RangePiece<U> &Wanted) -> cudaError_t {
    if (Wanted.Count == 0)
      return cudaSuccess;
    return launchForEach(
        searchSorted<Upper, const T *, const U *, Output, Compare>,
        Wanted.Count, Stream, Elements.Elements, Elements.Count, Elements.First,
        Wanted.Elements, Wanted.Count, Out + Wanted.First, Less);
  };
  const Range<Hay> All = {In};
  const Range<Needle> Wanted = {Needles};
  // What is counted with a needle comes before it.
  if constexpr (Upper)
    return forPieces<T, U>(
        RunPair<Range<Hay>, Range<Needle>>{All, Count, Wanted, NumNeedles},
        Less, Search, Stream);
  else
    return forPieces<U, T>(
        RunPair<Range<Needle>, Range<Hay>>{Wanted, NumNeedles, All, Count},
        Less,
        [&](const RangePiece<U> &W, const RangePiece<T> &E) {
          return Search(E, W);
        },
        Stream);
}

template <bool Upper, typename Input, typename NeedleInput, typename Output,
          typename Compare>
cudaError_t searchMemory(Input First, Input Last, NeedleInput NeedlesFirst,
                         NeedleInput NeedlesLast, Output Result, Compare Less,
                         cudaStream_t Stream) {
  const Index Count = std::max<Index>(Last - First, 0);
  const Index NumNeedles = std::max<Index>(NeedlesLast - NeedlesFirst, 0);
  return withMemory(
      Stream,
      [&](const auto &Where, auto In, auto Needles, auto Out) {
        return searchRange<Upper>(In, Count, Needles, NumNeedles, Out, Less,
                                  Where.FrameBytes[0] == 0, Stream);
      },
      reads(First, Count), reads(NeedlesFirst, NumNeedles),
      overwrites(Result, NumNeedles));
}

} // namespace detail

/// Merges two sorted ranges to Result. Of equal elements those of the first
/// range come first. Result overlaps neither.
template <
    typename Input1, typename Input2, typename Output, typename Compare,
    typename = std::enable_if_t<!std::is_convertible_v<Compare, cudaStream_t>>>
cudaError_t merge(Input1 First1, Input1 Last1, Input2 First2, Input2 Last2,
                  Output Result, Compare Less, cudaStream_t Stream = nullptr) {
  using namespace detail;
  const Index Count1 = std::max<Index>(Last1 - First1, 0);
  const Index Count2 = std::max<Index>(Last2 - First2, 0);
  return withMemory(
      Stream,
      [&](const auto &Where, auto A, auto B, auto Out) {
        using First = Range<decltype(A)>;
        using Second = Range<decltype(B)>;
        return mergeRanges<ValueOf<Input1>>(
            RunPair<First, Second>{First{A}, Count1, Second{B}, Count2},
            Range<decltype(Out)>{Out}, Less, Where.frameBytes() == 0, Stream);
      },
      reads(First1, Count1), reads(First2, Count2),
      overwrites(Result, Count1 + Count2));
}

template <typename Input1, typename Input2, typename Output>
cudaError_t merge(Input1 First1, Input1 Last1, Input2 First2, Input2 Last2,
                  Output Result, cudaStream_t Stream = nullptr) {
  return merge(First1, Last1, First2, Last2, Result, detail::KeyLess(), Stream);
}

/// Merges sorted keys, and values as their keys.
template <
    typename KeyInput1, typename KeyInput2, typename ValueInput1,
    typename ValueInput2, typename KeyOutput, typename ValueOutput,
    typename Compare,
    typename = std::enable_if_t<!std::is_convertible_v<Compare, cudaStream_t>>>
cudaError_t merge_by_key(KeyInput1 First1, KeyInput1 Last1, KeyInput2 First2,
                         KeyInput2 Last2, ValueInput1 Values1,
                         ValueInput2 Values2, KeyOutput KeyResult,
                         ValueOutput ValueResult, Compare Less,
                         cudaStream_t Stream = nullptr) {
  using namespace detail;
  using Key = ValueOf<KeyInput1>;
  using Value = ValueOf<ValueInput1>;
  const Index Count1 = std::max<Index>(Last1 - First1, 0);
  const Index Count2 = std::max<Index>(Last2 - First2, 0);
  return withMemory(
      Stream,
      [&](const auto &Where, auto K1, auto V1, auto K2, auto V2, auto K,
          auto V) {
        using First = KeyedRange<Key, Value, decltype(K1), decltype(V1)>;
        using Second = KeyedRange<Key, Value, decltype(K2), decltype(V2)>;
        using Out = KeyedRange<Key, Value, decltype(K), decltype(V)>;
        return mergeRanges<KeyedValue<Key, Value>>(
            RunPair<First, Second>{First{K1, V1}, Count1, Second{K2, V2},
                                   Count2},
            Out{K, V}, ByKey<Compare>{Less}, Where.frameBytes() == 0, Stream);
      },
      reads(First1, Count1), reads(Values1, Count1), reads(First2, Count2),
      reads(Values2, Count2), overwrites(KeyResult, Count1 + Count2),
      overwrites(ValueResult, Count1 + Count2));
}

template <typename KeyInput1, typename KeyInput2, typename ValueInput1,
          typename ValueInput2, typename KeyOutput, typename ValueOutput>
cudaError_t merge_by_key(KeyInput1 First1, KeyInput1 Last1, KeyInput2 First2,
                         KeyInput2 Last2, ValueInput1 Values1,
                         ValueInput2 Values2, KeyOutput KeyResult,
                         ValueOutput ValueResult,
                         cudaStream_t Stream = nullptr) {
  return merge_by_key(First1, Last1, First2, Last2, Values1, Values2, KeyResult,
                      ValueResult, detail::KeyLess(), Stream);
}

/// Sets Result[i] to how many elements of the sorted range are less than
/// needle i. Less(element, needle) says so. The needles are sorted too.
template <
    typename Input, typename NeedleInput, typename Output, typename Compare,
    typename = std::enable_if_t<!std::is_convertible_v<Compare, cudaStream_t>>>
cudaError_t lower_bound(Input First, Input Last, NeedleInput NeedlesFirst,
                        NeedleInput NeedlesLast, Output Result, Compare Less,
                        cudaStream_t Stream = nullptr) {
  return detail::searchMemory<false>(First, Last, NeedlesFirst, NeedlesLast,
                                     Result, Less, Stream);
}

template <typename Input, typename NeedleInput, typename Output>
cudaError_t lower_bound(Input First, Input Last, NeedleInput NeedlesFirst,
                        NeedleInput NeedlesLast, Output Result,
                        cudaStream_t Stream = nullptr) {
  return lower_bound(First, Last, NeedlesFirst, NeedlesLast, Result,
                     detail::KeyLess(), Stream);
}

/// Sets Result[i] to how many elements needle i is not less than, by
/// Less(needle, element).
template <
    typename Input, typename NeedleInput, typename Output, typename Compare,
    typename = std::enable_if_t<!std::is_convertible_v<Compare, cudaStream_t>>>
cudaError_t upper_bound(Input First, Input Last, NeedleInput NeedlesFirst,
                        NeedleInput NeedlesLast, Output Result, Compare Less,
                        cudaStream_t Stream = nullptr) {
  return detail::searchMemory<true>(First, Last, NeedlesFirst, NeedlesLast,
                                    Result, Less, Stream);
}

template <typename Input, typename NeedleInput, typename Output>
cudaError_t upper_bound(Input First, Input Last, NeedleInput NeedlesFirst,
                        NeedleInput NeedlesLast, Output Result,
                        cudaStream_t Stream = nullptr) {
  return upper_bound(First, Last, NeedlesFirst, NeedlesLast, Result,
                     detail::KeyLess(), Stream);
}

} // namespace gridspan

#endif // GRIDSPAN_ALGORITHM_MERGESORTED_H
