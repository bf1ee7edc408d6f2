//===- Sorter.h - Sorting in memory and beyond it ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A segment that has room on the devices, with as much beside it, is sorted by
// tiles and then by merging runs, in turn from one half of the work space to
// the other; numbers by radix sorting, where that is faster, on each device a
// part (SortByParts.h). Its elements come from, and go to, memory of any kind
// once.
//
// Longer data become sorted runs of a segment each, in memory of their own.
// Then pieces of the result are made one by one: findSplits() says which part
// of each run belongs to a piece, whatever the values, and these parts are
// brought to the devices and merged there, numbers by sorting them again, which
// takes fewer launches and no longer. So the data cross the bus twice in each
// direction. Where they can, runs and pieces end with frames of the result
// (Cuts): a frame of two pieces would be saved behind the one and loaded again
// before the other, which would have to wait for that.
//
// Numbers are sorted in pieces by all devices at the same time, in both passes
// (SortByPieces.h).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_SORTER_H
#define GRIDSPAN_ALGORITHM_SORTER_H

#include "gridspan/algorithm/Merge.h"
#include "gridspan/algorithm/RadixSort.h"
#include "gridspan/algorithm/Room.h"
#include "gridspan/algorithm/SortByParts.h"
#include "gridspan/algorithm/SortByPieces.h"
#include <algorithm>
#include <memory>
#include <new>

namespace gridspan::detail {

/// A device sorts a part of so many elements at least where the data are on
/// devices: then others bring and merge them in less time than one takes. Work
/// space of data that stream by all links is all devices' anyway.
inline constexpr Index LeastPart = Index(1) << 25;
inline constexpr Index LeastStreamedPart = Index(1) << 16;

/// Returns how many devices there are to divide work over, at least 1.
inline Index usableDevices() { return std::max(1U, __gridspan_num_devices()); }

/// How data larger than the devices are cut into runs and into pieces of the
/// result. Positions count from the beginning of the result's first frame, so
/// that the first element has the number Before.
struct Cuts {
  Index Each, Before, All;

  /// For Count elements, at most Segment in a part.
  Cuts(Index Count, Index Segment, FrameGrid Frames)
      : Each(Segment), Before(0), All(Count) {
    // Parts lose a third of their length by it at most: runs cost launches.
    if (Frames.Elements == 0 || Frames.Elements > Segment / 2)
      return;
    Each = Segment / Frames.Elements * Frames.Elements;
    Before = Frames.Before;
    All = Count + Before;
  }

