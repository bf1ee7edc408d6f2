//===- Histogram.h - CUB's histograms ------------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cub::DeviceHistogram: bins of equal widths or of given bounds, of several
// channels, in rows with gaps. Which bin a sample is in is CUB's own code, so
// that counts are the same also where rounding decides. Each channel is a
// histogram of its own.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_HISTOGRAM_H
#define GRIDSPAN_CALLS_HISTOGRAM_H

#include "gridspan/algorithm/Histogram.h"
#include "gridspan/calls/Call.h"

namespace gridspan::calls {

/// The samples of one channel, row after row.
template <typename Input> struct ChannelSamples {
  Input First; ///< of the channel
  Index RowPixels, RowStride, Channels;
  __device__ auto operator[](Index I) const {
    return First[I / RowPixels * RowStride + I % RowPixels * Channels];
  }
};

/// The bin that CUB has a sample in; -1 for none. CUB counts samples of one
/// byte as they are before it looks for bins.
template <typename Transform, typename Sample> struct BinOfSample {
  Transform ToBin;
  __device__ Index operator()(Sample Of) const {
    if constexpr (sizeof(Sample) == 1)
      if (static_cast<int>(Of) < 0)
        return -1;
    Transform Way = ToBin;
    int Bin = -1;
    Way.template BinSelect<cub::LOAD_DEFAULT>(Of, Bin, true);
    return Bin;
  }
};

template <typename Samples, typename Counter>
constexpr GridspanCallReason WhyNotHistogram =
    firstOf(whyNotIn<Samples>(), whyNotElement<Counter>());

/// Where samples are: rows of pixels of channels.
struct SampleRows {
  Index RowPixels, Rows, RowStride, Channels;
  Index extent() const {
    return Rows <= 0 || RowPixels <= 0
               ? 0
               : (Rows - 1) * RowStride + RowPixels * Channels;
  }
};

/// Counts the samples of each channel, by its transform, in its bins.
template <size_t Active, typename Samples, typename Counter, typename Transform>
cudaError_t histograms(Samples In, const SampleRows &Of,
                       const ::cuda::std::array<Counter *, Active> &Out,
                       const ::cuda::std::array<int, Active> &Levels,
                       const ::cuda::std::array<Transform, Active> &ToBin,
                       cudaStream_t Stream) {
  using namespace detail;
  using Sample = cub::detail::it_value_t<Samples>;
  for (size_t C = 0; C != Active; ++C) {
    const Index Bins = Levels[C] - 1;
    if (Bins <= 0)
      continue;
    const auto Count = [&](const auto &, auto From, Counter *Counts) {
      const BinOfSample<Transform, Sample> BinOf = {ToBin[C]};
      const Index Elements = Of.extent() ? Of.RowPixels * Of.Rows : 0;
      // One row after the other without gaps, of one channel.
      if (Of.Channels == 1 && (Of.Rows == 1 || Of.RowStride == Of.RowPixels))
        return countAll(From, Elements, Counts, Bins, BinOf, Stream);
      const ChannelSamples<decltype(From)> Here = {From + static_cast<Index>(C),
                                                   Of.RowPixels, Of.RowStride,
                                                   Of.Channels};
      return countAll(Here, Elements, Counts, Bins, BinOf, Stream);
    };
    if (cudaError_t Error = withMemory(Stream, Count, reads(In, Of.extent()),
                                       overwrites(Out[C], Bins)))
      return Error;
  }
  return cudaSuccess;
}

/// Returns true if the call is to become a primitive.
template <size_t Active, typename Samples, typename Counter>
bool isHistogramTaken(Samples In, const SampleRows &Of,
                      const ::cuda::std::array<Counter *, Active> &Out,
                      const ::cuda::std::array<int, Active> &Levels,
                      cudaStream_t Stream) {
  MemoryList Memory;
  Memory.add(In, Of.extent());
  for (size_t C = 0; C != Active; ++C)
    Memory.add(Out[C], Levels[C] - 1);
  return Memory.isTaken("histogram", WhyNotHistogram<Samples, Counter>, Stream);
}

} // namespace gridspan::calls

