//===- Transform.h - Element by element ----------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Primitives in which each element of the result is a function of one element
// of each input: one thread for each.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_TRANSFORM_H
#define GRIDSPAN_ALGORITHM_TRANSFORM_H

#include "gridspan/algorithm/Memory.h"

namespace gridspan {
namespace detail {

template <typename Input, typename Output, typename Function>
__global__ void __launch_bounds__(ElementThreads)
    transformUnary(Input In, Output Out, Index Elements, Function F) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < Elements)
    Out[I] = F(In[I]);
}

template <typename Input1, typename Input2, typename Output, typename Function>
__global__ void __launch_bounds__(ElementThreads)
    transformBinary(Input1 In1, Input2 In2, Output Out, Index Elements,
                    Function F) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < Elements)
    Out[I] = F(In1[I], In2[I]);
}

template <typename Input, typename Function>
__global__ void __launch_bounds__(ElementThreads)
    applyToEach(Input In, Index Elements, Function F) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < Elements)
    F(In[I]);
}

template <typename Output, typename Function>
__global__ void __launch_bounds__(ElementThreads)
    tabulate(Output Out, Index Elements, Function F) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < Elements)
    Out[I] = F(I);
}

template <typename T> struct Constant {
  T Value;
  __host__ __device__ T operator()(Index) const { return Value; }
};

template <typename T> struct CountFrom {
  T First;
  __host__ __device__ T operator()(Index I) const {
    return static_cast<T>(First + static_cast<T>(I));
  }
};

template <typename Iterator, typename Function>
cudaError_t tabulateInto(Iterator First, Iterator Last, Function F,
                         cudaStream_t Stream) {
  const Index Elements = Last - First;
  if (Elements <= 0)
    return cudaSuccess;
  return withMemory(
      Stream,
      [&](const auto &, auto Out) {
        return launchForEach(tabulate<decltype(Out), Function>, Elements,
                             Stream, Out, Elements, F);
      },
      overwrites(First, Elements));
}

} // namespace detail

/// Sets Result[i] to F(First[i]). Result may be First.
template <typename Input, typename Output, typename Function>
cudaError_t transform(Input First, Input Last, Output Result, Function F,
                      cudaStream_t Stream = nullptr) {
  using namespace detail;
  const Index Elements = Last - First;
  if (Elements <= 0)
    return cudaSuccess;
  return withMemory(
      Stream,
      [&](const auto &, auto In, auto Out) {
        return launchForEach(
            transformUnary<decltype(In), decltype(Out), Function>, Elements,
            Stream, In, Out, Elements, F);
      },
      reads(First, Elements), overwrites(Result, Elements));
}

/// Sets Result[i] to F(First1[i], First2[i]). Result may be either.
template <
    typename Input1, typename Input2, typename Output, typename Function,
    typename = std::enable_if_t<!std::is_convertible_v<Function, cudaStream_t>>>
cudaError_t transform(Input1 First1, Input1 Last1, Input2 First2, Output Result,
                      Function F, cudaStream_t Stream = nullptr) {
  using namespace detail;
  const Index Elements = Last1 - First1;
  if (Elements <= 0)
    return cudaSuccess;
  return withMemory(
      Stream,
      [&](const auto &, auto In1, auto In2, auto Out) {
        return launchForEach(transformBinary<decltype(In1), decltype(In2),
                                             decltype(Out), Function>,
                             Elements, Stream, In1, In2, Out, Elements, F);
      },
      reads(First1, Elements), reads(First2, Elements),
      overwrites(Result, Elements));
}

/// Calls F(First[i]) for each element, which F may change.
template <typename Iterator, typename Function>
cudaError_t for_each(Iterator First, Iterator Last, Function F,
                     cudaStream_t Stream = nullptr) {
  using namespace detail;
  const Index Elements = Last - First;
  if (Elements <= 0)
    return cudaSuccess;
  constexpr bool IsConst =
      std::is_const_v<std::remove_pointer_t<OnDevices<Iterator>>>;
  return withMemory(
      Stream,
      [&](const auto &, auto In) {
        return launchForEach(applyToEach<decltype(In), Function>, Elements,
                             Stream, In, Elements, F);
      },
      IsConst ? reads(First, Elements) : writes(First, Elements));
}

/// Sets each element to Value.
template <typename Iterator, typename T>
cudaError_t fill(Iterator First, Iterator Last, const T &Value,
                 cudaStream_t Stream = nullptr) {
  return detail::tabulateInto(First, Last, detail::Constant<T>{Value}, Stream);
}

/// Sets the elements to First, First + 1, and so on. Of a floating type each is
/// the sum of its number and First, rounded.
template <typename Iterator, typename T>
cudaError_t iota(Iterator First, Iterator Last, T Value,
                 cudaStream_t Stream = nullptr) {
  return detail::tabulateInto(First, Last, detail::CountFrom<T>{Value}, Stream);
}

} // namespace gridspan

#endif // GRIDSPAN_ALGORITHM_TRANSFORM_H
