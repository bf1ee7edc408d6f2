//===- Offsets.h - Where segments begin and end --------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which offsets belong to batches of elements. Some bytes of the offsets are
// read for that, over the bus if they are there, and the host is told.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_OFFSETS_H
#define GRIDSPAN_ALGORITHM_OFFSETS_H

#include "gridspan/algorithm/Ranges.h"
#include "gridspan/algorithm/ScanTiles.h"

namespace gridspan::detail {

/// Returns how many of ascending numbers are not more than Most.
template <typename T>
__device__ __forceinline__ Index countUpTo(const T *Numbers, Index Count,
                                           Index Most) {
  Index Lo = 0, Hi = Count;
  while (Lo < Hi) {
    const Index Mid = (Lo + Hi) / 2;
    if (static_cast<Index>(Numbers[Mid]) <= Most)
      Lo = Mid + 1;
    else
      Hi = Mid;
  }
  return Lo;
}

/// Offsets before a bound between batches of elements, and behind it.
struct OffsetCut {
  Index Before; ///< offsets up to and with the bound
  Index Last;   ///< the last of them; -1 if there is none
  Index Next;   ///< the first behind it; -1 if there is none
};

template <typename T>
__global__ void __launch_bounds__(ElementThreads)
    findOffsetCuts(const T *Offsets, Index NumOffsets, Index Count, Index Batch,
                   Index Batches, bool FromFirst, OffsetCut *Out) {
  const Index B = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (B > Batches)
    return;
  Index Bound = B * Batch < Count ? B * Batch : Count;
  if (FromFirst && Bound < static_cast<Index>(Offsets[0]))
    Bound = static_cast<Index>(Offsets[0]);
  const Index Before = countUpTo(Offsets, NumOffsets, Bound);
  Out[B].Before = Before;
  Out[B].Last = Before > 0 ? static_cast<Index>(Offsets[Before - 1]) : -1;
  Out[B].Next = Before < NumOffsets ? static_cast<Index>(Offsets[Before]) : -1;
}

/// Finds the offsets at the bounds of batches of so many elements, also at the
/// first one's begin and at the last one's end. FromFirst: bounds before the
/// first offset are moved there.
template <typename T>
cudaError_t cutOffsets(const T *Offsets, Index NumOffsets, Index Count,
                       Index Batch, Index Batches, bool FromFirst,
                       std::unique_ptr<OffsetCut[]> &Cuts,
                       cudaStream_t Stream) {
  WorkSpace<OffsetCut> Found(Stream);
  if (cudaError_t Error = Found.allocate(Batches + 1))
    return Error;
  if (cudaError_t Error = launchForEach(findOffsetCuts<T>, Batches + 1, Stream,
                                        Offsets, NumOffsets, Count, Batch,
                                        Batches, FromFirst, Found.get()))
    return Error;
  return tellHost(Found.get(), Batches + 1, Cuts, Stream);
}

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_OFFSETS_H
