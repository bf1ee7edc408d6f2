//===- Histogram.h - How many elements are in each bin -------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each block counts tiles in shared memory, if bins have room there, and adds
// what it has to counts in device memory by atomics. With more bins it adds
// each element there. Blocks take several tiles where bins are many, so that
// what they add at the end is little beside the elements. Devices have counts
// of their own (private copies).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_HISTOGRAM_H
#define GRIDSPAN_ALGORITHM_HISTOGRAM_H

#include "gridspan/algorithm/Transform.h"
#include <algorithm>

namespace gridspan {
namespace detail {

/// Bins that have room in shared memory, and threads of a block.
inline constexpr unsigned SharedBins = 8192;
inline constexpr unsigned HistogramThreads = 256;

/// Returns the elements of a block: enough that the bins are few beside them.
inline Index histogramTile(Index Bins) {
  return std::max<Index>(4096, 8 * Bins);
}

using BinCount = unsigned long long;

template <typename Input, typename Function>
__global__ void __launch_bounds__(HistogramThreads)
    countShared(Input In, Index Elements, Index Tile, BinCount *Counts,
                unsigned Bins, Function BinOf) {
  __shared__ unsigned Here[SharedBins];
  for (unsigned B = threadIdx.x; B < Bins; B += HistogramThreads)
    Here[B] = 0;
  __syncthreads();
  const Index First = Index(blockIdx.x) * Tile;
  for (Index At = threadIdx.x; At < Tile; At += HistogramThreads)
    if (First + At < Elements) {
      const Index B = static_cast<Index>(BinOf(In[First + At]));
      if (B >= 0 && B < Bins)
        atomicAdd(&Here[B], 1U);
    }
  __syncthreads();
  for (unsigned B = threadIdx.x; B < Bins; B += HistogramThreads)
    if (Here[B])
      atomicAdd(&Counts[B], BinCount(Here[B]));
}

template <typename Input, typename Function>
__global__ void __launch_bounds__(ElementThreads)
    countEach(Input In, Index Elements, BinCount *Counts, Index Bins,
              Function BinOf) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I >= Elements)
    return;
  const Index B = static_cast<Index>(BinOf(In[I]));
  if (B >= 0 && B < Bins)
    atomicAdd(&Counts[B], BinCount(1));
}

/// Bins of equal widths from Lo to Hi.
template <typename T> struct EvenBins {
  T Lo, Hi;
  Index Bins;
  __host__ __device__ Index operator()(const T &Value) const {
    // Also of NaN.
    if (!(Value >= Lo && Value < Hi))
      return -1;
    if constexpr (std::is_floating_point_v<T>) {
      const auto B =
          static_cast<Index>((Value - Lo) / (Hi - Lo) * static_cast<T>(Bins));
      return B < Bins ? B : Bins - 1;
    } else {
      // Differences are right also where the type is too small for them.
      using Difference = unsigned long long;
      using Product =
          std::conditional_t<sizeof(T) <= 4, Difference, unsigned __int128>;
      const auto Distance = [this](const T &To) {
        return static_cast<Difference>(To) - static_cast<Difference>(Lo);
      };
      return static_cast<Index>(static_cast<Product>(Distance(Value)) *
                                static_cast<Product>(Bins) /
                                static_cast<Product>(Distance(Hi)));
    }
  }
};

template <typename Input, typename Function>
cudaError_t countBins(Input In, Index Elements, BinCount *Counts, Index Bins,
                      Function BinOf, cudaStream_t Stream) {
  if (Elements == 0)
    return cudaSuccess;
  if (Bins <= Index(SharedBins)) {
    const Index Tile = histogramTile(Bins);
    return launch(countShared<Input, Function>, blocksFor(Elements, Tile),
                  HistogramThreads, Stream, In, Elements, Tile, Counts,
                  static_cast<unsigned>(Bins), BinOf);
  }
  return launchForEach(countEach<Input, Function>, Elements, Stream, In,
                       Elements, Counts, Bins, BinOf);
}

/// Counts elements of what kernels use, to an output of kernels.
template <typename Input, typename Output, typename Function>
cudaError_t countAll(Input In, Index Elements, Output Out, Index NumBins,
                     Function BinOf, cudaStream_t Stream) {
  WorkSpace<BinCount> Work(Stream);
  if (cudaError_t Error = Work.allocate(NumBins))
    return Error;
  using Zero = Constant<BinCount>;
  if (cudaError_t Error = launchForEach(tabulate<BinCount *, Zero>, NumBins,
                                        Stream, Work.get(), NumBins, Zero{0}))
    return Error;
  if (cudaError_t Error =
          countBins(In, Elements, Work.get(), NumBins, BinOf, Stream))
    return Error;
  return copyOnDevices(Work.get(), Out, NumBins, Stream);
}

} // namespace detail

/// Sets Counts[b] to how many elements are in bin b of Bins: those for which
/// BinOf returns b. Elements for which it returns no bin are not counted.
template <typename Input, typename Output, typename Function>
cudaError_t histogram(Input First, Input Last, Output Counts, size_t Bins,
                      Function BinOf, cudaStream_t Stream = nullptr) {
  using namespace detail;
  const Index Elements = std::max<Index>(Last - First, 0);
  const auto NumBins = static_cast<Index>(Bins);
  if (NumBins == 0)
    return cudaSuccess;
  return withMemory(
      Stream,
      [&](const auto &, auto In, auto Out) {
        return countAll(In, Elements, Out, NumBins, BinOf, Stream);
      },
      reads(First, Elements), overwrites(Counts, NumBins));
}

/// The same for bins of equal widths: bin b has elements from
/// Lo + b * (Hi - Lo) / Bins on, to that of b + 1. Of floating types what is
/// within rounding of such a bound may be on its other side.
template <typename Input, typename Output, typename T>
cudaError_t histogram(Input First, Input Last, Output Counts, size_t Bins, T Lo,
                      T Hi, cudaStream_t Stream = nullptr) {
  using Value = detail::ValueOf<Input>;
  return histogram(First, Last, Counts, Bins,
                   detail::EvenBins<Value>{static_cast<Value>(Lo),
                                           static_cast<Value>(Hi),
                                           static_cast<detail::Index>(Bins)},
                   Stream);
}

} // namespace gridspan

#endif // GRIDSPAN_ALGORITHM_HISTOGRAM_H
