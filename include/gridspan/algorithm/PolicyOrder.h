//===- PolicyOrder.h - Thrust's calls that move elements --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selections, sorting and merging with gridspan::par.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_POLICYORDER_H
#define GRIDSPAN_ALGORITHM_POLICYORDER_H

#include "gridspan/algorithm/MergeSorted.h"
#include "gridspan/algorithm/Policy.h"
#include "gridspan/algorithm/Select.h"
#include "gridspan/algorithm/Sort.h"

namespace gridspan::policy {

template <typename Input, typename Output, typename Predicate>
__host__ __device__ Output copy_if(const Par &P, Input First, Input Last,
                                   Output Result, Predicate Takes) {
  Number N;
  finish(P, gridspan::copy_if(First, Last, Result, Callable<Predicate>{Takes},
                              &N.Value, P.Stream));
  return Result + N.distance();
}

template <typename Input, typename Output, typename Predicate>
__host__ __device__ Output remove_copy_if(const Par &P, Input First, Input Last,
                                          Output Result, Predicate Takes) {
  return policy::copy_if(P, First, Last, Result, Not<Predicate>{Takes});
}

template <typename Input, typename Output1, typename Output2,
          typename Predicate>
__host__ __device__ thrust::pair<Output1, Output2>
stable_partition_copy(const Par &P, Input First, Input Last, Output1 True,
                      Output2 False, Predicate Takes) {
  Number N;
  finish(P, gridspan::partition_copy(First, Last, True, False,
                                     Callable<Predicate>{Takes}, &N.Value,
                                     P.Stream));
  return {True + N.distance(), False + ((Last - First) - N.distance())};
}

template <typename Input, typename Output1, typename Output2,
          typename Predicate>
__host__ __device__ thrust::pair<Output1, Output2>
partition_copy(const Par &P, Input First, Input Last, Output1 True,
               Output2 False, Predicate Takes) {
  return policy::stable_partition_copy(P, First, Last, True, False, Takes);
}

template <typename Iterator, typename Predicate>
__host__ __device__ Iterator stable_partition(const Par &P, Iterator First,
                                              Iterator Last, Predicate Takes) {
  Number N;
  finish(P, gridspan::partition(First, Last, Callable<Predicate>{Takes},
                                &N.Value, P.Stream));
  return First + N.distance();
}

template <typename Iterator, typename Predicate>
__host__ __device__ Iterator partition(const Par &P, Iterator First,
                                       Iterator Last, Predicate Takes) {
  return policy::stable_partition(P, First, Last, Takes);
}

template <typename Iterator, typename Predicate>
__host__ __device__ Iterator remove_if(const Par &P, Iterator First,
                                       Iterator Last, Predicate Takes) {
  return policy::stable_partition(P, First, Last, Not<Predicate>{Takes});
}

template <typename Input, typename Output, typename Equality>
__host__ __device__ Output unique_copy(const Par &P, Input First, Input Last,
                                       Output Result, Equality Equal) {
  Number N;
  finish(P,
         gridspan::unique_copy(First, Last, Result, Callable<Equality>{Equal},
                               &N.Value, P.Stream));
  return Result + N.distance();
}

template <typename Input, typename Output>
__host__ __device__ Output unique_copy(const Par &P, Input First, Input Last,
                                       Output Result) {
  return policy::unique_copy(P, First, Last, Result, detail::Equal());
}

template <typename Iterator, typename Equality>
__host__ __device__ Iterator unique(const Par &P, Iterator First, Iterator Last,
                                    Equality Equal) {
  return policy::unique_copy(P, First, Last, First, Equal);
}

template <typename Iterator>
__host__ __device__ Iterator unique(const Par &P, Iterator First,
                                    Iterator Last) {
  return policy::unique(P, First, Last, detail::Equal());
}

template <typename KeyInput, typename ValueInput, typename KeyOutput,
          typename ValueOutput, typename Equality, typename Operation>
__host__ __device__ thrust::pair<KeyOutput, ValueOutput>
reduce_by_key(const Par &P, KeyInput First, KeyInput Last, ValueInput Values,
              KeyOutput KeyResult, ValueOutput ValueResult, Equality Equal,
              Operation Op) {
  Number N;
  finish(P,
         gridspan::reduce_by_key(First, Last, Values, KeyResult, ValueResult,
                                 Callable<Equality>{Equal},
                                 Callable<Operation>{Op}, &N.Value, P.Stream));
  return {KeyResult + N.distance(), ValueResult + N.distance()};
}

template <typename KeyInput, typename ValueInput, typename KeyOutput,
          typename ValueOutput, typename Equality>
__host__ __device__ thrust::pair<KeyOutput, ValueOutput>
reduce_by_key(const Par &P, KeyInput First, KeyInput Last, ValueInput Values,
              KeyOutput KeyResult, ValueOutput ValueResult, Equality Equal) {
  return policy::reduce_by_key(P, First, Last, Values, KeyResult, ValueResult,
                               Equal, detail::Plus());
}

template <typename KeyInput, typename ValueInput, typename KeyOutput,
          typename ValueOutput>
__host__ __device__ thrust::pair<KeyOutput, ValueOutput>
reduce_by_key(const Par &P, KeyInput First, KeyInput Last, ValueInput Values,
              KeyOutput KeyResult, ValueOutput ValueResult) {
  return policy::reduce_by_key(P, First, Last, Values, KeyResult, ValueResult,
                               detail::Equal());
}

template <typename Input1, typename Input2, typename Output, typename Compare>
__host__ __device__ Output merge(const Par &P, Input1 First1, Input1 Last1,
                                 Input2 First2, Input2 Last2, Output Result,
                                 Compare Less) {
  finish(P,
         gridspan::merge(First1, Last1, First2, Last2, Result, Less, P.Stream));
  return Result + (Last1 - First1) + (Last2 - First2);
}

template <typename Input1, typename Input2, typename Output>
__host__ __device__ Output merge(const Par &P, Input1 First1, Input1 Last1,
                                 Input2 First2, Input2 Last2, Output Result) {
  return policy::merge(P, First1, Last1, First2, Last2, Result,
                       detail::KeyLess());
}

template <typename KeyInput1, typename KeyInput2, typename ValueInput1,
          typename ValueInput2, typename KeyOutput, typename ValueOutput,
          typename Compare>
__host__ __device__ thrust::pair<KeyOutput, ValueOutput>
merge_by_key(const Par &P, KeyInput1 First1, KeyInput1 Last1, KeyInput2 First2,
             KeyInput2 Last2, ValueInput1 Values1, ValueInput2 Values2,
             KeyOutput KeyResult, ValueOutput ValueResult, Compare Less) {
  finish(P,
         gridspan::merge_by_key(First1, Last1, First2, Last2, Values1, Values2,
                                KeyResult, ValueResult, Less, P.Stream));
  const auto Count = (Last1 - First1) + (Last2 - First2);
  return {KeyResult + Count, ValueResult + Count};
}

template <typename KeyInput1, typename KeyInput2, typename ValueInput1,
          typename ValueInput2, typename KeyOutput, typename ValueOutput>
__host__ __device__ thrust::pair<KeyOutput, ValueOutput>
merge_by_key(const Par &P, KeyInput1 First1, KeyInput1 Last1, KeyInput2 First2,
             KeyInput2 Last2, ValueInput1 Values1, ValueInput2 Values2,
             KeyOutput KeyResult, ValueOutput ValueResult) {
  return policy::merge_by_key(P, First1, Last1, First2, Last2, Values1, Values2,
                              KeyResult, ValueResult, detail::KeyLess());
}

template <typename Iterator, typename Compare>
__host__ __device__ void stable_sort(const Par &P, Iterator First,
                                     Iterator Last, Compare Less) {
  finish(P, gridspan::stable_sort(First, Last, Less, P.Stream));
}

template <typename Iterator>
__host__ __device__ void stable_sort(const Par &P, Iterator First,
                                     Iterator Last) {
  policy::stable_sort(P, First, Last, detail::Ascending());
}

template <typename Iterator, typename Compare>
__host__ __device__ void sort(const Par &P, Iterator First, Iterator Last,
                              Compare Less) {
  finish(P, gridspan::stable_sort(First, Last, Less, P.Stream));
}

template <typename Iterator>
__host__ __device__ void sort(const Par &P, Iterator First, Iterator Last) {
  policy::sort(P, First, Last, detail::Ascending());
}

template <typename KeyIterator, typename ValueIterator, typename Compare>
__host__ __device__ void
stable_sort_by_key(const Par &P, KeyIterator First, KeyIterator Last,
                   ValueIterator Values, Compare Less) {
  finish(P, gridspan::stable_sort_by_key(First, Last, Values, Less, P.Stream));
}

template <typename KeyIterator, typename ValueIterator>
__host__ __device__ void stable_sort_by_key(const Par &P, KeyIterator First,
                                            KeyIterator Last,
                                            ValueIterator Values) {
  policy::stable_sort_by_key(P, First, Last, Values, detail::Ascending());
}

template <typename KeyIterator, typename ValueIterator, typename Compare>
__host__ __device__ void sort_by_key(const Par &P, KeyIterator First,
                                     KeyIterator Last, ValueIterator Values,
                                     Compare Less) {
  finish(P, gridspan::stable_sort_by_key(First, Last, Values, Less, P.Stream));
}

template <typename KeyIterator, typename ValueIterator>
__host__ __device__ void sort_by_key(const Par &P, KeyIterator First,
                                     KeyIterator Last, ValueIterator Values) {
  policy::sort_by_key(P, First, Last, Values, detail::Ascending());
}

} // namespace gridspan::policy

#endif // GRIDSPAN_ALGORITHM_POLICYORDER_H
