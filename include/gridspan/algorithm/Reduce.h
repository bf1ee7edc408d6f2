//===- Reduce.h - All elements to one ------------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each block combines a tile, and further launches combine the results of those
// before, until one is left: the data cross the bus once.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_REDUCE_H
#define GRIDSPAN_ALGORITHM_REDUCE_H

#include "gridspan/algorithm/Tile.h"

namespace gridspan {
namespace detail {

/// Elements of an iterator, as T.
template <typename T, typename Input> struct Elements {
  Input In;
  Elements from(Index I) const { return {In + I}; }
  __device__ T operator()(Index I) const { return static_cast<T>(In[I]); }
};

/// Their images.
template <typename T, typename Input, typename Function> struct Images {
  Input In;
  Function F;
  __device__ T operator()(Index I) const { return static_cast<T>(F(In[I])); }
};

template <typename T> struct Numbered {
  T Value;
  Index Number;
};

template <typename T, typename Input> struct NumberedElements {
  Input In;
  __device__ Numbered<T> operator()(Index I) const { return {In[I], I}; }
};

/// The one of two that Less has first; of equals the left one, as in std.
template <typename T, typename Compare> struct Least {
  Compare Less;
  __device__ Numbered<T> operator()(const Numbered<T> &L,
                                    const Numbered<T> &R) const {
    return Less(R.Value, L.Value) ? R : L;
  }
};

template <typename T, typename Compare> struct Greatest {
  Compare Less;
  __device__ Numbered<T> operator()(const Numbered<T> &L,
                                    const Numbered<T> &R) const {
    return Less(L.Value, R.Value) ? R : L;
  }
};

/// Makes the result: of a sum with a value to begin with, and of none.
template <typename T, typename Operation> struct BehindFirst {
  T First;
  Operation Op;
  __device__ T operator()() const { return First; }
  __device__ T operator()(const T &Sum) const { return Op(First, Sum); }
};

template <typename T> struct NumberOf {
  __device__ Index operator()() const { return 0; }
  __device__ Index operator()(const Numbered<T> &Of) const { return Of.Number; }
};

template <typename T, typename Load, typename Operation>
__global__ void __launch_bounds__(TileOf<T>::Threads)
    reduceTiles(Load From, Index Count, T *Sums, Operation Op) {
  __shared__ TileMemory<T> Memory;
  T *const Tile = Memory.get();
  const unsigned Here = loadTile<T>(Tile, From, Count);
  const T Sum = reduceTile(Tile, Here, Op);
  if (threadIdx.x == 0)
    Sums[blockIdx.x] = Sum;
}

/// Runs as one block, with at most a tile of elements.
template <typename T, typename Load, typename Operation, typename Output,
          typename Final>
__global__ void __launch_bounds__(TileOf<T>::Threads)
    reduceLast(Load From, Index Count, Output Result, Operation Op,
               Final Make) {
  __shared__ TileMemory<T> Memory;
  T *const Tile = Memory.get();
  if (Count == 0) {
    if (threadIdx.x == 0)
      *Result = Make();
    return;
  }
  const unsigned Here = loadTile<T>(Tile, From, Count);
  const T Sum = reduceTile(Tile, Here, Op);
  if (threadIdx.x == 0)
    *Result = Make(Sum);
}

template <typename T, typename Load, typename Operation, typename Output,
          typename Final>
cudaError_t reduceAll(Load From, Index Count, Output Result, Operation Op,
                      Final Make, cudaStream_t Stream) {
  using Shape = TileOf<T>;
  if (Count <= Shape::Elements)
    return launch(reduceLast<T, Load, Operation, Output, Final>, 1,
                  Shape::Threads, Stream, From, Count, Result, Op, Make);
  const Index Blocks = Shape::blocks(Count);
  WorkSpace<T> Sums(Stream);
  if (cudaError_t Error = Sums.allocate(Blocks))
    return Error;
  if (cudaError_t Error =
          launch(reduceTiles<T, Load, Operation>, Blocks, Shape::Threads,
                 Stream, From, Count, Sums.get(), Op))
    return Error;
  return reduceAll<T>(Elements<T, const T *>{Sums.get()}, Blocks, Result, Op,
                      Make, Stream);
}

/// Reduces the elements, by a function that makes the loader of what kernels
/// use in their place, to *Result.
template <typename T, typename Input, typename MakeLoad, typename Operation,
          typename Output, typename Final>
cudaError_t reduceMemory(Input First, Input Last, MakeLoad Loader, Operation Op,
                         Output Result, Final Make, cudaStream_t Stream) {
  const Index Count = Last - First > 0 ? Index(Last - First) : 0;
  return withMemory(
      Stream,
      [&](const auto &, auto In, auto Out) {
        return reduceAll<T>(Loader(In), Count, Out, Op, Make, Stream);
      },
      reads(First, Count), overwrites(Result, 1));
}

template <typename Input, typename Operation>
cudaError_t findExtreme(Input First, Input Last, size_t *Result, Operation Op,
                        cudaStream_t Stream) {
  using T = ValueOf<Input>;
  return reduceMemory<Numbered<T>>(
      First, Last,
      [](OnDevices<Input> In) {
        return NumberedElements<T, OnDevices<Input>>{In};
      },
      Op, Result, NumberOf<T>{}, Stream);
}

/// Operations of the library, for host and device.
struct Plus {
  template <typename T>
  __host__ __device__ T operator()(const T &L, const T &R) const {
    return L + R;
  }
};
struct Less {
  template <typename T>
  __host__ __device__ bool operator()(const T &L, const T &R) const {
    return L < R;
  }
};

} // namespace detail

/// Sets *Result to Op(...Op(Op(Init, F(First[0])), F(First[1]))...). Op is
/// associative; it need not be commutative.
template <typename Input, typename T, typename Operation, typename Function>
cudaError_t transform_reduce(Input First, Input Last, T Init, Operation Op,
                             Function F, T *Result,
                             cudaStream_t Stream = nullptr) {
  using namespace detail;
  return reduceMemory<T>(
      First, Last,
      [F](OnDevices<Input> In) {
        return Images<T, OnDevices<Input>, Function>{In, F};
      },
      Op, Result, BehindFirst<T, Operation>{Init, Op}, Stream);
}

/// The same without a function.
template <typename Input, typename T, typename Operation>
cudaError_t reduce(Input First, Input Last, T Init, Operation Op, T *Result,
                   cudaStream_t Stream = nullptr) {
  using namespace detail;
  return reduceMemory<T>(
      First, Last,
      [](OnDevices<Input> In) { return Elements<T, OnDevices<Input>>{In}; }, Op,
      Result, BehindFirst<T, Operation>{Init, Op}, Stream);
}

/// The sum of Init and the elements.
template <typename Input, typename T>
cudaError_t reduce(Input First, Input Last, T Init, T *Result,
                   cudaStream_t Stream = nullptr) {
  return reduce(First, Last, Init, detail::Plus(), Result, Stream);
}

/// Sets *Result to the number of the first element that no other is less than;
/// to 0 if there is none.
template <typename Input, typename Compare>
cudaError_t min_element(Input First, Input Last, Compare Less, size_t *Result,
                        cudaStream_t Stream = nullptr) {
  return detail::findExtreme(
      First, Last, Result, detail::Least<detail::ValueOf<Input>, Compare>{Less},
      Stream);
}

template <typename Input>
cudaError_t min_element(Input First, Input Last, size_t *Result,
                        cudaStream_t Stream = nullptr) {
  return min_element(First, Last, detail::Less(), Result, Stream);
}

/// Sets *Result to the number of the first element that is less than no other;
/// to 0 if there is none.
template <typename Input, typename Compare>
cudaError_t max_element(Input First, Input Last, Compare Less, size_t *Result,
                        cudaStream_t Stream = nullptr) {
  return detail::findExtreme(
      First, Last, Result,
      detail::Greatest<detail::ValueOf<Input>, Compare>{Less}, Stream);
}

template <typename Input>
cudaError_t max_element(Input First, Input Last, size_t *Result,
                        cudaStream_t Stream = nullptr) {
  return max_element(First, Last, detail::Less(), Result, Stream);
}

} // namespace gridspan

#endif // GRIDSPAN_ALGORITHM_REDUCE_H
