//===- Select.h - Some of the elements, in their order -------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Primitives that take some of the elements, or sums of some of them: how many
// results there are is part of the result.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_SELECT_H
#define GRIDSPAN_ALGORITHM_SELECT_H

#include "gridspan/algorithm/Selection.h"

namespace gridspan {
namespace detail {

/// In the place of an output that there is not.
inline constexpr char *NoResult = nullptr;

/// Equality of the library, for host and device.
struct Equal {
  template <typename T>
  __host__ __device__ bool operator()(const T &L, const T &R) const {
    return L == R;
  }
};

/// Copies the elements that the test takes to A, and with KeepsOthers the
/// others to B.
template <bool KeepsOthers, typename Input, typename OutputA, typename OutputB,
          typename Test, typename Count>
cudaError_t selectBy(Input First, Input Last, OutputA A, OutputB B, Test Takes,
                     Count *Number, cudaStream_t Stream) {
  const Index Elements = std::max<Index>(Last - First, 0);
  return withMemory(
      Stream,
      [&](const auto &Where, auto In, auto *N) {
        return select(Taken<decltype(In), Test, KeepsOthers>{In, Takes}, In,
                      Elements, A, B, N, Where.FrameBytes[0], Stream);
      },
      reads(First, Elements), overwrites(Number, 1));
}

} // namespace detail

/// Copies the elements for which Takes is true to Result, in their order, and
/// sets *Number to how many these are. Result has room for them, and is not
/// where the elements are.
template <typename Input, typename Output, typename Predicate, typename Count>
cudaError_t copy_if(Input First, Input Last, Output Result, Predicate Takes,
                    Count *Number, cudaStream_t Stream = nullptr) {
  return detail::selectBy<false>(First, Last, Result, detail::NoResult,
                                 detail::Satisfies<Predicate>{Takes}, Number,
                                 Stream);
}

/// Copies the elements for which Takes is true to True and the others to False,
/// in their order, and sets *Number to how many the first are.
template <typename Input, typename Output1, typename Output2,
          typename Predicate, typename Count>
cudaError_t partition_copy(Input First, Input Last, Output1 True, Output2 False,
                           Predicate Takes, Count *Number,
                           cudaStream_t Stream = nullptr) {
  return detail::selectBy<true>(First, Last, True, False,
                                detail::Satisfies<Predicate>{Takes}, Number,
                                Stream);
}

/// Moves the elements for which Takes is true before the others, of which the
/// order stays among themselves, and sets *Number to how many these are.
template <typename Iterator, typename Predicate, typename Count>
cudaError_t partition(Iterator First, Iterator Last, Predicate Takes,
                      Count *Number, cudaStream_t Stream = nullptr) {
  using namespace detail;
  static_assert(IsContiguous<Iterator>, "elements in memory are moved");
  const Index Elements = std::max<Index>(Last - First, 0);
  return withMemory(
      Stream,
      [&](const auto &Where, auto *In, auto *N) -> cudaError_t {
        using Value = ValueOf<Iterator>;
        WorkSpace<Value> Others(Stream);
        if (cudaError_t Error = Others.allocate(Elements))
          return Error;
        if (cudaError_t Error = select(
                Taken<Value *, Satisfies<Predicate>, true>{In, {Takes}}, In,
                Elements, In, Others.get(), N, Where.FrameBytes[0], Stream))
          return Error;
        Count Taken = 0;
        if (cudaError_t Error = cudaMemcpyAsync(&Taken, N, sizeof Taken,
                                                cudaMemcpyDefault, Stream))
          return Error;
        if (cudaError_t Error = cudaStreamSynchronize(Stream))
          return Error;
        const auto Before = static_cast<Index>(Taken);
        return copyOnDevices(Others.get(), In + Before, Elements - Before,
                             Stream);
      },
      writes(First, Elements), overwrites(Number, 1));
}

/// Copies the first of each run of equal elements to Result, in their order,
/// and sets *Number to how many these are. Result may be First.
template <typename Input, typename Output, typename Equality, typename Count>
cudaError_t unique_copy(Input First, Input Last, Output Result, Equality Equal,
                        Count *Number, cudaStream_t Stream = nullptr) {
  return detail::selectBy<false>(First, Last, Result, detail::NoResult,
                                 detail::BeginsRun<Equality>{Equal}, Number,
                                 Stream);
}

template <typename Input, typename Output, typename Count>
cudaError_t unique_copy(Input First, Input Last, Output Result, Count *Number,
                        cudaStream_t Stream = nullptr) {
  return unique_copy(First, Last, Result, detail::Equal(), Number, Stream);
}

/// Keeps the first of each run of equal elements, moves these to the front, and
/// sets *Number to how many they are. What is behind them is not changed.
template <typename Iterator, typename Equality, typename Count>
cudaError_t unique(Iterator First, Iterator Last, Equality Equal, Count *Number,
                   cudaStream_t Stream = nullptr) {
  static_assert(detail::IsContiguous<Iterator>, "elements in memory are moved");
  return unique_copy(First, Last, First, Equal, Number, Stream);
}

template <typename Iterator, typename Count>
cudaError_t unique(Iterator First, Iterator Last, Count *Number,
                   cudaStream_t Stream = nullptr) {
  return unique(First, Last, detail::Equal(), Number, Stream);
}

/// Copies the key of each run of equal keys to KeyResult, and the values of the
/// run, combined by Op from left to right, to ValueResult; sets *Number to how
/// many runs there are. The results may be where the input is.
template <typename KeyInput, typename ValueInput, typename KeyOutput,
          typename ValueOutput, typename Equality, typename Reduction,
          typename Count>
cudaError_t reduce_by_key(KeyInput First, KeyInput Last, ValueInput Values,
                          KeyOutput KeyResult, ValueOutput ValueResult,
                          Equality Equal, Reduction Op, Count *Number,
                          cudaStream_t Stream = nullptr) {
  using namespace detail;
  const Index Elements = std::max<Index>(Last - First, 0);
  return withMemory(
      Stream,
      [&](const auto &Where, auto K, auto V, auto *N) {
        return select(KeyedRuns<decltype(K), decltype(V), Equality, Reduction,
                                ValueOf<ValueInput>>{K, V, Elements, Equal, Op},
                      K, Elements, KeyResult, ValueResult, N,
                      Where.frameBytes(), Stream);
      },
      reads(First, Elements), reads(Values, Elements), overwrites(Number, 1));
}

template <typename KeyInput, typename ValueInput, typename KeyOutput,
          typename ValueOutput, typename Count>
cudaError_t reduce_by_key(KeyInput First, KeyInput Last, ValueInput Values,
                          KeyOutput KeyResult, ValueOutput ValueResult,
                          Count *Number, cudaStream_t Stream = nullptr) {
  return reduce_by_key(First, Last, Values, KeyResult, ValueResult,
                       detail::Equal(), detail::Plus(), Number, Stream);
}

} // namespace gridspan

#endif // GRIDSPAN_ALGORITHM_SELECT_H