  Index parts() const { return blocksFor(All, Each); }
  Index begin(Index Part) const { return std::max(Part * Each, Before); }
  Index size(Index Part) const {
    return std::min((Part + 1) * Each, All) - begin(Part);
  }
  /// Returns which element of the data the first one of a part is.
  Index element(Index Part) const { return begin(Part) - Before; }
};

/// One sort in a stream. ByRadix: where there is radix sorting; by several of
/// the devices if each gets LeastPart elements.
template <typename Array, typename Compare> class Sorter {
  using T = typename Array::Element;
  using Shape = TileOf<T>;
  using Plain = Keys<T>;
  using Radix = RadixSort<Array, Compare>;

public:
  Sorter(Compare Less, cudaStream_t Stream, bool ByRadix = isRadixFast(),
         Index LeastPart = detail::LeastPart, Index Devices = usableDevices())
      : Less(Less), Stream(Stream), Devices(Devices),
        ByRadix(Radix::Exists && ByRadix && (Devices == 1 || Radix::InParts)),
        LeastPart(LeastPart), Work{WorkSpace<T>(Stream), WorkSpace<T>(Stream)},
        Team(Stream) {}

  /// To is From, or elsewhere. IsThere: the data are on devices. Frames: those
  /// of To.
  cudaError_t sort(Array From, Array To, Index Count, bool IsThere,
                   FrameGrid Frames = {}) {
    this->IsThere = IsThere;
    this->Frames = Frames;
    Index Segment = 0;
    if (cudaError_t Error = findSegment(Count, IsThere, Segment))
      return Error;
    if (Segment < Count) {
      // Runs need not be on devices.
      this->IsThere = false;
      if constexpr (Radix::InParts)
        if (ByRadix)
          return sortInPieces(From, To, Count, Segment);
    }
    if (cudaError_t Error = allocate(Segment))
      return Error;
    if (Segment < Count)
      return sortInRuns(From, To, Count, Segment);
    const cudaError_t Error = sortSegment(From, To, Count);
    // Launches may wait, which the work space has run when it is freed, where
    // nobody looks at their error.
    return Error || IsThere || isCaptured(Stream)
               ? Error
               : cudaStreamSynchronize(Stream);
  }

  /// Finds how many elements of Count have room at once; Shares: on one of as
  /// many devices.
  static cudaError_t findSegment(Index Count, bool IsThere, Index &Segment,
                                 Index Shares = 1) {
    // The work space, with room for what comes and goes, and for what CUB
    // wants, which is a few hundredths of a half.
    return findRoom(sizeof(T), IsThere ? 3 : 8, Shape::Elements, Count, Segment,
                    Shares);
  }

  cudaError_t allocate(Index Segment) {
    Part = Segment;
    int Where = GridspanAnyDevice;
    Index Parts = 1;
    if (ByRadix && Devices > 1) {
      Parts = partsOf(Segment);
      Part = Shape::blocks(blocksFor(Segment, Parts)) * Shape::Elements;
      Where = Parts > 1 ? GridspanEveryDevice : 0;
    }
    if (Parts > 1)
      if (cudaError_t Error = Team.make(Parts))
        return Error;
    Cub.reset(new (std::nothrow) CubMemory[Parts]);
    if (!Cub)
      return cudaErrorMemoryAllocation;
    const OnDevice Guard(Where);
    for (unsigned I = 0; I < 2; ++I) {
      if (cudaError_t Error = Work[I].allocate(Segment))
        return Error;
      Halves[I] = Work[I].get();
    }
    return cudaSuccess;
  }

  /// Sorts elements that have room in what was allocated. To may be From.
  template <typename Output>
  cudaError_t sortSegment(Array From, Output To, Index Count) {
    const Index Blocks = Shape::blocks(Count);
    if (Blocks == 1)
      return launch(sortTiles<T, Array, Output, Compare>, 1, Shape::Threads,
                    Stream, From, To, Count, Less);
    if constexpr (Radix::Exists)
      if (ByRadix)
        return sortByRadix(From, To, Count);
    Plain Here = {Halves[0]}, Other = {Halves[1]};
    if (cudaError_t Error =
            launch(sortTiles<T, Array, Plain, Compare>, Blocks, Shape::Threads,
                   Stream, From, Here, Count, Less))
      return Error;
    Index Run = Shape::Elements;
    for (; 2 * Run < Count; Run *= 2, std::swap(Here, Other))
      if (cudaError_t Error =
              launch(mergeRuns<T, Plain, Compare>, Blocks, Shape::Threads,
                     Stream, Here.K, Other, Count, Run, Index(0), Less))
        return Error;
    return launch(mergeRuns<T, Output, Compare>, Blocks, Shape::Threads, Stream,
                  Here.K, To, Count, Run, Index(0), Less);
  }

private:
  /// Returns how many devices are worth their part of a segment.
  Index partsOf(Index Segment) const {
    const Index Least =
        IsThere ? LeastPart : std::min(LeastPart, LeastStreamedPart);
    return isCaptured(Stream)
               ? 1
               : std::min(Devices, std::max(Segment / Least, Index(1)));
  }

  /// Returns true if graphs take what the stream is given: they would take the
  /// other devices' streams, too.
  static bool isCaptured(cudaStream_t Stream) {
    cudaStreamCaptureStatus Status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(Stream, &Status) ||
           Status != cudaStreamCaptureStatusNone;
  }

  template <typename Output>
  cudaError_t sortByRadix(Array From, Output To, Index Count) {
    if constexpr (Radix::InParts) {
      if (!IsThere)
        if (cudaError_t Error = take(From, Count))
          return Error;
      return orderTaken(From, To, Count);
    } else {
      return Radix::sort(From, To, Count, Halves[0], Halves[1], Less, Cub[0],
                         Stream);
    }
  }

  /// Brings elements to the work space, part by part.
  cudaError_t take(Array From, Index Count) {
    for (Index Lo = 0; Lo < Count; Lo += Part) {
      const Index InPart = std::min(Part, Count - Lo);
      if (cudaError_t Error = Radix::take(From.from(Lo), InPart, Halves[0] + Lo,
                                          0, InPart, Stream))
        return Error;
    }
    return cudaSuccess;
  }

  /// Sorts what was taken, or From if it is on devices, to To. What is taken
  /// next goes to the half of the work space that what writes the result does
  /// not read.
  template <typename Output>
  cudaError_t orderTaken(Array From, Output To, Index Count) {
    T *const Here = Halves[0], *const Other = Halves[1];
    T *NotRead = Here;
    cudaError_t Error = cudaSuccess;
    if (Part < Count) {
      PartSorter<Array, Compare> Parts(Count, Part, Here, Other, Less, Stream,
                                       Team, Cub.get());
      Error = Parts.sort(From, To, IsThere);
      NotRead = Parts.notRead();
    } else {
      const OnDevice Guard(Devices > 1 && IsThere ? 0 : GridspanAnyDevice);
      if (IsThere)
        Error = Radix::take(From, Count, Here, 0, Count, Stream);
      const auto Place = [&](T *Half) {
        NotRead = Half;
        return To;
      };
      if (!Error)
        Error = Radix::order(Count, Here, Other, Less, Place, Cub[0], Stream);
    }
    Halves[0] = NotRead;
    Halves[1] = NotRead == Here ? Other : Here;
    return Error;
  }

  /// Merges parts of the runs, [First[I], Last[I]) of each, to To.
  cudaError_t mergePairs(Plain Runs, Index Run, Index NumRuns,
                         const Index *First, const Index *Last, Array To) {
    T *Here = Halves[0], *Other = Halves[1];
    const std::unique_ptr<Index[]> Ends(new (std::nothrow) Index[NumRuns]);
    if (!Ends)
      return cudaErrorMemoryAllocation;
    Index Parts = 0, End = 0;
    for (Index I = 0; I < NumRuns; ++I) {
      const Index Count = Last[I] - First[I];
      if (Count == 0)
        continue;
      if (cudaError_t Error = copyOnDevices(Runs.K + I * Run + First[I],
                                            Here + End, Count, Stream))
        return Error;
      Ends[Parts++] = End += Count;
    }
    const Index All = End;
    for (; Parts > 2; std::swap(Here, Other)) {
      Index Lo = 0, Merged = 0;
      for (Index I = 0; I < Parts; I += 2) {
        const Index Middle = Ends[I], Hi = Ends[I + 1 < Parts ? I + 1 : I];
        const RunPair<const T *, const T *> Pair = {Here + Lo, Middle - Lo,
                                                    Here + Middle, Hi - Middle};
        if (cudaError_t Error =
                launchMerge<T>(Pair, Plain{Other + Lo}, Less, Stream))
          return Error;
        Ends[Merged++] = Lo = Hi;
      }
      Parts = Merged;
    }
    const RunPair<const T *, const T *> Pair = {Here, Ends[0], Here + Ends[0],
                                                All - Ends[0]};
    return launchMerge<T>(Pair, To, Less, Stream);
  }

  /// Sorts pieces that have room on one device each to runs, and merges these.
  /// AllSegment: what has room on all devices.
  cudaError_t sortInPieces(Array From, Array To, Index Count,
                           Index AllSegment) {
    const Index Parts = partsOf(AllSegment);
    Index Segment = AllSegment;
    if (Devices > 1)
      if (cudaError_t Error = findSegment(Count, false, Segment, Devices))
        return Error;
    PieceSorter<Array, Compare> Pieces(Less, Stream);
    if (cudaError_t Error = Pieces.allocate(Segment, Parts, Devices))
      return Error;
    const Cuts Parted(Count, Segment, Frames);
    const auto SizeOf = [&](Index P) { return Parted.size(P); };
    const auto Sort = [&](Array Runs) {
      return Pieces.sort(
          Parted.parts(),
          [&](T *Part, Index P) {
            return Pieces.bring(Part, From.from(Parted.element(P)),
                                Parted.size(P));
          },
          SizeOf, [&](Index P) { return Runs.from(Parted.begin(P)); });
    };
    const auto Merge = [&](Array Runs, Index NumRuns, const Index *Places) {
      return Pieces.sort(
          NumRuns,
          [&](T *Part, Index P) {
            return Pieces.bring(Part, Runs, Parted.Each, NumRuns,
                                &Places[P * NumRuns],
                                &Places[(P + 1) * NumRuns], Parted.size(P));
          },
          SizeOf, [&](Index P) { return To.from(Parted.element(P)); });
    };
    return throughRuns<Array>(Parted, Sort, Merge);
  }

  cudaError_t sortInRuns(Array From, Array To, Index Count, Index Segment) {
    const Cuts Parted(Count, Segment, Frames);
    const auto Sort = [&](Plain Runs) {
      for (Index P = 0; P < Parted.parts(); ++P)
        if (cudaError_t Error =
                sortSegment(From.from(Parted.element(P)),
                            Runs.from(Parted.begin(P)), Parted.size(P)))
          return Error;
      return cudaSuccess;
    };
    const auto Merge = [&](Plain Runs, Index NumRuns, const Index *Places) {
      for (Index P = 0; P < NumRuns; ++P)
        if (cudaError_t Error = mergePairs(
                Runs, Parted.Each, NumRuns, &Places[P * NumRuns],
                &Places[(P + 1) * NumRuns], To.from(Parted.element(P))))
          return Error;
      return cudaSuccess;
    };
    return throughRuns<Plain>(Parted, Sort, Merge);
  }

  /// Calls Sort(runs), to make sorted runs, and then Merge(runs, their number,
  /// places), to make as many pieces of the result of them. Places has the
  /// beginning of each piece's part of each run, counted from the run's first
  /// position, and the ends of the last one's.
  template <typename RunArray, typename MakeRuns, typename MergeRuns>
  cudaError_t throughRuns(const Cuts &Parted, const MakeRuns &Sort,
                          const MergeRuns &Merge) {
    const Index NumRuns = Parted.parts();
    const Index NumSplits = (NumRuns + 1) * NumRuns;
    ArraySpace<RunArray> Memory(Stream);
    WorkSpace<Index> Splits(Stream), Scratch(Stream);
    const std::unique_ptr<Index[]> Places(new (std::nothrow) Index[NumSplits]);
    if (!Places)
      return cudaErrorMemoryAllocation;
    if (cudaError_t Error = Memory.allocate(Parted.All))
      return Error;
    if (cudaError_t Error = Splits.allocate(NumSplits))
      return Error;
    if (cudaError_t Error = Scratch.allocate(2 * NumSplits))
      return Error;
    const RunArray Runs = Memory.get();
    if (cudaError_t Error = Sort(Runs))
      return Error;
    if (cudaError_t Error =
            launch(findSplits<RunArray, Compare>, NumRuns + 1, 128, Stream,
                   Runs, Parted.All, Parted.Before, Parted.Each, NumRuns,
                   Splits.get(), Scratch.get(), Less))
      return Error;
    if (cudaError_t Error =
            cudaMemcpyAsync(Places.get(), Splits.get(),
                            static_cast<size_t>(NumSplits) * sizeof(Index),
                            cudaMemcpyDeviceToHost, Stream))
      return Error;
    if (cudaError_t Error = cudaStreamSynchronize(Stream))
      return Error;
    if (cudaError_t Error = Merge(Runs, NumRuns, Places.get()))
      return Error;
    // For their errors, as in sort().
    return cudaStreamSynchronize(Stream);
  }

  const Compare Less;
  const cudaStream_t Stream;
  const Index Devices;
  const bool ByRadix;
  const Index LeastPart;
  /// The elements of each device's share of what was allocated.
  Index Part = 0;
  bool IsThere = false;
  FrameGrid Frames;
  WorkSpace<T> Work[2];
  /// They by turns: what is taken next goes to the first.
  T *Halves[2] = {};
  /// For the devices that sort parts, and what CUB wants on each; kept from one
  /// segment to the next.
  DeviceStreams Team;
  std::unique_ptr<CubMemory[]> Cub;
};

/// Sorts an array to another one, or where it is. IsThere: it is on devices.
/// Frames: those of To.
template <typename Array, typename Compare>
cudaError_t sortArray(Array From, Array To, Index Count, bool IsThere,
                      Compare Less, cudaStream_t Stream,
                      FrameGrid Frames = {}) {
  return Sorter<Array, Compare>(Less, Stream)
      .sort(From, To, Count, IsThere, Frames);
}

template <typename Array, typename Compare>
cudaError_t sortArray(Array Data, Index Count, bool IsThere, Compare Less,
                      cudaStream_t Stream, FrameGrid Frames = {}) {
  return sortArray(Data, Data, Count, IsThere, Less, Stream, Frames);
}

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_SORTER_H
