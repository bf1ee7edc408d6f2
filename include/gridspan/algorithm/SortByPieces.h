//===- SortByPieces.h - Numbers piece by piece on all devices ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers larger than the devices are sorted in pieces that have room on one
// device each, all devices at the same time. A piece is copied to one part of
// its device's work space, CUB sorts it there and in another part, and it is
// copied away. These are members of one chain and touch nothing else, so that a
// piece comes while the one before it is sorted and the one before that, in a
// third part, leaves. Copies of pinned memory need no frames. To others the
// host may have to wait until frames have left, so what brings the next piece
// goes first.
//
// Each device gets pieces that are neighbours, as neighbours have frames in
// common, and their launches are made in turn: what waits in a chain is of all
// devices alike.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_SORTBYPIECES_H
#define GRIDSPAN_ALGORITHM_SORTBYPIECES_H

#include "gridspan/algorithm/Merge.h"
#include "gridspan/algorithm/RadixSort.h"
#include <algorithm>
#include <memory>
#include <new>

namespace gridspan::detail {

/// The work space of one device, in parts that take turns.
template <typename T> class PieceRoom {
public:
  /// Device: where it is, and what works on it; GridspanAnyDevice: there is
  /// one.
  cudaError_t allocate(Index Elements, unsigned NumParts, size_t BytesOfCub,
                       int Device, cudaStream_t Stream) {
    this->Device = Device;
    const OnDevice Guard(Device);
    if (cudaError_t Error = Cub.reserve(BytesOfCub, Stream))
      return Error;
    for (unsigned I = 0; I < NumParts; ++I) {
      Work[I].reset(new (std::nothrow) WorkSpace<T>(Stream));
      if (!Work[I])
        return cudaErrorMemoryAllocation;
      if (cudaError_t Error = Work[I]->allocate(Elements))
        return Error;
      Parts[I] = Work[I]->get();
    }
    return cudaSuccess;
  }

  int device() const { return Device; }
  /// Returns the part that the next piece comes to.
  T *first() const { return Parts[0]; }

  /// Has CUB sort Count elements that have come. What comes next goes to the
  /// part that the result is not in, or to the third.
  template <typename Radix, typename Compare>
  cudaError_t sort(Index Count, Compare Less, cudaStream_t Stream) {
    // CUB decides by the size where it ends.
    T *Free = Parts[1];
    Sorted = Parts[0];
    if (cudaError_t Error =
            Radix::orderBrought(Count, Sorted, Free, Less, Cub, Stream))
      return Error;
    Parts[0] = Free;
    Parts[1] = Sorted;
    if (Parts[2])
      std::rotate(Parts, Parts + 2, Parts + 3);
    return cudaSuccess;
  }

  /// Puts what was sorted last to To.
  template <typename Array>
  cudaError_t put(Array To, Index Count, cudaStream_t Stream) {
    return putFromHalf(Sorted, To, Count, Stream);
  }

private:
  std::unique_ptr<WorkSpace<T>> Work[3];
  T *Parts[3] = {};
  T *Sorted = nullptr;
  CubMemory Cub; ///< in the order of the stream, as the parts
  int Device = GridspanAnyDevice;
};

/// The pieces of one sort in a stream.
template <typename Array, typename Compare> class PieceSorter {
  using T = typename Array::Element;
  using Radix = RadixSort<Array, Compare>;

public:
  PieceSorter(Compare Less, cudaStream_t Stream) : Less(Less), Stream(Stream) {}

  /// For pieces of Elements elements on the first of All devices.
  cudaError_t allocate(Index Elements, Index Devices, Index All) {
    NumRooms = Devices;
    Rooms.reset(new (std::nothrow) PieceRoom<T>[Devices]);
    if (!Rooms)
      return cudaErrorMemoryAllocation;
    size_t OfCub = 0;
    if (cudaError_t Error = Radix::findMemory(Elements, Less, OfCub))
      return Error;
    const unsigned NumParts = mayTakeThree(Elements, OfCub) ? 3 : 2;
    for (Index D = 0; D < Devices; ++D)
      if (cudaError_t Error = Rooms[D].allocate(
              Elements, NumParts, OfCub,
              All > 1 ? static_cast<int>(D) : GridspanAnyDevice, Stream))
        return Error;
    return cudaSuccess;
  }

  /// Sorts Pieces pieces. Bring(part, P) launches what brings piece P to a part
  /// of a room; SizeOf(P) is its elements, and To(P) where they go.
  template <typename Bringing, typename Size, typename Place>
  cudaError_t sort(Index Pieces, const Bringing &Bring, const Size &SizeOf,
                   const Place &To) {
    for (Index I = 0, Each = blocksFor(Pieces, NumRooms); I < Each; ++I)
      for (Index D = 0; D < NumRooms; ++D) {
        const Index Begin = Pieces * D / NumRooms,
                    End = Pieces * (D + 1) / NumRooms, P = Begin + I;
        if (P >= End)
          continue;
        PieceRoom<T> &Room = Rooms[D];
        const OnDevice Guard(Room.device());
        if (P == Begin)
          if (cudaError_t Error = Bring(Room.first(), P))
            return Error;
        if (cudaError_t Error =
                Room.template sort<Radix>(SizeOf(P), Less, Stream))
          return Error;
        if (P + 1 < End)
          if (cudaError_t Error = Bring(Room.first(), P + 1))
            return Error;
        if (cudaError_t Error = Room.put(To(P), SizeOf(P), Stream))
          return Error;
      }
    return cudaSuccess;
  }

  /// Brings Count elements to a part of a room.
  cudaError_t bring(T *Part, Array From, Index Count) {
    return bringToHalf(From, Count, Part, Index(0), Count, Stream);
  }

  /// Brings parts of the runs, [First[I], Last[I]) of each, All elements. Equal
  /// elements come in the order of the runs, and stay in it.
  cudaError_t bring(T *Part, Array Runs, Index Run, Index NumRuns,
                    const Index *First, const Index *Last, Index All) {
    Index At = 0;
    for (Index I = 0; I < NumRuns; At += Last[I] - First[I], ++I)
      if (First[I] < Last[I])
        if (cudaError_t Error =
                bringToHalf(Runs.from(I * Run + First[I]), Last[I] - First[I],
                            Part, At, All, Stream))
          return Error;
    return cudaSuccess;
  }

private:
  /// Returns true if there is room for three parts of Elements elements each on
  /// the devices. Where these left less than half of a device for what comes
  /// and goes, the runtime would take memory off it.
  bool mayTakeThree(Index Elements, size_t OfCub) const {
    size_t Free = 0, Total = 0;
    if (cudaMemGetInfo(&Free, &Total))
      return false;
    const size_t Bytes = static_cast<size_t>(Elements) * sizeof(T);
    return Free >= Total / 2 + NumRooms * (3 * Bytes + OfCub);
  }

  const Compare Less;
  const cudaStream_t Stream;
  std::unique_ptr<PieceRoom<T>[]> Rooms;
  Index NumRooms = 0;
};

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_SORTBYPIECES_H