CUB_NAMESPACE_BEGIN

template <int Channels, int Active, typename Samples, typename Counter,
          typename Level, typename Offset>
struct DispatchHistogram<Channels, Active, Samples, Counter, Level, Offset,
                         void> {
  template <bool IsEven>
  using Own = DispatchHistogram<
      Channels, Active, Samples, Counter, Level, Offset,
      ::gridspan::calls::Untouched<detail::histogram::policy_hub<
          detail::it_value_t<Samples>, Counter, Channels, Active, IsEven>>>;
  using CounterArray = ::cuda::std::array<Counter *, Active>;
  using NumberArray = ::cuda::std::array<int, Active>;
  static constexpr bool IsTaken =
      !::gridspan::calls::WhyNotHistogram<Samples, Counter>;

  template <typename IsByte>
  CUB_RUNTIME_FUNCTION static cudaError_t
  DispatchRange(void *Storage, size_t &Bytes, Samples In, CounterArray Out,
                NumberArray Levels,
                ::cuda::std::array<const Level *, Active> Bounds,
                Offset RowPixels, Offset Rows, Offset RowStride,
                cudaStream_t Stream, IsByte Kind) {
    namespace calls = ::gridspan::calls;
    const auto AskCub = [&](void *At, size_t &Room) {
      return Own<false>::DispatchRange(At, Room, In, Out, Levels, Bounds,
                                       RowPixels, Rows, RowStride, Stream,
                                       Kind);
    };
    const calls::SampleRows Of = {RowPixels, Rows, RowStride, Channels};
    if (Storage && calls::isHistogramTaken(In, Of, Out, Levels, Stream))
      if constexpr (IsTaken)
        if (calls::isRoomEnough(Bytes, AskCub)) {
          using Transform =
              typename Own<false>::template SearchTransform<const Level *>;
          ::cuda::std::array<Transform, Active> ToBin{};
          for (int C = 0; C != Active; ++C)
            ToBin[C].Init(Bounds[C], Levels[C]);
          return calls::histograms(In, Of, Out, Levels, ToBin, Stream);
        }
    return AskCub(Storage, Bytes);
  }

  template <typename IsByte>
  CUB_RUNTIME_FUNCTION static cudaError_t
  DispatchEven(void *Storage, size_t &Bytes, Samples In, CounterArray Out,
               NumberArray Levels, ::cuda::std::array<Level, Active> Lo,
               ::cuda::std::array<Level, Active> Hi, Offset RowPixels,
               Offset Rows, Offset RowStride, cudaStream_t Stream,
               IsByte Kind) {
    namespace calls = ::gridspan::calls;
    const auto AskCub = [&](void *At, size_t &Room) {
      return Own<true>::DispatchEven(At, Room, In, Out, Levels, Lo, Hi,
                                     RowPixels, Rows, RowStride, Stream, Kind);
    };
    const calls::SampleRows Of = {RowPixels, Rows, RowStride, Channels};
    if (Storage && calls::isHistogramTaken(In, Of, Out, Levels, Stream))
      if constexpr (IsTaken)
        if (calls::isRoomEnough(Bytes, AskCub)) {
          using Transform = typename Own<true>::ScaleTransform;
          ::cuda::std::array<Transform, Active> ToBin{};
          for (int C = 0; C != Active; ++C)
            if (cudaError_t Error = ToBin[C].Init(Levels[C], Hi[C], Lo[C]))
              return Error;
          return calls::histograms(In, Of, Out, Levels, ToBin, Stream);
        }
    return AskCub(Storage, Bytes);
  }
};

CUB_NAMESPACE_END

#endif // GRIDSPAN_CALLS_HISTOGRAM_H
