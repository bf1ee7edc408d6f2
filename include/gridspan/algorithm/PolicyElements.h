//===- PolicyElements.h - Thrust's calls, element by element ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transforms, reductions, scans, gather and scatter with gridspan::par.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_POLICYELEMENTS_H
#define GRIDSPAN_ALGORITHM_POLICYELEMENTS_H

#include "gridspan/algorithm/Permute.h"
#include "gridspan/algorithm/Policy.h"
#include "gridspan/algorithm/Reduce.h"
#include "gridspan/algorithm/Scan.h"
#include "gridspan/algorithm/Transform.h"

namespace gridspan::policy {

template <typename Input, typename Output>
__host__ __device__ Output copy(const Par &P, Input First, Input Last,
                                Output Result) {
  finish(P, gridspan::transform(First, Last, Result, Same(), P.Stream));
  return Result + (Last - First);
}

template <typename Input, typename Output, typename Function>
__host__ __device__ Output transform(const Par &P, Input First, Input Last,
                                     Output Result, Function F) {
  finish(P, gridspan::transform(First, Last, Result, Callable<Function>{F},
                                P.Stream));
  return Result + (Last - First);
}

template <typename Input1, typename Input2, typename Output, typename Function>
__host__ __device__ Output transform(const Par &P, Input1 First1, Input1 Last1,
                                     Input2 First2, Output Result, Function F) {
  finish(P, gridspan::transform(First1, Last1, First2, Result,
                                Callable<Function>{F}, P.Stream));
  return Result + (Last1 - First1);
}

template <typename Iterator, typename Function>
__host__ __device__ Iterator for_each(const Par &P, Iterator First,
                                      Iterator Last, Function F) {
  finish(P, gridspan::for_each(First, Last, Callable<Function>{F}, P.Stream));
  return Last;
}

template <typename Iterator, typename T>
__host__ __device__ void fill(const Par &P, Iterator First, Iterator Last,
                              const T &Value) {
  using Element = detail::ValueOf<Iterator>;
  finish(P, gridspan::fill(First, Last, static_cast<Element>(Value), P.Stream));
}

template <typename Iterator>
__host__ __device__ void sequence(const Par &P, Iterator First, Iterator Last) {
  finish(P,
         gridspan::iota(First, Last, detail::ValueOf<Iterator>(0), P.Stream));
}

template <typename Iterator, typename T>
__host__ __device__ void sequence(const Par &P, Iterator First, Iterator Last,
                                  T Init) {
  using Element = detail::ValueOf<Iterator>;
  finish(P, gridspan::iota(First, Last, static_cast<Element>(Init), P.Stream));
}

template <typename Input, typename T, typename Operation>
__host__ __device__ T reduce(const Par &P, Input First, Input Last, T Init,
                             Operation Op) {
  T Sum = Init;
  finish(P, gridspan::reduce(First, Last, Init, Callable<Operation>{Op}, &Sum,
                             P.Stream));
  return Sum;
}

template <typename Input, typename T>
__host__ __device__ T reduce(const Par &P, Input First, Input Last, T Init) {
  return policy::reduce(P, First, Last, Init, detail::Plus());
}

template <typename Input>
__host__ __device__ detail::ValueOf<Input> reduce(const Par &P, Input First,
                                                  Input Last) {
  return policy::reduce(P, First, Last, detail::ValueOf<Input>(0));
}

template <typename Input, typename Function, typename T, typename Operation>
__host__ __device__ T transform_reduce(const Par &P, Input First, Input Last,
                                       Function F, T Init, Operation Op) {
  T Sum = Init;
  finish(P,
         gridspan::transform_reduce(First, Last, Init, Callable<Operation>{Op},
                                    Callable<Function>{F}, &Sum, P.Stream));
  return Sum;
}

template <typename Iterator, typename Compare>
__host__ __device__ Iterator min_element(const Par &P, Iterator First,
                                         Iterator Last, Compare Less) {
  Number At;
  finish(P, gridspan::min_element(First, Last, Less, &At.Value, P.Stream));
  return First + At.distance();
}

template <typename Iterator>
__host__ __device__ Iterator min_element(const Par &P, Iterator First,
                                         Iterator Last) {
  return policy::min_element(P, First, Last, detail::Less());
}

template <typename Iterator, typename Compare>
__host__ __device__ Iterator max_element(const Par &P, Iterator First,
                                         Iterator Last, Compare Less) {
  Number At;
  finish(P, gridspan::max_element(First, Last, Less, &At.Value, P.Stream));
  return First + At.distance();
}

template <typename Iterator>
__host__ __device__ Iterator max_element(const Par &P, Iterator First,
                                         Iterator Last) {
  return policy::max_element(P, First, Last, detail::Less());
}

template <typename Input, typename Output, typename Operation>
__host__ __device__ Output inclusive_scan(const Par &P, Input First, Input Last,
                                          Output Result, Operation Op) {
  finish(P, gridspan::inclusive_scan(First, Last, Result,
                                     Callable<Operation>{Op}, P.Stream));
  return Result + (Last - First);
}

template <typename Input, typename Output>
__host__ __device__ Output inclusive_scan(const Par &P, Input First, Input Last,
                                          Output Result) {
  return policy::inclusive_scan(P, First, Last, Result, detail::Plus());
}

template <typename Input, typename Output, typename T, typename Operation>
__host__ __device__ Output exclusive_scan(const Par &P, Input First, Input Last,
                                          Output Result, T Init, Operation Op) {
  finish(P, gridspan::exclusive_scan(First, Last, Result, Init,
                                     Callable<Operation>{Op}, P.Stream));
  return Result + (Last - First);
}

template <typename Input, typename Output, typename T>
__host__ __device__ Output exclusive_scan(const Par &P, Input First, Input Last,
                                          Output Result, T Init) {
  return policy::exclusive_scan(P, First, Last, Result, Init, detail::Plus());
}

template <typename Input, typename Output>
__host__ __device__ Output exclusive_scan(const Par &P, Input First, Input Last,
                                          Output Result) {
  return policy::exclusive_scan(P, First, Last, Result,
                                detail::ValueOf<Input>(0));
}

/// Returns how many elements places lead to: Thrust does not say.
template <typename Map>
__host__ __device__ ptrdiff_t extentOf(const Par &P, Map First, Map Last) {
  return policy::reduce(P, First, Last, -1LL, Larger()) + 1;
}

template <typename Map, typename Input, typename Output>
__host__ __device__ Output gather(const Par &P, Map First, Map Last, Input From,
                                  Output Result) {
  finish(P, gridspan::gather(First, Last, From, From + extentOf(P, First, Last),
                             Result, P.Stream));
  return Result + (Last - First);
}

template <typename Input, typename Map, typename Output>
__host__ __device__ void scatter(const Par &P, Input First, Input Last,
                                 Map Places, Output Result) {
  const ptrdiff_t Extent = extentOf(P, Places, Places + (Last - First));
  finish(P, gridspan::scatter(First, Last, Places, Result, Result + Extent,
                              P.Stream));
}

} // namespace gridspan::policy

#endif // GRIDSPAN_ALGORITHM_POLICYELEMENTS_H
