//===- SortByParts.h - Numbers on several devices ------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each device sorts a part of the elements by radix sorting (RadixSort.h), all
// at the same time, in its own share of the work space. Then the sorted parts
// are merged: each device makes its part of the result, for which it reads what
// others have over the link, once for each doubling of the number of devices.
// Where the result goes to memory of the host it is merged on the devices all
// the same, and then copied: of a launch that merges nobody knows what it
// reads, so that each device would be given a copy of all parts for its chunks.
//
// Streams of its own keep the devices apart. They begin behind the stream of
// the sort, and that goes on behind them, also after an error.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_SORTBYPARTS_H
#define GRIDSPAN_ALGORITHM_SORTBYPARTS_H

#include "gridspan/algorithm/Merge.h"
#include "gridspan/algorithm/RadixSort.h"
#include <memory>
#include <new>

namespace gridspan::detail {

/// A stream for each device's work, beside a stream of the program.
class DeviceStreams {
public:
  explicit DeviceStreams(cudaStream_t Of) : Of(Of) {}
  DeviceStreams(const DeviceStreams &) = delete;
  DeviceStreams &operator=(const DeviceStreams &) = delete;
  ~DeviceStreams() {
    if (IsForked)
      (void)join();
    for (Index I = 0; I < Count; ++I)
      (void)cudaStreamDestroy(Streams[I]);
    if (Reached)
      (void)cudaEventDestroy(Reached);
  }

  /// Makes them where they are not there yet, as many each time.
  cudaError_t make(Index Devices) {
    if (Reached)
      return cudaSuccess;
    Streams.reset(new (std::nothrow) cudaStream_t[Devices]);
    if (!Streams)
      return cudaErrorMemoryAllocation;
    for (; Count < Devices; ++Count)
      if (cudaError_t Error =
              cudaStreamCreateWithFlags(&Streams[Count], cudaStreamNonBlocking))
        return Error;
    return cudaEventCreateWithFlags(&Reached, cudaEventDisableTiming);
  }

  cudaStream_t operator[](Index Device) const { return Streams[Device]; }

  /// Has all wait for what the program's stream holds.
  cudaError_t fork() {
    if (cudaError_t Error = cudaEventRecord(Reached, Of))
      return Error;
    IsForked = true;
    for (Index I = 0; I < Count; ++I)
      if (cudaError_t Error = cudaStreamWaitEvent(Streams[I], Reached, 0))
        return Error;
    return cudaSuccess;
  }

  /// Has the program's stream wait for what all hold.
  cudaError_t join() {
    cudaError_t First = cudaSuccess;
    IsForked = false;
    for (Index I = 0; I < Count; ++I) {
      cudaError_t Error = cudaEventRecord(Reached, Streams[I]);
      if (!Error)
        Error = cudaStreamWaitEvent(Of, Reached, 0);
      if (Error)
        (void)cudaStreamSynchronize(Streams[I]);
      First = First ? First : Error;
    }
    return First;
  }

private:
  const cudaStream_t Of;
  std::unique_ptr<cudaStream_t[]> Streams;
  cudaEvent_t Reached = nullptr;
  Index Count = 0;
  bool IsForked = false;
};

/// Copies to where an array has its elements.
template <typename T, typename Output>
__global__ void __launch_bounds__(ElementThreads)
    putElements(const T *From, Output To, Index Elements) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < Elements)
    To(I, From[I]);
}

/// Sorts Count elements in the work space, of which each device has a share of
/// Part elements, a multiple of a tile.
template <typename Array, typename Compare> class PartSorter {
  using T = typename Array::Element;
  using Radix = RadixSort<Array, Compare>;
  using Shape = TileOf<T>;
  using Plain = Keys<T>;

public:
  /// Team has a stream for each part, and Cub memory for its sort.
  PartSorter(Index Count, Index Part, T *Work0, T *Work1, Compare Less,
             cudaStream_t Stream, DeviceStreams &Team, CubMemory *Cub)
      : Count(Count), Part(Part), Work0(Work0), Work1(Work1), Less(Less),
        Stream(Stream), Team(Team), Cub(Cub) {}

  /// IsThere: From and To are on devices; else what From has is in the first
  /// half of the work space, each part as RadixSort takes it.
  template <typename Output>
  cudaError_t sort(Array From, Output To, bool IsThere) {
    T *Here = nullptr;
    if (cudaError_t Error = sortParts(From, IsThere, Here))
      return Error;
    Index Run = Part;
    for (; 2 * Run < Count; Run *= 2) {
      T *const Other = Here == Work0 ? Work1 : Work0;
      if (cudaError_t Error = merge(Here, Plain{Other}, Run))
        return Error;
      Here = Other;
    }
    T *const Other = Here == Work0 ? Work1 : Work0;
    if (IsThere) {
      NotRead = Other;
      return merge(Here, To, Run);
    }
    NotRead = Here;
    if (cudaError_t Error = merge(Here, Plain{Other}, Run))
      return Error;
    return launchForEach(putElements<T, Output>, Count, Stream, Other, To,
                         Count);
  }

  /// Returns the half of the work space that what writes the result does not
  /// read.
  T *notRead() const { return NotRead; }

private:
  Index parts() const { return blocksFor(Count, Part); }
  Index sizeOf(Index P) const {
    return Count - P * Part < Part ? Count - P * Part : Part;
  }

  /// Sorts each part. Here becomes the half of the work space where they are.
  cudaError_t sortParts(Array From, bool IsThere, T *&Here) {
    if (cudaError_t Error = Team.fork())
      return Error;
    for (Index P = 0; P < parts(); ++P) {
      const OnDevice Guard(static_cast<int>(P));
      const Index Lo = P * Part;
      if (IsThere)
        if (cudaError_t Error = Radix::take(From.from(Lo), sizeOf(P),
                                            Work0 + Lo, 0, sizeOf(P), Team[P]))
          return Error;
      T *Sorted = nullptr;
      const auto Place = [&Sorted](T *Half) {
        Sorted = Half;
        return Plain{Half};
      };
      if (cudaError_t Error = Radix::order(sizeOf(P), Work0 + Lo, Work1 + Lo,
                                           Less, Place, Cub[P], Team[P]))
        return Error;
      if (P == 0)
        Here = Sorted;
      // CUB decides by the size where it ends.
      if (Sorted != Here + Lo)
        if (cudaError_t Error =
                copyOnDevices(Sorted, Here + Lo, sizeOf(P), Team[P]))
          return Error;
    }
    return Team.join();
  }

  /// Merges pairs of runs, each device to its share of To.
  template <typename Output>
  cudaError_t merge(const T *Runs, Output To, Index Run) {
    if (cudaError_t Error = Team.fork())
      return Error;
    for (Index P = 0; P < parts(); ++P) {
      const OnDevice Guard(static_cast<int>(P));
      if (cudaError_t Error =
              launch(mergeRuns<T, Output, Compare>, Shape::blocks(sizeOf(P)),
                     Shape::Threads, Team[P], Runs, To, Count, Run,
                     P * (Part / Shape::Elements), Less))
        return Error;
    }
    return Team.join();
  }

  const Index Count, Part;
  T *const Work0, *const Work1;
  const Compare Less;
  const cudaStream_t Stream;
  DeviceStreams &Team;
  CubMemory *const Cub;
  T *NotRead = nullptr;
};

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_SORTBYPARTS_H
